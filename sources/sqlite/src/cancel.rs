//! Stopping a statement. `SQLite` asks the progress handler of a connection every few hundred steps of its virtual machine
//! whether to go on; the handler looks at one flag, and whoever wants to stop the statement sets it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use sqlx::sqlite::SqliteConnection;

/// Steps between two looks at the flag: well under a millisecond, and too few looks to measure.
const STEPS: i32 = 1_000;

/// The flag of one connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Lets the progress handler of a connection look at the flag.
    pub(crate) async fn install(&self, driver: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let flag = self.0.clone();
        driver.lock_handle().await?.set_progress_handler(STEPS, move || !flag.load(Ordering::Relaxed));
        Ok(())
    }

    /// Stops the statement that runs now.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets statements run again. Only for when the stopped one has ended.
    pub(crate) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
