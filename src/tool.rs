//! Tools as served: arguments in, rows through the seam out.

pub mod parameter;
pub mod template;
