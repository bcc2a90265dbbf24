//! The arguments that a refused value may come from: those that go into its column, or into the parameter of a routine.

use std::future::Future;

use sqlx::{Executor as _, Row as _};
use tokio::time::Instant;
use toolbox_source::{
    SourceError,
    scan::{Lexicon, TokenKind, Tokens},
};

use super::{Failure, Running, State};
use crate::{
    bind::Argument,
    cancel::Killer,
    columns::{Holds, refuses},
    connect::Connection,
    error::{self, Rejected, Trouble},
    plan::{Called, Fill, Spot, Target, calls, tables, targets},
    recent::recently,
};

/// An argument that may be the one, as far as its place is concerned.
pub(super) struct Suspect {
    pub(super) index: usize,
    /// Whether the value is the argument, or the first of several that is not null; else it is made with it.
    pub(super) is_value: bool,
    /// Whether the type of the column has no room for it; none where that is not known, or not what was refused.
    pub(super) is_refused: Option<bool>,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Those that go into columns of these names.
    pub(super) async fn filling(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        rejected: &Rejected,
        names: &[String],
    ) -> Result<Vec<Suspect>, Failure> {
        let recently = recently(Instant::now());
        let mut found = Vec::new();
        for (index, target) in self.targets(connection).into_iter().enumerate() {
            let Some(target) = target.filter(|target| target.fill != Fill::Compared) else { continue };
            let is_other_row = rejected.row.zip(target.row).is_some_and(|(said, row)| said != row);
            let is_of = |argument: &Argument| rejected.kind.is_of(argument);
            if is_other_row || !self.sent_arguments.get(index).is_some_and(is_of) {
                continue;
            }
            let is_named = |name: &str| names.iter().any(|other| other.eq_ignore_ascii_case(name));
            if matches!(&target.column, Spot::Named(name) if !is_named(name)) {
                continue;
            }
            let column = self.column(connection, killer, state, &target, recently).await?;
            let name = match (&target.column, &column) {
                (Spot::Named(name), _) => Some(name),
                (Spot::Nth(_), column) => column.as_ref().map(|column| &column.name),
            };
            if !name.is_some_and(|name| is_named(name)) {
                continue;
            }
            let has_no_room = |argument: &Argument| column.and_then(|column| refuses(&column.kind, argument));
            found.push(Suspect {
                index,
                is_value: matches!(target.fill, Fill::Whole | Fill::First),
                is_refused: self.sent_arguments.get(index).and_then(has_no_room),
            });
        }
        Ok(found)
    }

    /// Those that are passed to procedures and functions for a parameter of this name.
    pub(super) async fn passed(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        rejected: &Rejected,
        name: &str,
    ) -> Result<Vec<Suspect>, Failure> {
        const QUESTION: &str = "SELECT ORDINAL_POSITION, DTD_IDENTIFIER FROM information_schema.PARAMETERS \
             WHERE SPECIFIC_SCHEMA = COALESCE(?, DATABASE()) AND SPECIFIC_NAME = ? AND PARAMETER_NAME = ?";
        let mut found: Vec<Suspect> = Vec::new();
        for called in calls(&self.call.plan.text).into_iter().filter(Called::may_be_stored) {
            let question = sqlx::query(QUESTION).bind(called.schema.as_deref()).bind(&called.name).bind(name);
            let Some(row) = self.step(killer, state, connection.driver.fetch_optional(question)).await?
            else {
                continue;
            };
            let place: u32 = row.try_get_unchecked(0).map_err(Failure::Driver)?;
            let kind: String = row.try_get_unchecked(1).map_err(Failure::Driver)?;
            let item = usize::try_from(place).ok().and_then(|place| called.items.get(place.checked_sub(1)?));
            for index in item.iter().flat_map(|item| &item.arguments).copied() {
                let argument =
                    self.sent_arguments.get(index).filter(|argument| rejected.kind.is_of(argument));
                found.extend(argument.map(|argument| Suspect {
                    index,
                    is_value: item.is_some_and(|item| item.is_argument),
                    is_refused: refuses(&kind, argument),
                }));
            }
        }
        Ok(found)
    }

    /// Those that a column surely refuses and that come to it by way of a query, and the JSON whose items may come to it.
    pub(super) async fn elsewhere(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        rejected: &Rejected,
        name: &str,
    ) -> Result<Vec<usize>, Failure> {
        let text = &self.call.plan.text;
        let tables = if self.call.plan.changes_rows { tables(text) } else { Vec::new() };
        if tables.is_empty() {
            return Ok(Vec::new());
        }
        let column = Spot::Named(name.to_owned());
        let target = Target { tables, column, row: None, fill: Fill::Inside };
        let column = self.column(connection, killer, state, &target, recently(Instant::now())).await?;
        let Some(column) = column else { return Ok(Vec::new()) };
        let is_refused = |index: &usize| {
            self.sent_arguments
                .get(*index)
                .is_some_and(|argument| refuses(&column.kind, argument) == Some(true))
        };
        let computed = self.computed(rejected);
        let refused: Vec<usize> = computed.iter().copied().filter(is_refused).collect();
        let listed = in_calls(text, "JSON_TABLE", Some(0)).unwrap_or_default();
        let among = if refused.is_empty() { listed } else { refused };
        Ok(computed.into_iter().filter(|index| among.contains(index)).collect())
    }

    /// Those that are the values of columns of geometry.
    pub(super) async fn shapeless(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<Vec<usize>, Failure> {
        let recently = recently(Instant::now());
        let mut meant = Vec::new();
        for (index, target) in self.targets(connection).into_iter().enumerate() {
            let Some(target) = target.filter(|target| target.fill == Fill::Whole) else { continue };
            let column = self.column(connection, killer, state, &target, recently).await?;
            if column.is_some_and(|column| column.holds == Holds::Shapes) {
                meant.push(index);
            }
        }
        Ok(meant)
    }

    fn targets(&self, connection: &Connection) -> Vec<Option<Target>> {
        let plan = &self.call.plan;
        if plan.changes_rows { targets(&plan.text, connection.quotes_names) } else { Vec::new() }
    }

    /// The columns of a unique key of the one table that the statement writes.
    pub(super) async fn columns_of_key(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        key: &str,
    ) -> Result<Vec<String>, Failure> {
        let tables = tables(&self.call.plan.text);
        let [table] = tables.as_slice() else { return Ok(Vec::new()) };
        let question = sqlx::AssertSqlSafe(format!("SHOW INDEX FROM {table}"));
        let rows = match self.step(killer, state, connection.driver.fetch_all(question)).await {
            Ok(rows) => rows,
            // The account may not see it.
            Err(Failure::Driver(error)) if error::trouble(&error) == Trouble::Refused => {
                return Ok(Vec::new());
            }
            Err(failure) => return Err(failure),
        };
        let column = |row: &sqlx::mysql::MySqlRow| {
            let name: String = row.try_get_unchecked(2)?;
            let column: Option<String> = row.try_get_unchecked(4)?;
            Ok(column.filter(|_| name.eq_ignore_ascii_case(key)))
        };
        rows.iter()
            .filter_map(|row| column(row).transpose())
            .collect::<Result<_, _>>()
            .map_err(Failure::Driver)
    }

    /// The names in the condition of a constraint.
    pub(super) async fn columns_of_check(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        constraint: &str,
    ) -> Result<Vec<String>, Failure> {
        const QUESTION: &str = "SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS \
             WHERE CONSTRAINT_SCHEMA = DATABASE() AND CONSTRAINT_NAME = ?";
        let asking = connection.driver.fetch_all(sqlx::query(QUESTION).bind(constraint));
        let mut names = Vec::new();
        for row in self.step(killer, state, asking).await? {
            let clause: String = row.try_get_unchecked(0).map_err(Failure::Driver)?;
            let words = Tokens::new(&clause, &Lexicon::MYSQL).filter(|token| token.kind != TokenKind::Text);
            names.extend(words.filter_map(|word| Some(word.name()?.into_owned())));
        }
        Ok(names)
    }
}

/// The arguments in the calls of a function, or in one of the items of each; none if the statement does not call it.
pub(super) fn in_calls(statement: &str, name: &str, item: Option<usize>) -> Option<Vec<usize>> {
    let mut found = None;
    for called in calls(statement).into_iter().filter(|called| called.name.eq_ignore_ascii_case(name)) {
        let items = match item.and_then(|item| called.items.get(item)) {
            Some(item) => std::slice::from_ref(item),
            None => called.items.as_slice(),
        };
        let arguments = items.iter().flat_map(|item| item.arguments.iter().copied());
        found.get_or_insert_with(Vec::new).extend(arguments);
    }
    found
}
