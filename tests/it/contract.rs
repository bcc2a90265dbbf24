//! What every database must do behind [`Source`]. A new database is done when it passes.
//!
//! Each case runs on each database, in a database of its own that holds the tables below. Where the dialects differ, a case
//! states its SQL for each of them; where a database has no such statement, the case says so by leaving it out. What a case
//! expects comes from the contract and the documentation, and what happened in the database is asked past our own code.

mod answers;
mod arguments;
pub(crate) mod ask;
mod calls;
mod connection;
mod forms;
mod forwarder;
mod limits;
mod powers;
mod read_only;
mod round_trip;
pub(crate) mod same;
mod shapes;
mod statements;
mod stop;
mod subject;
mod tools;
mod values;

use crate::support::Engine;
pub(crate) use subject::Subject;

/// Makes each case a test on each database.
macro_rules! on_every_database {
    ($($case:ident),* $(,)?) => {
        on_every_database! { @on sqlite Sqlite: $($case),* }
        on_every_database! { @on postgres Postgres: $($case),* }
        on_every_database! { @on mysql MySql: $($case),* }
        on_every_database! { @on mariadb MariaDb: $($case),* }
    };
    (@on $module:ident $engine:ident: $($case:ident),*) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    $crate::contract::run($crate::support::Engine::$engine, super::$case).await;
                }
            )*
        }
    };
}
use on_every_database;

/// Runs one case in a database of its own, where there is a server.
async fn run(engine: Engine, case: impl AsyncFnOnce(&mut Subject)) {
    let Some(mut subject) = Subject::create(engine).await else { return };
    case(&mut subject).await;
    subject.remove().await;
}
