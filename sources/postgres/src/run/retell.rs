//! Tells the server what parameters are declared to hold where it takes them for something else because nothing in the statement
//! settles it: in `SELECT $1`, `$1 < $2` and `doc -> $1` a parameter is a text, in `abs($1)` a double, beside an array an
//! array. With the types of literals, such an argument is what its literal is.

use std::{future::Future, sync::Arc};

use sqlx::{AssertSqlSafe, Executor as _, SqlSafeStr as _, postgres::PgTypeInfo};
use toolbox_source::{Declared, SourceError};

use super::{
    Failure, Running,
    describe::{Description, described},
    prepare::unless,
};
use crate::{
    error::{self, Trouble},
    kind::TEXT,
    plan::{Effect, Use, uses},
    told::{INT4, INT8, NUMERIC, Told},
};

/// The numbers of types (`pg_type.dat`), and the first one of those that users make.
const BOOL: u32 = 16;
const INT2: u32 = 21;
const OID: u32 = 26;
const JSON: u32 = 114;
const FLOAT4: u32 = 700;
const BIT: u32 = 1560;
const VARBIT: u32 = 1562;
const JSONB: u32 = 3802;
const FIRST_OF_USERS: u32 = 16_384;

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// The same statement with the types that its parameters are declared with, as far as the server takes them: all at once, or
    /// else one after the other.
    pub(super) async fn retell(&mut self, own: Description) -> Result<Description, Failure> {
        let open = self.open(&own);
        let mut told = own.told.clone();
        told.resize(own.parameters.len(), Told::Nothing);
        for (place, types) in &open {
            if let (Some(told), Some(first)) = (told.get_mut(*place), types.first()) {
                *told = *first;
            }
        }
        if open.is_empty() {
            return Ok(own);
        }
        if let Some(taken) = self.told_so(&own.text, told).await? {
            return Ok(taken);
        }
        let text = own.text.clone();
        let mut best = own;
        for (place, types) in &open {
            // Of one alone, the first type has been refused.
            for of in types.iter().skip(usize::from(open.len() == 1)) {
                let mut told = best.told.clone();
                told.resize(best.parameters.len(), Told::Nothing);
                if let Some(told) = told.get_mut(*place) {
                    *told = *of;
                }
                if let Some(taken) = self.told_so(&text, told).await? {
                    best = taken;
                    break;
                }
            }
        }
        Ok(best)
    }

    /// The parameters that the server takes for something else than they are declared to hold, and the types to tell it.
    fn open(&self, own: &Description) -> Vec<(usize, Vec<Told>)> {
        let Some(text) = Some(&own.text).filter(|_| !self.call.declared.is_empty()) else {
            return Vec::new();
        };
        let reads = self.call.plan.effect == Effect::Reads;
        let uses = uses(text, self.call.plan.form);
        let found = own.parameters.iter().enumerate().filter_map(|(place, of)| {
            let is_told = matches!(own.told.get(place), Some(Told::Declared(_)));
            let (declared, stands) = (self.call.declared.get(place)?, uses.get(place)?);
            let types = types(declared, of.oid()?.0, *stands, reads);
            (!is_told && !types.is_empty()).then_some((place, types))
        });
        found.collect()
    }

    /// The statement with these types, if the server takes them.
    async fn told_so(&mut self, text: &str, told: Vec<Told>) -> Result<Option<Description>, Failure> {
        // sqlx knows a statement by its text.
        let names: Vec<&str> = told.iter().map(|told| told.name()).collect();
        let text: Arc<str> = Arc::from(format!("{text}\n/* of {} */", names.join(", ")));
        let types: Vec<PgTypeInfo> = told.iter().map(|told| told.type_info()).collect();
        let sql = AssertSqlSafe(text.clone()).into_sql_str();
        let preparing = self.connection.driver.prepare_with(sql, &types);
        match unless(self.halt.as_mut(), preparing).await? {
            Ok(statement) => Ok(Some(described(text, &statement, told))),
            Err(error) if error::is_of_unknown_type(&error) => {
                self.lost(&text).await?;
                Ok(None)
            }
            Err(error) if error::trouble(&error) != Trouble::Other => Err(Failure::Driver(error)),
            Err(_) => Ok(None),
        }
    }
}

/// The types of which the server may take one, for a parameter that it takes for the type of this number; none where that holds
/// what is declared, or the statement says that type.
fn types(declared: &Declared, number: u32, stands: Use, reads: bool) -> Vec<Told> {
    let is_integer = matches!(number, INT2 | INT4 | INT8);
    let holds = match declared {
        Declared::Text => true,
        Declared::Integer => is_integer || matches!(number, OID | NUMERIC | FLOAT4),
        // In a write, the server would round what is computed to a column of integers.
        Declared::Float => matches!(number, NUMERIC | FLOAT4) || is_integer && !(stands.is_computed && reads),
        Declared::Boolean => number == BOOL,
        Declared::List(_) | Declared::Map => number != TEXT,
    };
    // JSON holds all of them, and a type of the user's has checks of its own.
    if holds || matches!(number, JSON | JSONB | FIRST_OF_USERS..) {
        return Vec::new();
    }
    let is_open = match declared {
        // The casts that texts do not have.
        Declared::Integer if stands.is_cast => matches!(number, BOOL | BIT | VARBIT),
        Declared::Boolean if stands.is_cast => is_integer,
        _ => stands.is_free && !stands.is_cast,
    };
    let told = Told::of(declared);
    if is_open { std::iter::once(told).chain(told.other()).collect() } else { Vec::new() }
}
