//! The databases that the toolbox serves, and SQL in the dialect of each.

use std::fmt;

/// A database with a dialect of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
    MySql,
    MariaDb,
}

impl Engine {
    /// Its name in `TOOLBOX_TEST_REQUIRE`, among others.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::MySql => "mysql",
            Self::MariaDb => "mariadb",
        }
    }

    /// Whether it speaks the protocol of MySQL.
    pub(crate) fn is_mysql(self) -> bool {
        matches!(self, Self::MySql | Self::MariaDb)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One statement as each database writes it. `None` where a database has no such statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sql {
    sqlite: Option<&'static str>,
    postgres: Option<&'static str>,
    mysql: Option<&'static str>,
    mariadb: Option<&'static str>,
}

/// The same text for all. Placeholders are written `?1`, `?2`, each once and in order, and become what the database reads.
pub(crate) const fn all(text: &'static str) -> Sql {
    Sql { sqlite: Some(text), postgres: Some(text), mysql: Some(text), mariadb: Some(text) }
}

/// Nothing yet; each database that has the statement adds its own.
pub(crate) const fn only() -> Sql {
    Sql { sqlite: None, postgres: None, mysql: None, mariadb: None }
}

impl Sql {
    pub(crate) const fn sqlite(mut self, text: &'static str) -> Self {
        self.sqlite = Some(text);
        self
    }

    pub(crate) const fn postgres(mut self, text: &'static str) -> Self {
        self.postgres = Some(text);
        self
    }

    /// For MySQL and MariaDB.
    pub(crate) const fn mysql(mut self, text: &'static str) -> Self {
        self.mysql = Some(text);
        self.mariadb = Some(text);
        self
    }

    /// For MariaDB alone.
    pub(crate) const fn mariadb(mut self, text: &'static str) -> Self {
        self.mariadb = Some(text);
        self
    }

    /// The text for one database, with its own placeholders.
    pub(crate) fn of(&self, engine: Engine) -> Option<String> {
        let text = match engine {
            Engine::Sqlite => self.sqlite,
            Engine::Postgres => self.postgres,
            Engine::MySql => self.mysql,
            Engine::MariaDb => self.mariadb,
        }?;
        let mut text = text.to_owned();
        for number in 1..10 {
            let written = format!("?{number}");
            text = match engine {
                Engine::Sqlite => break,
                Engine::Postgres => text.replace(&written, &format!("${number}")),
                Engine::MySql | Engine::MariaDb => text.replace(&written, "?"),
            };
        }
        Some(text)
    }
}

#[test]
fn a_statement_has_the_placeholders_of_its_database() {
    let sql = all("SELECT ?1, ?2").sqlite("SELECT ?2");
    assert_eq!(sql.of(Engine::Postgres).as_deref(), Some("SELECT $1, $2"));
    assert_eq!(sql.of(Engine::MariaDb).as_deref(), Some("SELECT ?, ?"));
    assert_eq!(sql.of(Engine::Sqlite).as_deref(), Some("SELECT ?2"));
    assert_eq!(only().postgres("SHOW x").of(Engine::MySql), None);
}
