//! The conditions under which the types of parameters are what they were, from the catalog.

use std::collections::BTreeSet;

use sqlx::{Executor as _, Row as _, postgres::PgConnection};

use super::Names;
use crate::plan::Target;

/// Of every relation and every function that the names may mean: the place of a column and its name, and the condition. A
/// relation that is named without its schema stays so, where its row type is found by that name: the path may lead to another
/// table later. Functions of the server and of extensions do not change.
const TERMS: &str = "\
SELECT n.spelled, a.attname::pg_catalog.text, pg_catalog.row_number() OVER (PARTITION BY n.spelled ORDER BY a.attnum) - 1,
  pg_catalog.format('pg_catalog.pg_typeof((NULL::%s).\"%s\") OPERATOR(pg_catalog.=) %L::pg_catalog.regtype',
    CASE WHEN n.is_bare AND pg_catalog.to_regtype(q.name) = c.reltype THEN q.name
      ELSE pg_catalog.format('\"%s\".%s', pg_catalog.replace(s.nspname, '\"', '\"\"'), q.name) END,
    pg_catalog.replace(a.attname, '\"', '\"\"'), a.atttypid::pg_catalog.oid::pg_catalog.text)
FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.bool[])) AS n(spelled, is_bare)
JOIN pg_catalog.pg_class c ON c.oid = pg_catalog.to_regclass(n.spelled)
JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
CROSS JOIN LATERAL (SELECT pg_catalog.format('\"%s\"', pg_catalog.replace(c.relname, '\"', '\"\"'))) AS q(name)
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.reltype <> 0 AND s.nspname <> 'pg_catalog'
UNION ALL
SELECT NULL, NULL, NULL, pg_catalog.format('%L::pg_catalog.regprocedure OPERATOR(pg_catalog.=) %L::pg_catalog.regprocedure',
  p.oid::pg_catalog.regprocedure::pg_catalog.text, p.oid::pg_catalog.text)
FROM pg_catalog.pg_proc p
WHERE p.proname = ANY ($3::pg_catalog.text[]) AND p.pronamespace <> 'pg_catalog'::pg_catalog.regnamespace
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')";

/// Conditions, each an expression of SQL that is true as long as a type is what it was.
#[derive(Debug)]
pub(crate) struct Terms {
    columns: Vec<Column>,
    /// Of functions.
    others: Vec<String>,
}

#[derive(Debug)]
struct Column {
    /// Its table as the statement spells it.
    table: String,
    name: String,
    /// From 0, in the order of the table.
    place: usize,
    condition: String,
}

impl Terms {
    /// Asks for everything that these names may mean.
    pub(crate) async fn load(names: &Names, driver: &mut PgConnection) -> Result<Self, sqlx::Error> {
        let (spelled, bare): (Vec<&str>, Vec<bool>) =
            names.tables.iter().map(|(name, is_bare)| (name.as_str(), *is_bare)).unzip();
        let query = sqlx::query(TERMS).bind(spelled).bind(bare).bind(names.functions.as_slice());
        let mut terms = Self { columns: Vec::new(), others: Vec::new() };
        for row in driver.fetch_all(query).await? {
            let condition: String = row.try_get(3)?;
            let Some(table) = row.try_get::<Option<String>, _>(0)? else {
                terms.others.push(condition);
                continue;
            };
            let place = usize::try_from(row.try_get::<i64, _>(2)?).unwrap_or(usize::MAX);
            terms.columns.push(Column { table, name: row.try_get(1)?, place, condition });
        }
        Ok(terms)
    }

    /// The condition of one column.
    pub(super) fn column(&self, table: &str, target: &Target) -> Option<&str> {
        let is_it = |column: &&Column| {
            column.table == table
                && match target {
                    Target::Named(name) => column.name == *name,
                    Target::Numbered(place) => column.place == *place,
                }
        };
        self.columns.iter().find(is_it).map(|column| column.condition.as_str())
    }

    /// All conditions, each once.
    pub(super) fn all(&self) -> Vec<&str> {
        let columns = self.columns.iter().map(|column| column.condition.as_str());
        let all: BTreeSet<&str> = columns.chain(self.others.iter().map(String::as_str)).collect();
        all.into_iter().collect()
    }
}
