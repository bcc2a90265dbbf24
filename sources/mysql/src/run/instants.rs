//! Instants with a zone, such as `2025-01-31T10:00:00+02:00`.
//!
//! Where one goes whole into a column, the column says what becomes of it: the same instant in UTC, the text as it is, or an
//! error. Elsewhere `MySQL` reads one spelling; of the others, and of all on `MariaDB`, the server may drop the offset, and then
//! another instant is meant. It says so in its warnings, so the statement stands only if there is none.

use std::{borrow::Cow, future::Future};

use sqlx::{Executor as _, Row as _, mysql::MySqlRow};
use toolbox_source::{DatabaseError, SourceError};

use super::{Failure, Running, State, place::Filled};
use crate::{
    bind::Argument,
    cancel::{Killer, SETTLE},
    columns::Holds,
    connect::Connection,
    instant::{Instant, Reading},
    plan::{Effect, Fill, has_times, is_compared, targets},
};

/// What becomes of an instant.
enum Fate {
    /// The server gets it as it is, and reads it so or keeps it so.
    Stays,
    /// The server gets this text.
    Becomes(String),
    /// The server may drop its offset.
    InDoubt,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Whether any argument is an instant with its zone.
    pub(super) fn has_instants(&self) -> bool {
        instants(&self.call.arguments).next().is_some()
    }

    /// Decides about each instant with a zone among the arguments, and refuses what would become another one.
    pub(super) async fn decide_instants(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<(), Failure> {
        self.sent_arguments = Cow::Borrowed(&self.call.arguments);
        self.in_doubt.clear();
        let plan = &self.call.plan;
        let targets =
            if plan.changes_rows { targets(&plan.text, connection.quotes_names) } else { Vec::new() };
        for (index, instant) in instants(&self.call.arguments) {
            let target = targets
                .get(index)
                .and_then(Option::as_ref)
                .filter(|target| !matches!(target.fill, Fill::Term | Fill::Inside));
            let by_column = match target {
                Some(target) => {
                    let decide = |column: &Filled| fate_in(column, target.fill, &instant);
                    self.by_column(connection, killer, state, target, decide).await?
                }
                None => None,
            };
            match by_column.unwrap_or_else(|| {
                let is_compared = || is_compared(&plan.text, index);
                fate_elsewhere(&instant, connection.reads_offsets, &plan.text, is_compared)
            }) {
                Ok(Fate::Stays) => {}
                Ok(Fate::Becomes(text)) => {
                    if let Some(argument) = self.sent_arguments.to_mut().get_mut(index) {
                        *argument = Argument::Text(text);
                    }
                }
                Ok(Fate::InDoubt) => self.in_doubt.push(index),
                Err(message) => return Err(Failure::Ours(SourceError::Argument { index, message })),
            }
        }
        Ok(())
    }

    /// Whether the statement runs in a transaction that is committed once its answer stands. A `DELETE` by an instant that was
    /// read as another one would take other rows.
    pub(super) fn is_guarded(&self) -> bool {
        self.call.plan.changes_rows && !self.in_doubt.is_empty()
    }

    /// Whether the server has read the offsets. Texts that are no instants to the statement get no warning.
    pub(super) async fn check_offsets(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<(), Failure> {
        let warnings = self.step(killer, state, connection.driver.fetch_all("SHOW WARNINGS")).await?;
        let Some(index) = dropped(&warnings, connection.most_warnings, &self.call.arguments, &self.in_doubt)
            .map_err(Failure::Driver)?
        else {
            return Ok(());
        };
        let changes = match self.effect {
            Effect::Writes if self.is_guarded() => {
                "; the changes are rolled back, but for those of tables without transactions, such as MyISAM"
            }
            Effect::Writes => "; the statement is complete, and its changes stay",
            Effect::Reads => "",
        };
        let message = format!(
            "the server does not read this instant with its offset here; write it in UTC, without an offset{changes}"
        );
        Err(Failure::Ours(SourceError::Argument { index, message }))
    }
}

/// The place of the argument whose offset the server dropped, as its warnings say.
fn dropped(
    warnings: &[MySqlRow],
    most: u64,
    arguments: &[Argument],
    in_doubt: &[usize],
) -> Result<Option<usize>, sqlx::Error> {
    for warning in warnings {
        let code = warning.try_get_unchecked::<u32, _>("Code")?;
        let said = warning.try_get_unchecked::<String, _>("Message")?;
        let is_named = |index: &&usize| match arguments.get(**index) {
            Some(Argument::Text(text)) => says_dropped(&said, text),
            _ => false,
        };
        // A value that is cut on its way into a column is not named.
        let cut = || in_doubt.first().filter(|_| code == DATA_TRUNCATED);
        if let Some(index) = in_doubt.iter().find(is_named).or_else(cut) {
            return Ok(Some(*index));
        }
    }
    // There may have been more of them.
    let is_all = u64::try_from(warnings.len()).is_ok_and(|count| count < most);
    Ok(in_doubt.first().filter(|_| !is_all).copied())
}

/// Whether a warning says that the server did not read all of an instant that matters.
fn says_dropped(said: &str, text: &str) -> bool {
    let is_utc =
        Instant::parse(text).is_some_and(|instant| instant.reading() == Reading::Meant && instant.is_utc());
    // Of an instant in UTC nothing is lost with the zone, but for a time of day it reads something else.
    let what = if is_utc { "ncorrect time value" } else { "ncorrect" };
    // The servers write characters beyond ASCII in their own ways, and cut a text that is long.
    let plain = text.bytes().take(32).take_while(u8::is_ascii).count();
    said.contains(what) && said.contains(&format!("'{}", text.get(..plain).unwrap_or(text)))
}

/// `WARN_DATA_TRUNCATED`.
const DATA_TRUNCATED: u32 = 1265;

/// The arguments that are an instant with its zone, with their places.
fn instants(arguments: &[Argument]) -> impl Iterator<Item = (usize, Instant<'_>)> {
    arguments.iter().enumerate().filter_map(|(index, argument)| match argument {
        Argument::Text(text) => Instant::parse(text).map(|instant| (index, instant)),
        _ => None,
    })
}

/// What becomes of an instant that is the new value of this column, or why the column does not take it; none if it does not say.
fn fate_in(column: &Filled, fill: Fill, instant: &Instant<'_>) -> Option<Result<Fate, String>> {
    let name = &column.name;
    if fill == Fill::Compared {
        return match column.holds {
            // A day counts as its midnight then.
            Holds::Moments | Holds::Days => instant.utc().map(|utc| Ok(Fate::Becomes(utc))),
            Holds::Texts => Some(Ok(Fate::Stays)),
            Holds::Times | Holds::Integers | Holds::Shapes | Holds::Others => None,
        };
    }
    let (text, refusal) = match column.holds {
        Holds::Moments => {
            (instant.utc(), "there is no such instant between the years 1 and 9999 in UTC".to_owned())
        }
        Holds::Days => (
            instant.whole_day().map(str::to_owned),
            format!("the column {name} holds days, and this is an instant; pass the day alone"),
        ),
        Holds::Times => (
            None,
            format!("the column {name} holds times of day, and this is an instant; pass the time alone"),
        ),
        // Beside other expressions it may be read as an instant before.
        Holds::Texts if fill == Fill::Whole => return Some(Ok(Fate::Stays)),
        Holds::Texts | Holds::Integers | Holds::Shapes | Holds::Others => return None,
    };
    Some(text.map(Fate::Becomes).ok_or(refusal))
}

/// What becomes of an instant in an expression, or why it is not sent.
fn fate_elsewhere(
    instant: &Instant<'_>,
    reads_offsets: bool,
    statement: &str,
    is_compared: impl Fn() -> bool,
) -> Result<Fate, String> {
    let reading = instant.reading();
    if reads_offsets && reading == Reading::Astray && (instant.carries() || is_compared()) {
        return Err(
            "MySQL compares this instant as another one; write it in UTC, without an offset".to_owned()
        );
    }
    let is_read = if reads_offsets {
        reading == Reading::Meant && !has_times(statement)
    } else {
        // The zone that the server drops is that of the session.
        reading != Reading::Astray && instant.is_utc()
    };
    Ok(if is_read { Fate::Stays } else { Fate::InDoubt })
}

/// Commits, whatever happens to the call: a commit that is stopped halfway leaves its outcome open.
pub(super) async fn commit(connection: &mut Connection, state: &mut State) -> Result<(), Failure> {
    let committed = tokio::time::timeout(SETTLE, connection.driver.execute("COMMIT")).await;
    let Ok(done) = committed else {
        *state = State::Unknown;
        let silence = DatabaseError::new("the server did not answer to COMMIT");
        return Err(Failure::Ours(SourceError::OutcomeUnknown(silence)));
    };
    done.map(drop).map_err(Failure::Driver)
}
