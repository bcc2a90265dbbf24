//! The conditions under which the types of parameters are what they were, from the catalog.

use std::collections::BTreeSet;

use sqlx::{Executor as _, Row as _, postgres::PgConnection};

use super::Names;
use crate::plan::Target;

/// The columns of every relation that the names may mean, in order: how the relation is spelled, the name of its row type, the
/// column and the number of its type. A relation that is named without its schema stays so, where its row type is found by
/// that name: the path may lead to another table later. Before these, conditions for the functions that the names may mean;
/// those of the server and of extensions do not change.
const TERMS: &str = "\
SELECT NULL, pg_catalog.format('%L::pg_catalog.regprocedure OPERATOR(pg_catalog.=) %L::pg_catalog.regprocedure',
  p.oid::pg_catalog.regprocedure::pg_catalog.text, p.oid::pg_catalog.text), NULL, NULL, 0
FROM pg_catalog.pg_proc p
WHERE p.proname = ANY ($3::pg_catalog.text[]) AND p.pronamespace <> 'pg_catalog'::pg_catalog.regnamespace
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT n.spelled, CASE WHEN n.is_bare AND pg_catalog.to_regtype(q.name) = c.reltype THEN q.name
    ELSE pg_catalog.format('\"%s\".%s', pg_catalog.replace(s.nspname, '\"', '\"\"'), q.name) END,
  a.attname::pg_catalog.text, a.atttypid::pg_catalog.int8, a.attnum
FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.bool[])) AS n(spelled, is_bare)
JOIN pg_catalog.pg_class c ON c.oid = pg_catalog.to_regclass(n.spelled)
JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
CROSS JOIN LATERAL (SELECT pg_catalog.format('\"%s\"', pg_catalog.replace(c.relname, '\"', '\"\"'))) AS q(name)
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.reltype <> 0 AND s.nspname <> 'pg_catalog' ORDER BY 1, 5";

/// Most columns of a table whose places have conditions: each of these makes the server write out the row.
const NARROW: usize = 64;

/// How many columns that the server writes out weigh as much as a condition.
const COLUMNS: usize = 4;

/// An expression of SQL that is true as long as a type is what it was, and what it costs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Condition {
    pub(super) text: String,
    pub(super) weight: usize,
}

/// What the types of parameters may have been inferred from.
#[derive(Debug)]
pub(crate) struct Terms {
    relations: Vec<Relation>,
    functions: Vec<Condition>,
}

#[derive(Debug)]
struct Relation {
    /// As the statement spells it.
    spelled: String,
    /// The name of its row type, in quotes.
    row: String,
    /// Names, and numbers of types.
    columns: Vec<(String, u32)>,
}

impl Terms {
    /// Asks for everything that these names may mean.
    pub(crate) async fn load(names: &Names, driver: &mut PgConnection) -> Result<Self, sqlx::Error> {
        let (spelled, bare): (Vec<&str>, Vec<bool>) =
            names.tables.iter().map(|(name, is_bare)| (name.as_str(), *is_bare)).unzip();
        let query = sqlx::query(TERMS).bind(spelled).bind(bare).bind(names.functions.as_slice());
        let mut terms = Self { relations: Vec::new(), functions: Vec::new() };
        for row in driver.fetch_all(query).await? {
            let Some(spelled) = row.try_get::<Option<String>, _>(0)? else {
                terms.functions.push(Condition { text: row.try_get(1)?, weight: 1 });
                continue;
            };
            let column = (row.try_get(2)?, u32::try_from(row.try_get::<i64, _>(3)?).unwrap_or(0));
            if let Some(relation) = terms.relations.last_mut().filter(|relation| relation.spelled == spelled)
            {
                relation.columns.push(column);
            } else {
                let row = row.try_get(1)?;
                terms.relations.push(Relation { spelled, row, columns: vec![column] });
            }
        }
        Ok(terms)
    }

    /// The condition of one column; `None` if it is not known.
    pub(super) fn column(&self, table: &str, target: &Target) -> Option<Condition> {
        let relation = self.relations.iter().find(|relation| relation.spelled == *table)?;
        match target {
            Target::Named(name) => {
                relation.named().find(|(of, _)| of == name).map(|(_, condition)| condition)
            }
            Target::Numbered(place) if relation.columns.len() <= NARROW => relation.placed().nth(*place),
            Target::Numbered(_) => None,
        }
    }

    /// All conditions, each once: a type may be inferred from a column by its name, or by its place, as with an asterisk.
    /// `None` if a table has too many columns for that.
    pub(super) fn all(&self) -> Option<Vec<Condition>> {
        if self.relations.iter().any(|relation| relation.columns.len() > NARROW) {
            return None;
        }
        let relations = self.relations.iter();
        let relations = relations
            .flat_map(|relation| relation.named().map(|(_, condition)| condition).chain(relation.placed()));
        let all: BTreeSet<Condition> = relations.chain(self.functions.iter().cloned()).collect();
        Some(all.into_iter().collect())
    }
}

impl Relation {
    /// The conditions of its columns by their names.
    fn named(&self) -> impl Iterator<Item = (&str, Condition)> {
        self.columns.iter().map(|(name, of)| {
            let quoted = name.replace('"', "\"\"");
            let text = has_type(&format!("(NULL::{}).\"{quoted}\"", self.row), *of);
            (name.as_str(), Condition { text, weight: 1 })
        })
    }

    /// The conditions of its columns by their places.
    fn placed(&self) -> impl Iterator<Item = Condition> {
        let weight = 1 + self.columns.len() / COLUMNS;
        self.columns.iter().enumerate().map(move |(place, (_, of))| {
            let text = has_type(&format!("(ROW((NULL::{}).*)).f{}", self.row, place + 1), *of);
            Condition { text, weight }
        })
    }
}

/// Whether an expression has the type of this number.
fn has_type(expression: &str, number: u32) -> String {
    format!("pg_catalog.pg_typeof({expression}) OPERATOR(pg_catalog.=) '{number}'::pg_catalog.regtype")
}
