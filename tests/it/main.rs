//! Everything that crosses a boundary, as one binary: one file a concern, one folder where a concern needs tables.

#[cfg(test)]
mod config;
