//! What the catalog says of the columns of a table: how they limit their values, and which a constraint is about.

use sqlx::{Executor as _, Row as _, postgres::PgConnection};

/// A column of a table.
pub(super) struct Column {
    pub(super) name: String,
    /// Its type, as the server writes it.
    pub(super) kind: String,
    /// Its type without what limits it, and of a list that of its items, for a cast.
    of: String,
    is_list: bool,
    /// What limits its values, if anything does.
    limit: Option<Limit>,
}

/// What a column of `varchar(3)`, `numeric(5,2)[]` or `vector(3)` lets through.
struct Limit {
    /// The modifier of the type, which its cast to itself (`pg_cast`) takes.
    modifier: i32,
    /// The function of that cast.
    cast: String,
    /// How many arguments the function has: the value, the modifier, and whether it may cut.
    arguments: i16,
}

impl Column {
    /// The expression in which the server casts a value as it casts what it stores, without cutting: to a text.
    pub(super) fn stored(&self, value: &str) -> String {
        let Self { of, is_list, limit, .. } = self;
        let list = if *is_list { "[]" } else { "" };
        let Some(Limit { modifier, cast, arguments }) = limit else {
            return format!("({value})::pg_catalog.text::{of}{list}::pg_catalog.text");
        };
        let cuts = if *arguments == 3 { ", false" } else { "" };
        let fit = |value: &str| format!("{cast}({value}, {modifier}{cuts})");
        if *is_list {
            // The items of a list of lists are its own. Casting all of them answers what no list of them says.
            let items = format!("pg_catalog.unnest(({value})::pg_catalog.text::{of}[])");
            format!(
                "(SELECT nullif(pg_catalog.count({}), -1)::pg_catalog.text FROM {items} AS item)",
                fit("item")
            )
        } else {
            format!("{}::pg_catalog.text", fit(&format!("({value})::pg_catalog.text::{of}")))
        }
    }

    /// Whether what the server stores is known from that expression.
    pub(super) fn is_told(&self) -> bool {
        !self.is_list || self.limit.is_none()
    }

    /// Whether a value of its type may still be none of its values.
    pub(super) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }
}

/// The columns of a table. Names of types are in quotes, because `bit` alone is `bit(1)`.
const COLUMNS: &str = "\
SELECT a.attname::pg_catalog.text, pg_catalog.format('\"%s\".\"%s\"', pg_catalog.replace(n.nspname, '\"', '\"\"'),
  pg_catalog.replace(t.typname, '\"', '\"\"')), t.oid <> a.atttypid, a.atttypmod, f.oid::pg_catalog.regproc::pg_catalog.text, f.pronargs,
  pg_catalog.format_type(a.atttypid, a.atttypmod)
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type w ON w.oid = a.atttypid
JOIN pg_catalog.pg_type t ON t.oid = CASE WHEN w.typcategory = 'A' AND w.typelem <> 0 THEN w.typelem ELSE w.oid END
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_cast c ON c.castsource = t.oid AND c.casttarget = t.oid AND a.atttypmod >= 0
LEFT JOIN pg_catalog.pg_proc f ON f.oid = c.castfunc AND f.pronargs IN (2, 3)
WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";

pub(super) async fn columns(table: &str, driver: &mut PgConnection) -> Result<Vec<Column>, sqlx::Error> {
    let rows = driver.fetch_all(sqlx::query(COLUMNS).bind(table)).await?;
    let column = |row: &sqlx::postgres::PgRow| {
        let limit = match (row.try_get(4)?, row.try_get(5)?) {
            (Some(cast), Some(arguments)) => Some(Limit { modifier: row.try_get(3)?, cast, arguments }),
            _ => None,
        };
        Ok(Column {
            name: row.try_get(0)?,
            kind: row.try_get(6)?,
            of: row.try_get(1)?,
            is_list: row.try_get(2)?,
            limit,
        })
    };
    rows.iter().map(column).collect()
}

/// The columns that a constraint or a unique index is about, with those that generated columns among them are made of. The table
/// whose constraint it is may be a partition of the one that is written.
const OF_CONSTRAINT: &str = "\
WITH c AS (SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $2 AND c.relname = $3 AND (c.oid = pg_catalog.to_regclass($1)
    OR pg_catalog.to_regclass($1) IN (SELECT relid FROM pg_catalog.pg_partition_ancestors(c.oid)))),
x AS (SELECT i.indexrelid, i.indkey FROM c JOIN pg_catalog.pg_index i ON i.indrelid = c.oid
  JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid WHERE x.relname = $4),
k AS (SELECT pg_catalog.unnest(o.conkey) AS number FROM c JOIN pg_catalog.pg_constraint o ON o.conrelid = c.oid AND o.conname = $4
  UNION SELECT pg_catalog.unnest(x.indkey::pg_catalog.int2[]) FROM x
  UNION SELECT d.refobjsubid FROM x JOIN c ON true JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
    AND d.objid = x.indexrelid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = c.oid)
SELECT a.attname::pg_catalog.text FROM c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE a.attnum > 0 AND (a.attnum IN (SELECT number FROM k) OR a.attnum IN (
  SELECT d.refobjsubid FROM k JOIN pg_catalog.pg_attrdef g ON g.adrelid = c.oid AND g.adnum = k.number
  JOIN pg_catalog.pg_attribute o ON o.attrelid = c.oid AND o.attnum = k.number AND o.attgenerated <> ''
  JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.objid = g.oid
    AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = c.oid))";

pub(super) async fn columns_of_constraint(
    table: &str,
    (schema, of, constraint): (&str, &str, &str),
    driver: &mut PgConnection,
) -> Result<Vec<String>, sqlx::Error> {
    let question = sqlx::query(OF_CONSTRAINT).bind(table).bind(schema).bind(of).bind(constraint);
    driver.fetch_all(question).await?.iter().map(|row| row.try_get(0)).collect()
}

/// The columns of the keys of a partition, and of those that it is a partition of.
const OF_PARTITION: &str = "\
SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL pg_catalog.pg_partition_ancestors(c.oid) p
JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = p.relid AND d.refclassid = d.classid
  AND d.refobjid = p.relid AND d.deptype = 'i'
JOIN pg_catalog.pg_attribute a ON a.attrelid = p.relid AND a.attnum = d.objsubid AND a.attnum > 0
WHERE n.nspname = $2 AND c.relname = $3 AND (c.oid = pg_catalog.to_regclass($1)
  OR pg_catalog.to_regclass($1) IN (SELECT relid FROM pg_catalog.pg_partition_ancestors(c.oid)))";

pub(super) async fn columns_of_partition(
    table: &str,
    (schema, of): (&str, &str),
    driver: &mut PgConnection,
) -> Result<Vec<String>, sqlx::Error> {
    let question = sqlx::query(OF_PARTITION).bind(table).bind(schema).bind(of);
    driver.fetch_all(question).await?.iter().map(|row| row.try_get(0)).collect()
}
