//! Which arguments the server has refused. It says so of a value that its parameter cannot hold, but not of one that the column
//! refuses, or a function, or a cast in the statement. Then each that may be the one is tried alone, in what the statement makes of
//! it; of those that are mixed with columns those are named of which the refused value is made.

use std::{collections::BTreeSet, future::Future, ops::Range};

use sqlx::postgres::PgConnection;
use toolbox_source::{SourceError, Value, scan::places::Place};

use super::{
    Call, Failure, Running,
    blame::{Blame, Suspect},
    columns::{Column, columns, columns_of_constraint, columns_of_partition},
    prepare::unless,
    shown::Shown,
    trial::{Outcome, Trial},
};
use crate::{
    bind, error,
    places::Shift,
    plan::{Filling, Part, Standing, Target, Targets, standings, targets},
    prepared::Prepared,
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// The error that names the arguments that this one is about, if they are found.
    pub(super) async fn refused(
        &mut self,
        refused: &sqlx::Error,
        known: &Prepared,
    ) -> Result<Option<SourceError>, Failure> {
        if error::refused_argument(refused).is_some() {
            return Ok(None);
        }
        let searching = search(self.call, refused, known, &mut self.connection.driver);
        let mut found = unless(self.halt.as_mut(), searching).await?.map_err(Failure::Driver)?;
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return Ok(None);
        }
        Ok(Some(error::arguments(&found, error::database_error(refused, &Shift::default()))))
    }
}

async fn search(
    call: &Call,
    refused: &sqlx::Error,
    known: &Prepared,
    driver: &mut PgConnection,
) -> Result<Vec<usize>, sqlx::Error> {
    let mut trial = Trial::new(call, refused, known, driver);
    for (index, (parameter, argument)) in known.parameters.iter().zip(&call.arguments).enumerate() {
        let name = match &known.plain {
            Some(plain) => plain.parameters.get(index).map(String::as_str),
            None => parameter.is_cast.then_some(&*parameter.name),
        };
        let text = bind::text_to_cast(argument, &parameter.kind);
        if let (Some(name), Some(text)) = (name, text)
            && trial.is_no_text_of(name, text).await?
        {
            return Ok(vec![index]);
        }
    }
    let Some(said) = error::refused(refused) else { return Ok(Vec::new()) };
    let targets = targets(&call.statement, call.plan.form);
    let columns = match &targets {
        Some(targets) if !targets.fillings.is_empty() => columns(&targets.table, trial.driver()).await?,
        _ => Vec::new(),
    };
    let blame = Blame::new(&call.statement, &call.arguments, said);
    let mut search = Search { call, targets, columns, blame, trial };
    search.run().await
}

struct Search<'r> {
    call: &'r Call,
    targets: Option<Targets>,
    /// The columns of the table that is written, if arguments go into some.
    columns: Vec<Column>,
    blame: Blame<'r>,
    trial: Trial<'r>,
}

/// What the expressions around one place of an argument are.
enum Around {
    /// One that fails alone.
    Guilty(Range<usize>),
    /// One without columns, which does not.
    Fine(Range<usize>),
    /// There are columns in them, or what nobody tries.
    Open,
}

impl Search<'_> {
    async fn run(&mut self) -> Result<Vec<usize>, sqlx::Error> {
        if let Some(column) = self.blame.column_without_nulls() {
            return Ok(self.blame.of_null(&self.suspects(), column));
        }
        if let (Some(table), Some(targets)) = (self.blame.broken(), &self.targets) {
            let names = match self.blame.constraint() {
                Some(constraint) => {
                    let of = (table.0, table.1, constraint);
                    columns_of_constraint(&targets.table, of, self.trial.driver()).await?
                }
                None => columns_of_partition(&targets.table, table, self.trial.driver()).await?,
            };
            return self.of_broken(&names).await;
        }
        let standings = standings(&self.call.statement);
        if let Some(found) = self.blame.of_counts(&standings) {
            return Ok(found);
        }
        let mut guilty: Vec<(usize, Range<usize>)> = Vec::new();
        let mut open = BTreeSet::new();
        for standing in &standings {
            if self.call.arguments.get(standing.parameter).is_none_or(|argument| *argument == Value::Null)
                && !self.blame.is_of_domain()
            {
                continue;
            }
            match self.around(standing).await? {
                Around::Guilty(unit) => guilty.push((standing.parameter, unit)),
                Around::Fine(unit) => {
                    if let Some(unit) = self.of_column(standing, Some(&unit)).await? {
                        guilty.push((standing.parameter, unit));
                    } else if self.may_flow(standing) {
                        open.insert(standing.parameter);
                    }
                }
                Around::Open => {
                    if let Some(unit) = self.of_column(standing, None).await? {
                        guilty.push((standing.parameter, unit));
                    } else if !self.is_chosen(standing) && !self.blame.is_aside(standing.part) {
                        open.insert(standing.parameter);
                    }
                }
            }
        }
        if !guilty.is_empty() {
            return Ok(self.blame.narrowest(&guilty));
        }
        self.blame.open = open;
        let suspects = self.suspects();
        let others: Vec<&str> = self
            .others()
            .into_iter()
            .filter_map(|target| self.column(target))
            .map(|column| column.kind.as_str())
            .collect();
        Ok(if suspects.is_empty() {
            self.blame.of_the_rest()
        } else {
            self.blame.of_types(&suspects, &others)
        })
    }

    fn fillings(&self) -> &[Filling] {
        self.targets.as_ref().map_or(&[], |targets| &targets.fillings)
    }

    fn others(&self) -> Vec<&Target> {
        self.targets.iter().flat_map(|targets| &targets.others).collect()
    }

    fn column(&self, target: &Target) -> Option<&Column> {
        match target {
            Target::Named(name) => self.columns.iter().find(|column| column.name == *name),
            Target::Numbered(place) => self.columns.get(*place),
        }
    }

    /// The arguments that go into columns.
    fn suspects(&self) -> Vec<Suspect<'_>> {
        let suspect = |filling: &Filling| {
            let column = self.column(&filling.target)?;
            let (index, is_whole) = (filling.parameter, filling.is_whole);
            let suspect =
                Suspect { index, column: &column.name, kind: &column.kind, is_whole, at: filling.at };
            (!self.blame.is_condition(&suspect)).then_some(suspect)
        };
        self.fillings().iter().filter_map(suspect).collect()
    }

    fn filling(&self, standing: &Standing) -> Option<&Filling> {
        let at = standing.units.last()?.start;
        self.fillings().iter().find(|filling| filling.at == at)
    }

    fn is_chosen(&self, standing: &Standing) -> bool {
        let at = standing.units.last().map_or(0, |unit| unit.start);
        matches!(self.blame.place_at(at), Some(Place::Chosen | Place::ChosenToCompare))
    }

    /// Whether a value may get into a column by a way that is not seen.
    fn may_flow(&self, standing: &Standing) -> bool {
        self.targets.is_some() && standing.part == Part::Value && self.filling(standing).is_none()
    }

    /// What the expressions around an argument are, from the inside.
    async fn around(&mut self, standing: &Standing) -> Result<Around, sqlx::Error> {
        let mut last = Around::Open;
        for (depth, unit) in standing.units.iter().rev().enumerate() {
            // The server has taken the argument itself.
            let outcome = if depth == 0 { Outcome::Fine(None) } else { self.trial.outcome(unit).await? };
            last = match outcome {
                Outcome::Guilty => return Ok(Around::Guilty(unit.clone())),
                Outcome::Fine(_) => Around::Fine(unit.clone()),
                Outcome::Open => return Ok(Around::Open),
                Outcome::Unknown => Around::Open,
            };
        }
        Ok(last)
    }

    /// The expression that the column refuses which it goes into: this one, or the argument alone where it is chosen.
    async fn of_column(
        &mut self,
        standing: &Standing,
        closed: Option<&Range<usize>>,
    ) -> Result<Option<Range<usize>>, sqlx::Error> {
        let Some((place, is_whole)) = self.place(standing).filter(|_| standing.part == Part::Value) else {
            return Ok(None);
        };
        let own = standing.units.last().filter(|_| self.is_chosen(standing));
        let Some(column) = self.columns.get(place) else { return Ok(None) };
        // The argument already is of the column's type.
        if is_whole && !column.is_limited() {
            return Ok(None);
        }
        for unit in own.into_iter().chain(closed) {
            if self.trial.stored(unit, column).await? == Outcome::Guilty {
                return Ok(Some(unit.clone()));
            }
        }
        Ok(None)
    }

    /// The column that an argument goes into, by its place in the table, and whether it is the whole value.
    fn place(&self, standing: &Standing) -> Option<(usize, bool)> {
        let filling = self.filling(standing)?;
        let column = self.column(&filling.target)?;
        let place = self.columns.iter().position(|other| other.name == column.name)?;
        Some((place, filling.is_whole))
    }

    /// Those in the columns of a constraint, without those whose value is another than the one that the server shows.
    async fn of_broken(&mut self, names: &[String]) -> Result<Vec<usize>, sqlx::Error> {
        let is_named = |suspect: &&Suspect<'_>| names.iter().any(|name| name == suspect.column);
        let places: BTreeSet<usize> =
            self.suspects().iter().filter(is_named).map(|suspect| suspect.at).collect();
        let mut found = Vec::new();
        for standing in standings(&self.call.statement) {
            let is_suspect = standing.units.last().is_some_and(|unit| places.contains(&unit.start));
            if is_suspect && self.blame.is_given(standing.parameter) && !self.is_denied(&standing).await? {
                found.push(standing.parameter);
            }
        }
        Ok(found)
    }

    /// Whether the server shows another value in the column of this one.
    async fn is_denied(&mut self, standing: &Standing) -> Result<bool, sqlx::Error> {
        let (Some(shown), Some((place, _))) = (Shown::read(self.blame.detail()), self.place(standing)) else {
            return Ok(false);
        };
        if self.is_chosen(standing) {
            return Ok(false);
        }
        let Around::Fine(unit) = self.around(standing).await? else { return Ok(false) };
        let Some(column) = self.columns.get(place) else { return Ok(false) };
        let Outcome::Fine(Some(value)) = self.trial.stored(&unit, column).await? else { return Ok(false) };
        let columns = self.columns.iter().map(|column| column.name.as_str());
        Ok(shown.denies(&column.name, columns, &value))
    }
}
