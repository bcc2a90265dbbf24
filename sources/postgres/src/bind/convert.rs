//! Texts that only the server turns into the binary form of a type.

use sqlx::{
    Arguments as _, AssertSqlSafe, Executor as _, Row as _, ValueRef as _,
    postgres::{PgArguments, PgConnection},
};
use toolbox_source::DatabaseError;

use super::zone;
use crate::{error, places::Shift, prepared::Parameter};

/// The number of the type `char(n)[]`, which a cast to `char[]` would cut.
const CHARACTERS: u32 = 1014;
/// The numbers of `"char"[]` and `bit(n)[]`, of which no cast from a text is exact.
const BYTES: u32 = 1002;
const BITS: u32 = 1561;
/// The number of `regclass`, to which a cast from a text takes names alone, and no numbers.
const REGCLASS: u32 = 2205;

/// Why a text has no binary form.
pub(super) enum Conversion {
    /// The type does not take it.
    Refused(DatabaseError),
    /// The server could not be asked.
    Driver(sqlx::Error),
}

/// Makes sure that the server loses no zone where the statement casts a text to its type.
pub(super) async fn check_cast(
    text: &[u8],
    parameter: &Parameter,
    driver: &mut PgConnection,
) -> Result<(), Conversion> {
    let Some((text, kept)) =
        str::from_utf8(text).ok().and_then(|text| Some((text, zone::kept_by_cast(parameter, text)?)))
    else {
        return Ok(());
    };
    let question = sqlx::query(AssertSqlSafe(format!("SELECT {kept}"))).bind(text);
    match driver.fetch_one(question).await {
        Ok(row) if row.try_get::<bool, _>(0).map_err(Conversion::Driver)? => Ok(()),
        Ok(_) => Err(Conversion::Refused(DatabaseError::new(zone::lost(&parameter.kind)))),
        Err(error) if error::refuses_value(&error) => {
            Err(Conversion::Refused(error::database_error(&error, &Shift::default())))
        }
        Err(error) => Err(Conversion::Driver(error)),
    }
}

/// Lets the server turn a text into the binary form of a type.
pub(super) async fn convert(
    text: String,
    parameter: &Parameter,
    driver: &mut PgConnection,
) -> Result<Option<Vec<u8>>, Conversion> {
    let mut arguments = PgArguments::default();
    let name = match parameter.number {
        CHARACTERS => "bpchar[]",
        BYTES | BITS => {
            return Err(Conversion::Refused(DatabaseError::new(
                "an array of this type is taken only as a list",
            )));
        }
        _ => parameter.name.as_ref(),
    };
    arguments
        .add(text.as_str())
        .map_err(|error| Conversion::Refused(DatabaseError::new(&error.to_string())))?;
    // The name comes from the catalog of the server, quoted where it must be.
    let sql = AssertSqlSafe(match parameter.number {
        REGCLASS => "SELECT pg_catalog.regclassin(pg_catalog.textout($1))".to_owned(),
        _ => match zone::kept(&parameter.kind, &text) {
            Some(kept) => format!("SELECT $1::pg_catalog.text::{name}, {kept}"),
            None => format!("SELECT $1::pg_catalog.text::{name}"),
        },
    });
    let row = match driver.fetch_one(sqlx::query_with(sql, arguments)).await {
        Ok(row) => row,
        Err(error) => {
            let refused =
                error::refuses_value(&error).then(|| error::database_error(&error, &Shift::default()));
            return Err(refused.map_or(Conversion::Driver(error), Conversion::Refused));
        }
    };
    if row.len() > 1 && !row.try_get::<bool, _>(1).map_err(Conversion::Driver)? {
        return Err(Conversion::Refused(DatabaseError::new(zone::lost(&parameter.kind))));
    }
    let cell = row.try_get_raw(0).map_err(Conversion::Driver)?;
    if cell.is_null() {
        return Ok(None);
    }
    cell.as_bytes()
        .map(|bytes| Some(bytes.to_owned()))
        .map_err(|error| Conversion::Refused(DatabaseError::new(&error.to_string())))
}
