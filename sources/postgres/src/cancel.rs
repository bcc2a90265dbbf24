//! Why a statement is stopped, and how: a second connection asks the server to cancel what the first one runs. The key of
//! the protocol's own cancel request is private to sqlx; `pg_cancel_backend` needs the same role, which it has.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use toolbox_source::SourceError;

use crate::connect::{Opener, Purpose};

/// Asks the server to cancel what a session runs. When this returns, the signal is on its way; a session that runs nothing
/// ignores it.
pub(crate) async fn request(opener: &Opener, process: i32) -> Result<(), SourceError> {
    let _alone = opener.cancelling().await;
    let mut other = opener.open(Purpose::Control).await?;
    let asked = other.execute(AssertSqlSafe(format!("SELECT pg_cancel_backend({process})"))).await;
    let closed = other.close().await;
    asked.map_err(|error| opener.explain(&error))?;
    closed.map_err(|error| opener.explain(&error))
}
