//! Whether a routine reads its instants in another time zone than the session's, as far as the texts of routines tell.
//!
//! A `TIMESTAMP` is sent in the zone of the session at that moment. A zone that is set and stays shows at the end; one that is
//! set and set back shows in the text of the routine alone, which the server shows to those who may see it.

use std::{collections::HashSet, future::Future};

use sqlx::{Executor as _, Row as _};
use toolbox_source::{
    SourceError,
    scan::{Lexicon, Token, TokenKind, Tokens, items::is_name},
};

use super::{Failure, Running, State, aftermath::wrong};
use crate::{
    bind::Argument,
    cancel::Killer,
    connect::Connection,
    outs,
    plan::{Results, hint_sets_zone},
};

/// The zone, and whether any routine has to do with zones.
const ZONE: &str = "SELECT @@SESSION.time_zone, EXISTS(SELECT 1 FROM information_schema.ROUTINES \
     WHERE ROUTINE_SCHEMA NOT IN ('mysql', 'sys') AND ROUTINE_DEFINITION LIKE '%time_zone%')";

const ROUTINES: &str = "SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES \
     WHERE ROUTINE_SCHEMA NOT IN ('mysql', 'sys') AND ROUTINE_DEFINITION IS NOT NULL";

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Refuses the instants of an answer that may have been read in another zone than UTC.
    pub(super) async fn check_zone(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<(), Failure> {
        let row = self.step(killer, state, connection.driver.fetch_one(ZONE)).await?;
        let is_utc = row.try_get::<String, _>(0).map_err(Failure::Driver)? == "+00:00";
        let is_mentioned = row.try_get_unchecked::<i64, _>(1).map_err(Failure::Driver)? != 0;
        let plan = &self.call.plan;
        // What a function does while a row is read, it does before the row is sent.
        let may_differ = plan.results == Results::Any;
        // The text of an EXECUTE IMMEDIATE may be put together from its arguments; those of a procedure are its data.
        let runs_text = may_differ && outs::called(&plan.text).is_none();
        let is_shifted = !is_utc
            || runs_text && self.statement_sets_zone()
            || may_differ && is_mentioned && self.routines_set_zone(connection, killer, state).await?;
        if !is_shifted {
            return Ok(());
        }
        Err(wrong(
            "a routine sets time_zone, so the TIMESTAMPs of its answer cannot be told; leave that out, and use CONVERT_TZ",
        ))
    }

    fn statement_sets_zone(&self) -> bool {
        let is_in_argument =
            |argument: &Argument| matches!(argument, Argument::Text(text) if mentions_zone(text));
        sets_zone(&self.call.plan.text) || self.call.arguments.iter().any(is_in_argument)
    }

    async fn routines_set_zone(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<bool, Failure> {
        let rows = self.step(killer, state, connection.driver.fetch_all(ROUTINES)).await?;
        let read = |row: &sqlx::mysql::MySqlRow| {
            Ok((row.try_get_unchecked::<String, _>(0)?, row.try_get_unchecked::<String, _>(1)?))
        };
        let routines: Vec<_> =
            rows.iter().map(read).collect::<Result<_, sqlx::Error>>().map_err(Failure::Driver)?;
        Ok(reaches_zone(&self.call.plan.text, &routines))
    }
}

/// Whether a text sets `time_zone`, or holds a text that may.
fn sets_zone(text: &str) -> bool {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::MYSQL).collect();
    let sets = tokens.iter().enumerate().any(|(index, token)| {
        if token.kind == TokenKind::Text {
            return mentions_zone(token.text);
        }
        let next = tokens.get(index + 1);
        let is_set = next.is_some_and(|next| next.is_symbol("=") || next.is_symbol(":"));
        is_set && token.name().is_some_and(|name| name.eq_ignore_ascii_case("time_zone"))
    });
    sets || hint_sets_zone(text)
}

fn mentions_zone(text: &str) -> bool {
    text.to_ascii_lowercase().contains("time_zone")
}

/// Whether a statement calls a routine whose text has to do with zones, or one that calls such a routine.
fn reaches_zone(statement: &str, routines: &[(String, String)]) -> bool {
    let mut named = HashSet::new();
    let mut unread = vec![statement];
    while let Some(text) = unread.pop() {
        let words = Tokens::new(text, &Lexicon::MYSQL).filter(is_name).filter_map(|token| token.name());
        for name in words.map(|name| name.to_ascii_lowercase()) {
            if named.contains(&name) {
                continue;
            }
            for (_, body) in routines.iter().filter(|(routine, _)| routine.eq_ignore_ascii_case(&name)) {
                if sets_zone(body) {
                    return true;
                }
                unread.push(body);
            }
            named.insert(name);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::reaches_zone;

    #[test]
    fn a_routine_is_followed_to_those_that_it_calls() {
        let routine = |name: &str, body: &str| (name.to_owned(), body.to_owned());
        let routines = [
            routine("plain", "BEGIN SELECT t FROM s; END"),
            routine("Local", "BEGIN SET TIME_ZONE = 'Europe/Paris'; SELECT t FROM s; END"),
            routine("shown", "SELECT CONVERT_TZ(t, @@session.time_zone, 'UTC') FROM s"),
            routine(
                "dynamic",
                "BEGIN SET @s = 'set time_zone = ''+05:00'''; PREPARE p FROM @s; EXECUTE p; END",
            ),
            routine("hinted", "SELECT /*+ SET_VAR(time_zone = '+05:00') */ t FROM s"),
            routine("outer", "BEGIN CALL plain(); CALL `local`(); CALL outer(); END"),
        ];
        for (statement, expected) in [
            ("CALL plain()", false),
            ("CALL local()", true),
            ("CALL d.OUTER(1)", true),
            ("CALL plain('local')", false),
            ("CALL shown()", false),
            ("CALL dynamic()", true),
            ("CALL hinted()", true),
            ("CALL other()", false),
        ] {
            assert_eq!(reaches_zone(statement, &routines), expected, "{statement}");
        }
    }
}
