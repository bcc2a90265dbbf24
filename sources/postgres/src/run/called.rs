//! Calls of procedures that answer with a type that sqlx does not know: a multirange. A CALL stands in no other statement, and
//! the protocol with parameters makes sqlx ask for the types of what it answers. So such a CALL runs in the simple protocol,
//! which has no parameters: its arguments become settings of the session, read in their places, and what it answers in the
//! server's text form goes back to be cast.
//!
//! Nothing of it is remembered, for nothing tells in that protocol that a procedure has changed.

use std::{future::Future, sync::Arc};

use sqlx::{
    Arguments as _, AssertSqlSafe, Executor as _, Row as _,
    postgres::{PgArguments, PgTypeInfo, types::Oid},
};
use toolbox_source::scan::{Lexicon, Tokens};

use super::{Failure, Running, describe::Description, prepare::unless, unknown::Lost};
use crate::{
    bind,
    places::with_placeholders,
    prepared::{Plain, Prepared},
};

/// The parameters through which the one procedure of this name answers, if all of them have types of their own.
const ANSWERS: &str = "\
SELECT coalesce(nullif(p.proargnames[a.place], ''), 'column' || pg_catalog.row_number() OVER (ORDER BY a.place)), a.number::pg_catalog.int8,
  pg_catalog.format('%I.%I', s.nspname, t.typname), pg_catalog.bool_or(t.typtype = 'p') OVER ()
FROM pg_catalog.pg_proc p CROSS JOIN LATERAL pg_catalog.unnest(p.proallargtypes) WITH ORDINALITY AS a(number, place)
JOIN pg_catalog.pg_type t ON t.oid = a.number JOIN pg_catalog.pg_namespace s ON s.oid = t.typnamespace
WHERE p.oid = pg_catalog.to_regproc($1) AND p.proargmodes[a.place] IN ('o', 'b') ORDER BY a.place";

impl<H: Future<Output = super::SourceError>> Running<'_, H> {
    /// Describes a CALL that sqlx has lost; `None` if it is not known what it answers.
    pub(super) async fn describe_call(
        &mut self,
        text: &Arc<str>,
        lost: &Lost,
    ) -> Result<Option<Description>, Failure> {
        let Some(name) = called(text) else { return Ok(None) };
        let asked = self.connection.driver.fetch_all(sqlx::query(ANSWERS).bind(name));
        let rows = unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)?;
        let mut plain = Plain { parameters: lost.names.clone(), columns: Vec::with_capacity(rows.len()) };
        let mut columns = Vec::with_capacity(rows.len());
        for row in &rows {
            if row.try_get(3).map_err(Failure::Driver)? {
                return Ok(None);
            }
            let number: i64 = row.try_get(1).map_err(Failure::Driver)?;
            columns.push((row.try_get(0).map_err(Failure::Driver)?, u32::try_from(number).unwrap_or(0)));
            plain.columns.push(row.try_get(2).map_err(Failure::Driver)?);
        }
        let parameters = lost.numbers.iter().map(|number| PgTypeInfo::with_oid(Oid(*number))).collect();
        let description = Description {
            text: text.clone(),
            columns,
            parameters,
            plain: Some(plain),
            ..Description::default()
        };
        Ok((!rows.is_empty()).then_some(description))
    }

    /// Sets the arguments, and the text that reads them.
    pub(super) async fn set_arguments(
        &mut self,
        prepared: &Prepared,
        plain: &Plain,
    ) -> Result<String, Failure> {
        let texts = bind::texts(&self.call.arguments, &prepared.parameters).map_err(Failure::Ours)?;
        let mut arguments = PgArguments::default();
        let mut settings = Vec::new();
        for (place, text) in texts.iter().enumerate() {
            let Some(text) = text else { continue };
            arguments.add(text).map_err(|error| Failure::Driver(sqlx::Error::Encode(error)))?;
            let number = settings.len() + 1;
            settings.push(format!("pg_catalog.set_config('{}', ${number}, false)", setting(place)));
        }
        if !settings.is_empty() {
            let sql = AssertSqlSafe(format!("SELECT {}", settings.join(", ")));
            let setting = self.connection.driver.execute(sqlx::query_with(sql, arguments));
            unless(self.halt.as_mut(), setting).await?.map_err(Failure::Driver)?;
        }
        let (text, shift) = with_placeholders(&prepared.text, |place, _| {
            let of = plain.parameters.get(place)?;
            Some(match texts.get(place)? {
                Some(_) => format!("(pg_catalog.current_setting('{}')::{of})", setting(place)),
                None => format!("(NULL::{of})"),
            })
        });
        self.shift = shift;
        Ok(text)
    }
}

/// The setting that holds an argument. The session is reset after every CALL.
fn setting(place: usize) -> String {
    format!("toolbox.argument_{}", place + 1)
}

/// The name of the procedure that a text calls, as it is spelled.
fn called(text: &str) -> Option<&str> {
    let mut tokens = Tokens::new(text, &Lexicon::POSTGRES);
    let verb = tokens.next().filter(|verb| verb.is_word("CALL"))?;
    let open = tokens.find(|token| token.is_symbol("("))?;
    text.get(verb.end()..open.start).map(str::trim)
}
