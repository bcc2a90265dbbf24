//! What comes before a statement is sent: the transaction, its columns and the types of its arguments.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use sqlx::{
    Executor as _,
    postgres::{PgTypeInfo, types::Oid},
};
use tokio::time::Instant;
use toolbox_source::{Column, ColumnKind, DatabaseError, Event, SourceError};

use super::{
    Failure, Running, State,
    describe::Description,
    unknown::{unreadable, unreadable_of_call},
};
use crate::{
    error::{self, Trouble},
    kind::{Kind, TEXT},
    plan::{Form, Scope},
    prepared::{Guard, Parameter, Prepared, Rendering},
    project,
    types::Types,
};

/// For how long a list of columns is taken from an earlier preparation.
const LISTED: Duration = Duration::from_secs(1);

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Begins the transaction, if there is to be one, and prepares the statement, if the connection does not know it. The
    /// columns of one that it knows are sent only with the server's first answer, because the schema may have changed.
    pub(super) async fn prepare(&mut self) -> Result<Prepared, Failure> {
        let known = self.connection.statements.get(&self.call.statement, &self.call.declared);
        let listed = known.and_then(|known| known.listed);
        if listed.is_some_and(|learned| learned.elapsed() >= LISTED) {
            unless(self.halt.as_mut(), self.connection.forget()).await?.map_err(Failure::Driver)?;
        }
        if self.call.plan.scope == Scope::ReadOnlyTransaction {
            let begin = self.connection.driver.execute("BEGIN READ ONLY");
            unless(self.halt.as_mut(), begin).await?.map_err(Failure::Driver)?;
        }
        let text = &self.call.statement;
        let known = self.connection.statements.get(text, &self.call.declared);
        self.is_known = known.is_some();
        let prepared = match known {
            Some(known) => known,
            None => self.prepare_new().await?,
        };
        if !self.is_known && prepared.plain.is_none() {
            self.connection.statements.insert(text, &self.call.declared, prepared.clone());
        }
        self.check_count(&prepared)?;
        let prepared = self.secured(prepared).await?;
        if !self.is_known {
            self.announce(&prepared.columns).await?;
        }
        Ok(prepared)
    }

    fn check_count(&self, prepared: &Prepared) -> Result<(), Failure> {
        let (takes, given) = (prepared.parameters.len(), self.call.arguments.len());
        if takes == given {
            return Ok(());
        }
        let message = format!(
            "the statement takes {takes} argument{}, but {given} {} given",
            if takes == 1 { "" } else { "s" },
            if given == 1 { "is" } else { "are" }
        );
        Err(Failure::Ours(SourceError::Refused(message)))
    }

    async fn prepare_new(&mut self) -> Result<Prepared, Failure> {
        if self.connection.statements.are_many() {
            unless(self.halt.as_mut(), self.connection.forget()).await?.map_err(Failure::Driver)?;
        }
        let again = "\n".repeat(self.connection.statements.variants(&self.call.statement));
        let own = self.describe_own(variant(&self.call.statement, &again)).await?;
        let types = self.load(&own).await?;
        let own = self.with_casts(own, &types).await?;
        let kinds: Vec<Kind> = own.columns.iter().map(|(_, number)| types.kind(*number)).collect();
        let columns = columns(&own, &kinds);
        if let Some(plain) = own.plain.clone() {
            let cell = |place: usize| {
                let of = plain.columns.get(place).map_or("pg_catalog.text", String::as_str);
                format!("(${}::pg_catalog.text::{of})", place + 1)
            };
            let text = vec![PgTypeInfo::with_oid(Oid(TEXT)); own.columns.len()];
            let rendering = rendering(&kinds, text, cell);
            let sent = vec![Kind::Bytea; own.columns.len()];
            let prepared = prepared(&own, columns, sent, &own, &types);
            return Ok(Prepared { rendering: Some(rendering), plain: Some(Arc::new(plain)), ..prepared });
        }
        let holds_fields = kinds.iter().any(project::holds_fields);
        if own.runs && !holds_fields && kinds.iter().all(Kind::is_native) {
            return Ok(prepared(&own, columns, kinds, &own, &types));
        }
        if let Some(projection) =
            project::project(&own.text, self.call.plan.form, &kinds, &types, self.ways.plain_records)
        {
            // A text that the server does not take in there is reported by its column.
            match self.describe(variant(&Arc::from(projection.text), &again), own.told.clone()).await? {
                Ok(around) => {
                    let around = Description { casts: own.casts.clone(), ..around };
                    let types = self.load(&around).await?;
                    let prepared = prepared(&own, columns, projection.kinds, &around, &types);
                    let shift = prepared.shift.and(&projection.shift);
                    let listed = Some(Instant::now());
                    return Ok(Prepared { shift, listed, checks: projection.checks, ..prepared });
                }
                Err(error) if error::is_of_unknown_type(&error) => return Err(unreadable()),
                Err(error) if error::trouble(&error) != Trouble::Other => return Err(Failure::Driver(error)),
                Err(_) => {}
            }
        }
        if own.runs && kinds.iter().all(Kind::is_native) {
            return Ok(prepared(&own, columns, kinds, &own, &types));
        }
        if own.runs
            && self.call.plan.form == Form::Call
            && own.columns.iter().all(|(_, of)| types.can_return(*of))
        {
            let numbers = own.columns.iter().map(|(_, number)| PgTypeInfo::with_oid(Oid(*number)));
            let rendering = rendering(&kinds, numbers.collect(), |place| format!("(${})", place + 1));
            let sent = vec![Kind::Bytea; own.columns.len()];
            let prepared = prepared(&own, columns, sent, &own, &types);
            return Ok(Prepared { rendering: Some(rendering), ..prepared });
        }
        let foreign = own.columns.iter().zip(&kinds).find(|(_, kind)| !kind.is_native());
        let (column, name) = foreign.map_or_else(Default::default, |((column, number), _)| {
            (column.clone(), types.name(*number).unwrap_or("record").to_owned())
        });
        if self.call.plan.form == Form::Call {
            return Err(Failure::Ours(unreadable_of_call(column, &name)));
        }
        // The server's name for an expression without one.
        let cast = if column == "?column?" { "(the expression)" } else { column.as_str() };
        let message =
            format!("its type {name} cannot be read in this form of statement; write it as {cast}::text");
        Err(Failure::Ours(SourceError::Column { column, message }))
    }

    async fn load(&mut self, description: &Description) -> Result<Types, Failure> {
        let columns = description.columns.iter().map(|(_, number)| *number);
        let parameters = description.parameters.iter().filter_map(|of| of.oid().map(|oid| oid.0));
        let casts = description.casts.iter().map(|cast| cast.number);
        let numbers = columns.chain(parameters).chain(casts);
        let loading = Types::load(numbers, &mut self.connection.driver);
        unless(self.halt.as_mut(), loading).await?.map_err(Failure::Driver)
    }

    /// Sends the columns, if there are any and nobody has yet.
    pub(super) async fn announce(&mut self, columns: &Arc<[Column]>) -> Result<(), Failure> {
        match &self.announced {
            Some(announced) if announced == columns => Ok(()),
            Some(_) => {
                let message = "the columns changed while the statement was prepared; call it again";
                Err(Failure::Ours(SourceError::Database(DatabaseError::new(message))))
            }
            None => {
                self.announced = Some(columns.clone());
                if columns.is_empty() {
                    return Ok(());
                }
                let send = self.events.send(Event::Columns(columns.clone()));
                unless(self.halt.as_mut(), send).await?.map_err(|gone| Failure::Stopped(gone, State::Unknown))
            }
        }
    }
}

/// The caller's columns. Those that the server sends as JSON say so.
fn columns(own: &Description, kinds: &[Kind]) -> Arc<[Column]> {
    let column = |((name, _), kind): (&(String, u32), &Kind)| {
        let kind = if project::is_sent_as_json(kind) { ColumnKind::Json } else { kind.column() };
        Column { name: name.clone(), kind }
    };
    own.columns.iter().zip(kinds).map(column).collect()
}

/// A query that renders a row of cells of these types, which it takes as the expressions `cell`. sqlx knows a statement by its
/// text, so the text names the types.
fn rendering(kinds: &[Kind], types: Vec<PgTypeInfo>, cell: impl Fn(usize) -> String) -> Arc<Rendering> {
    let (row, kinds) = project::row(kinds, cell);
    let numbers: Vec<String> =
        types.iter().map(|of| of.oid().map_or(0, |Oid(number)| number).to_string()).collect();
    let text = format!("{row} /* of {} */", numbers.join(", "));
    Arc::new(Rendering { text: Arc::from(text), types, kinds })
}

/// sqlx and the server know a statement by its text, so one text for other types of parameters gets line breaks at its end.
fn variant(text: &Arc<str>, again: &str) -> Arc<str> {
    if again.is_empty() { text.clone() } else { Arc::from(format!("{text}{again}")) }
}

/// The statement of the caller that runs as `runs`.
fn prepared(
    own: &Description,
    columns: Arc<[Column]>,
    kinds: Vec<Kind>,
    runs: &Description,
    types: &Types,
) -> Prepared {
    let parameter = |(place, of): (usize, &PgTypeInfo)| {
        let cast = own.casts.iter().find(|cast| cast.place == place);
        let number = cast.map_or_else(|| of.oid().map_or(0, |oid| oid.0), |cast| cast.number);
        let name = cast.map_or_else(|| Arc::from(types.name_of(number, of)), |cast| cast.name.clone());
        let kind = types.kind(number);
        Parameter { of: of.clone(), number, kind, name, is_cast: cast.is_some() }
    };
    let parameters = runs.parameters.iter().enumerate().map(parameter).collect();
    Prepared {
        text: runs.text.clone(),
        shift: own.shift.clone(),
        columns,
        kinds: kinds.into(),
        listed: None,
        checks: false,
        rendering: None,
        plain: None,
        parameters,
        told: runs.told.as_slice().into(),
        guard: Guard::Unmade,
        verified: Instant::now(),
    }
}

/// What a step yields, unless there is a reason to stop first. Then nobody knows what the connection is in the middle of.
pub(super) async fn unless<T>(
    halt: Pin<&mut impl Future<Output = SourceError>>,
    step: impl Future<Output = T>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        reason = halt => Err(Failure::Stopped(reason, State::Unknown)),
        result = step => Ok(result),
    }
}
