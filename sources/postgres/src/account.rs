//! What the role of a source may do that neither a read-only transaction nor the gate prevents. It must not know calls.

use sqlx::{Executor as _, Row as _, postgres::PgConnection};

/// The roles whose rights the account has or may take by SET ROLE, with their attributes (PostgreSQL documentation, "Role
/// Attributes" and "Predefined Roles"). A superuser counts as a member of every role.
const ROLES: &str = "\
SELECT rolname::pg_catalog.text, rolname = session_user, rolsuper, rolreplication, rolbypassrls, rolcreaterole, rolcreatedb
FROM pg_catalog.pg_roles
WHERE pg_catalog.pg_has_role(session_user, oid, 'MEMBER')
  AND (rolname = session_user OR rolname LIKE 'pg\\_%' OR rolsuper OR rolreplication OR rolbypassrls
    OR rolcreaterole OR rolcreatedb)";

/// Predefined roles and what they allow, the most serious first.
const PREDEFINED: [(&str, &str); 9] = [
    ("pg_execute_server_program", "may run programs on the server (pg_execute_server_program)"),
    ("pg_write_server_files", "may write files of the server (pg_write_server_files)"),
    ("pg_read_server_files", "may read files of the server (pg_read_server_files)"),
    ("pg_signal_backend", "may cancel and end the sessions of others (pg_signal_backend)"),
    ("pg_write_all_data", "may write all tables (pg_write_all_data)"),
    ("pg_read_all_data", "may read all tables (pg_read_all_data)"),
    ("pg_maintain", "may maintain and lock all tables (pg_maintain)"),
    ("pg_create_subscription", "may subscribe to other servers (pg_create_subscription)"),
    ("pg_read_all_stats", "may see what all sessions run (pg_read_all_stats)"),
];

/// The attributes in the order of the query, and what they allow.
const ATTRIBUTES: [&str; 4] = [
    "may copy all databases of the server by replication (REPLICATION)",
    "is not held by row-level security (BYPASSRLS)",
    "may create roles (CREATEROLE)",
    "may create databases (CREATEDB)",
];

/// One phrase for each power of the account, the most serious first. A superuser may do everything, so that is the only one.
pub(crate) async fn powers(driver: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    let mut names = Vec::new();
    let mut attributes = [false; ATTRIBUTES.len()];
    let mut becomes_superuser = false;
    for row in driver.fetch_all(sqlx::query(ROLES)).await? {
        names.push(row.try_get::<String, _>(0)?);
        if row.try_get(2)? {
            if row.try_get(1)? {
                return Ok(vec![
                    "is a superuser, who may do everything, also to the files of the server".to_owned(),
                ]);
            }
            becomes_superuser = true;
        }
        for (place, has) in attributes.iter_mut().enumerate() {
            *has |= row.try_get::<bool, _>(3 + place)?;
        }
    }
    if becomes_superuser {
        return Ok(vec!["may become a superuser (SET ROLE), who may do everything".to_owned()]);
    }
    let predefined = PREDEFINED.iter().filter(|(name, _)| names.iter().any(|known| known == name));
    let by_role = predefined.map(|(_, phrase)| *phrase);
    let by_attribute = ATTRIBUTES.iter().zip(attributes).filter(|(_, has)| *has).map(|(phrase, _)| *phrase);
    Ok(by_role.chain(by_attribute).map(str::to_owned).collect())
}
