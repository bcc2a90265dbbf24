//! What the catalog of the server says of types that are not built in: enums, domains, arrays, row types, types of
//! extensions. sqlx reads the catalog too, but keeps what it read for the life of a connection, and mistakes names beyond
//! ASCII.

use std::{collections::HashMap, sync::Arc};

use sqlx::{
    Executor as _, Row as _, TypeInfo as _,
    postgres::{PgConnection, PgTypeInfo},
};

use crate::kind::{Field, Kind};

/// Types and everything that they consist of: base types of domains, bounds of ranges, elements of arrays, fields of row types.
const CLOSURE: &str = "\
WITH RECURSIVE needed(oid) AS (
  SELECT number::pg_catalog.oid FROM pg_catalog.unnest($1::pg_catalog.int8[]) AS number
  UNION
  SELECT part FROM needed JOIN pg_catalog.pg_type t ON t.oid = needed.oid CROSS JOIN LATERAL (
    SELECT t.typbasetype WHERE t.typtype = 'd'
    UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE t.typtype = 'r' AND r.rngtypid = t.oid
    UNION ALL SELECT t.typelem
      WHERE t.typelem <> 0 AND t.typsubscript = 'pg_catalog.array_subscript_handler'::pg_catalog.regproc
    UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a
      WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
  ) AS parts(part)
)
SELECT t.oid::pg_catalog.int8, t.typtype::pg_catalog.text, t.typbasetype::pg_catalog.int8,
  CASE WHEN t.typsubscript = 'pg_catalog.array_subscript_handler'::pg_catalog.regproc
    THEN t.typelem ELSE 0 END::pg_catalog.int8,
  coalesce((SELECT p.prosrc FROM pg_catalog.pg_proc p WHERE p.oid = t.typsend), ''),
  pg_catalog.format_type(t.oid, -1), fields.names, fields.numbers,
  coalesce((SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE t.typtype = 'r' AND r.rngtypid = t.oid), 0)::pg_catalog.int8,
  t.typsend::pg_catalog.oid <> 0 AND t.typreceive::pg_catalog.oid <> 0
FROM needed JOIN pg_catalog.pg_type t ON t.oid = needed.oid LEFT JOIN LATERAL (
  SELECT pg_catalog.array_agg(a.attname::pg_catalog.text ORDER BY a.attnum) AS names,
    pg_catalog.array_agg(a.atttypid::pg_catalog.int8 ORDER BY a.attnum) AS numbers
  FROM pg_catalog.pg_attribute a
  WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
) AS fields ON true";

/// How deep types may consist of each other here. PostgreSQL knows no cycle, so this only bounds the recursion.
const DEPTH: usize = 64;

/// A part of the catalog.
#[derive(Debug, Default)]
pub(crate) struct Types {
    entries: HashMap<u32, Entry>,
}

#[derive(Debug)]
struct Entry {
    /// As the server writes it in a cast.
    name: String,
    form: Form,
    /// Whether it has a binary form in both directions.
    is_binary: bool,
}

#[derive(Debug)]
enum Form {
    /// Its binary form is its text.
    Text,
    Hstore,
    Domain(u32),
    Range(u32),
    Multirange,
    Array(u32),
    Composite(Vec<(String, u32)>),
    Other,
}

impl Types {
    /// Reads what the catalog says of those of the numbered types that are not built in.
    pub(crate) async fn load(
        numbers: impl Iterator<Item = u32>,
        driver: &mut PgConnection,
    ) -> Result<Self, sqlx::Error> {
        let unknown: Vec<i64> =
            numbers.filter(|number| Kind::of_number(*number).is_none()).map(i64::from).collect();
        let mut types = Self::default();
        if unknown.is_empty() {
            return Ok(types);
        }
        for row in driver.fetch_all(sqlx::query(CLOSURE).bind(unknown)).await? {
            let number =
                |place| row.try_get::<i64, _>(place).map(|number| u32::try_from(number).unwrap_or(0));
            let send: String = row.try_get(4)?;
            let form = match row.try_get::<String, _>(1)?.as_str() {
                "e" => Form::Text,
                "d" => Form::Domain(number(2)?),
                "r" => Form::Range(number(8)?),
                "m" => Form::Multirange,
                "c" => Form::Composite(fields(row.try_get(6)?, row.try_get(7)?)),
                _ if number(3)? != 0 => Form::Array(number(3)?),
                _ if send == "textsend" => Form::Text,
                _ if send == "hstore_send" => Form::Hstore,
                _ => Form::Other,
            };
            types
                .entries
                .insert(number(0)?, Entry { name: row.try_get(5)?, form, is_binary: row.try_get(9)? });
        }
        Ok(types)
    }

    /// What a type is.
    pub(crate) fn kind(&self, number: u32) -> Kind {
        self.kind_within(number, DEPTH)
    }

    fn kind_within(&self, number: u32, depth: usize) -> Kind {
        if let Some(kind) = Kind::of_number(number) {
            return kind;
        }
        let (Some(entry), Some(depth)) = (self.entries.get(&number), depth.checked_sub(1)) else {
            return Kind::Foreign;
        };
        match &entry.form {
            Form::Text => Kind::Text,
            Form::Hstore => Kind::Hstore,
            // It is sent as its base type.
            Form::Domain(base) => self.kind_within(*base, depth),
            Form::Range(bound) => match self.kind_within(*bound, depth) {
                bound if bound.has_bounds() => Kind::Range(Arc::new(bound)),
                _ => Kind::Foreign,
            },
            Form::Multirange => Kind::Multirange,
            Form::Array(element) => Kind::Array(Arc::new(self.kind_within(*element, depth)), *element),
            Form::Composite(fields) => {
                let field = |(name, number): &(String, u32)| Field {
                    name: name.clone(),
                    number: *number,
                    kind: self.kind_within(*number, depth),
                };
                Kind::Composite(fields.iter().map(field).collect())
            }
            Form::Other => Kind::Foreign,
        }
    }

    /// Whether the server takes what it has sent of a type.
    pub(crate) fn can_return(&self, number: u32) -> bool {
        self.can_return_within(number, DEPTH)
    }

    fn can_return_within(&self, number: u32, depth: usize) -> bool {
        if let Some(kind) = Kind::of_number(number) {
            return kind != Kind::Record;
        }
        let (Some(entry), Some(depth)) = (self.entries.get(&number), depth.checked_sub(1)) else {
            return false;
        };
        match &entry.form {
            Form::Domain(part) | Form::Array(part) | Form::Range(part) => {
                self.can_return_within(*part, depth)
            }
            Form::Composite(fields) => fields.iter().all(|(_, part)| self.can_return_within(*part, depth)),
            Form::Text | Form::Hstore | Form::Multirange | Form::Other => entry.is_binary,
        }
    }

    /// Whether not every value of a type can be sent in its binary form, so that a statement casts it from a text: a
    /// multirange, which sqlx does not know, a `tsquery`, whose empty form the server sends and does not take, and what has no
    /// binary form at all.
    pub(crate) fn is_sent_as_text(&self, number: u32) -> bool {
        fn holds(kind: &Kind) -> bool {
            match kind {
                Kind::Multirange | Kind::SearchQuery => true,
                Kind::Array(element, _) => holds(element),
                Kind::Composite(fields) => fields.iter().any(|field| holds(&field.kind)),
                _ => false,
            }
        }
        holds(&self.kind(number)) || self.lacks_binary(number, DEPTH)
    }

    /// Whether a type, or a part of it, has no binary form.
    fn lacks_binary(&self, number: u32, depth: usize) -> bool {
        let (Some(entry), Some(depth)) = (self.entries.get(&number), depth.checked_sub(1)) else {
            return false;
        };
        match &entry.form {
            Form::Domain(part) | Form::Array(part) | Form::Range(part) => self.lacks_binary(*part, depth),
            Form::Composite(fields) => fields.iter().any(|(_, part)| self.lacks_binary(*part, depth)),
            Form::Text | Form::Hstore | Form::Multirange | Form::Other => !entry.is_binary,
        }
    }

    /// The name of a type in a cast, if the catalog was asked for it.
    pub(crate) fn name(&self, number: u32) -> Option<&str> {
        self.entries.get(&number).map(|entry| entry.name.as_str())
    }

    /// The name in a cast of the type that sqlx has so. A bare `char` or `bit` would cut values to a length of 1.
    pub(crate) fn name_of<'a>(&'a self, number: u32, of: &'a PgTypeInfo) -> &'a str {
        self.name(number).unwrap_or_else(|| match of.name() {
            "CHAR" => "pg_catalog.bpchar",
            "CHAR[]" => "pg_catalog.bpchar[]",
            "BIT" => "pg_catalog.\"bit\"",
            "BIT[]" => "pg_catalog.\"bit\"[]",
            name => name,
        })
    }

    /// All row types, by number.
    pub(crate) fn composites(&self) -> Vec<(u32, &[(String, u32)])> {
        let mut composites: Vec<_> = self
            .entries
            .iter()
            .filter_map(|(number, entry)| match &entry.form {
                Form::Composite(fields) => Some((*number, fields.as_slice())),
                _ => None,
            })
            .collect();
        composites.sort_by_key(|(number, _)| *number);
        composites
    }
}

fn fields(names: Option<Vec<String>>, numbers: Option<Vec<i64>>) -> Vec<(String, u32)> {
    let numbers = numbers.unwrap_or_default().into_iter().map(|number| u32::try_from(number).unwrap_or(0));
    names.unwrap_or_default().into_iter().zip(numbers).collect()
}
