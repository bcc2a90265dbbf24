//! What comes before a statement is sent: the transaction, its columns and the types of its arguments.

use std::{future::Future, pin::Pin, sync::Arc};

use sqlx::{
    AssertSqlSafe, Column as _, Either, Executor as _, SqlSafeStr as _, Statement as _, TypeInfo as _,
    postgres::{PgStatement, PgTypeInfo},
};
use toolbox_source::{Column, Event, SourceError};

use super::{Failure, Running, State};
use crate::{
    error::{self, Trouble},
    kind::Kind,
    plan::{Form, Scope},
    prepared::Prepared,
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Begins the transaction, if there is to be one, and prepares the statement, if the connection does not know it. The
    /// columns of one that it knows are sent only with the server's first answer, because the schema may have changed.
    pub(super) async fn prepare(&mut self) -> Result<Prepared, Failure> {
        if self.call.plan.scope == Scope::ReadOnlyTransaction {
            let begin = self.connection.driver.execute("BEGIN READ ONLY");
            unless(self.halt.as_mut(), begin).await?.map_err(Failure::Driver)?;
        }
        let text = &self.call.statement;
        let known = self.connection.statements.get(text);
        let is_new = known.is_none();
        let prepared = match known {
            Some(known) => known,
            None => self.prepare_new().await?,
        };
        self.check_count(&prepared)?;
        if is_new {
            self.connection.statements.insert(text.clone(), prepared.clone());
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
        let text = self.call.statement.clone();
        let own = self.describe(text.clone()).await?.map_err(multirange)?;
        let kinds: Vec<Kind> = own.columns().iter().map(|column| Kind::of(column.type_info())).collect();
        let names: Vec<String> = own.columns().iter().map(|column| column.name().to_owned()).collect();
        if kinds.iter().all(Kind::is_native) {
            return Ok(prepared(text, 0, &names, kinds, &own));
        }
        let (around, shift) = rendered(&text, self.call.plan.form, &kinds);
        if let Some(around) = around {
            // A text that the server does not take in there is reported by its column.
            match self.describe(Arc::from(around.as_str())).await? {
                Ok(projection) => {
                    let kinds =
                        projection.columns().iter().map(|column| Kind::of(column.type_info())).collect();
                    return Ok(prepared(Arc::from(around), shift, &names, kinds, &projection));
                }
                Err(error) if error::trouble(&error) != Trouble::Other => return Err(Failure::Driver(error)),
                Err(_) => {}
            }
        }
        let (column, kind) = own
            .columns()
            .iter()
            .find(|column| !Kind::of(column.type_info()).is_native())
            .map(|column| (column.name().to_owned(), column.type_info().name().to_owned()))
            .unwrap_or_default();
        let message =
            format!("its type {kind} cannot be read in this form of statement; write it as {column}::text");
        Err(Failure::Ours(SourceError::Column { column, message }))
    }

    async fn describe(&mut self, text: Arc<str>) -> Result<Result<PgStatement, sqlx::Error>, Failure> {
        let sql = AssertSqlSafe(text).into_sql_str();
        unless(self.halt.as_mut(), self.connection.driver.prepare(sql)).await
    }

    /// Sends the columns, if there are any and nobody has yet.
    pub(super) async fn announce(&mut self, columns: &Arc<[Column]>) -> Result<(), Failure> {
        match &self.announced {
            Some(announced) if announced == columns => Ok(()),
            Some(_) => {
                let message = "the columns changed while the statement was prepared; call it again";
                Err(Failure::Ours(SourceError::Database(error::failure(message))))
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

fn prepared(
    text: Arc<str>,
    shift: usize,
    names: &[String],
    kinds: Vec<Kind>,
    statement: &PgStatement,
) -> Prepared {
    let columns =
        names.iter().zip(&kinds).map(|(name, kind)| Column { name: name.clone(), kind: kind.column() });
    let parameters = match statement.parameters() {
        Some(Either::Left(types)) => types.to_vec(),
        _ => Vec::<PgTypeInfo>::new(),
    };
    Prepared { text, shift, columns: columns.collect(), kinds: kinds.into(), parameters: parameters.into() }
}

/// A statement around the caller's in which the server renders the columns that only it can, as text; arrays of them as
/// arrays of text. The line break ends a comment at the end of the caller's text.
fn rendered(text: &str, form: Form, kinds: &[Kind]) -> (Option<String>, usize) {
    let names: Vec<String> = (1..=kinds.len()).map(|number| format!("c{number}")).collect();
    let cells: Vec<String> = names
        .iter()
        .zip(kinds)
        .map(|(name, kind)| match kind {
            kind if kind.is_native() => name.clone(),
            Kind::Array(..) => format!("{name}::text[]"),
            _ => format!("{name}::text"),
        })
        .collect();
    let (names, cells) = (names.join(", "), cells.join(", "));
    let text = text.trim_end_matches(|character: char| character.is_whitespace() || character == ';');
    let (before, after) = match form {
        Form::Query => (format!("SELECT {cells} FROM ("), format!("\n) AS r({names})")),
        Form::DataChange => (format!("WITH r({names}) AS ("), format!("\n) SELECT {cells} FROM r")),
        Form::Other => return (None, 0),
    };
    let shift = before.chars().count();
    (Some(format!("{before}{text}{after}")), shift)
}

/// sqlx cannot prepare a statement with a multirange: it does not know that kind of type.
fn multirange(error: sqlx::Error) -> Failure {
    let unknown_kind = error.as_database_error().is_none()
        && !matches!(error, sqlx::Error::Io(_))
        && error.to_string().contains("type code");
    if unknown_kind {
        let message = "the statement has a column or an argument of a multirange type, which is not read here; write the \
                       column as column::text and the argument as $1::text::the_type";
        return Failure::Stopped(SourceError::Refused(message.to_owned()), State::Unknown);
    }
    Failure::Driver(error)
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
