//! Reads what `SHOW GRANTS` says. The lines may hold hashes of passwords and must not be shown.

use std::collections::BTreeSet;

use toolbox_source::scan::{Lexicon, Token, Tokens};

use super::Files;

/// What all lines together grant.
#[derive(Debug, Default)]
pub(super) struct Grants {
    /// Privileges on everything, with blanks between their words, in upper case.
    everywhere: BTreeSet<String>,
    /// Privileges on the database of the accounts.
    on_accounts: BTreeSet<String>,
    /// Granted roles, as the server writes them.
    roles: BTreeSet<String>,
    passes_on: bool,
    acts_as_others: bool,
}

/// A privilege on everything, as both servers name it, and the phrase for it.
const POWERS: [(&[&str], &str); 14] = [
    (&["SUPER"], "may administer the server (SUPER)"),
    (&["CREATE USER"], "may create users (CREATE USER)"),
    (&["ROLE ADMIN"], "may grant roles (ROLE_ADMIN)"),
    (
        &["SET ANY DEFINER", "SET USER ID", "SET USER"],
        "may let routines run as other users (SET_ANY_DEFINER)",
    ),
    (&["SYSTEM VARIABLES ADMIN"], "may change settings of the server (SYSTEM_VARIABLES_ADMIN)"),
    (&["SHUTDOWN"], "may stop the server (SHUTDOWN)"),
    (&["CLONE ADMIN"], "may replace the data of the server by a clone (CLONE_ADMIN)"),
    (&["CONNECTION ADMIN"], "may stop other sessions (CONNECTION_ADMIN)"),
    (&["BINLOG ADMIN"], "may change the binary log (BINLOG_ADMIN)"),
    (
        &["REPLICATION SLAVE", "REPLICATION REPLICA"],
        "may read all changes of the server as a replica (REPLICATION SLAVE)",
    ),
    (
        &["REPLICATION SLAVE ADMIN", "REPLICATION REPLICA ADMIN"],
        "may control replication (REPLICATION_SLAVE_ADMIN)",
    ),
    (&["RELOAD"], "may flush tables and logs of the server (RELOAD)"),
    (&["PROCESS"], "may see the statements of other sessions (PROCESS)"),
    (&["SELECT"], "may read all databases, those with the accounts included (SELECT)"),
];

const ALL: &str = "ALL PRIVILEGES";

impl Grants {
    /// Takes the lines of one answer. A line of another form grants nothing that is known here.
    pub(super) fn read(&mut self, lines: &[String]) {
        for line in lines {
            let tokens: Vec<Token<'_>> = Tokens::new(line, &Lexicon::MYSQL).collect();
            self.take(line, &tokens);
        }
    }

    /// The roles, as they are written after `SET ROLE`.
    pub(super) fn roles(&self) -> Vec<String> {
        self.roles.iter().cloned().collect()
    }

    fn take(&mut self, line: &str, tokens: &[Token<'_>]) {
        let Some((grant, rest)) = tokens.split_first().filter(|(first, _)| first.is_word("GRANT")) else {
            return;
        };
        let Some(to) = rest.iter().position(|token| token.is_word("TO")) else { return };
        let (granted, after) = rest.split_at(to);
        let Some(on) = granted.iter().position(|token| token.is_word("ON")) else {
            self.roles.extend(
                line.get(grant.end()..after.first().map_or(0, |to| to.start))
                    .map(|roles| roles.trim().to_owned()),
            );
            return;
        };
        let (privileges, object) = granted.split_at(on);
        let privileges = names(privileges);
        if privileges.contains("PROXY") {
            self.acts_as_others = true;
            return;
        }
        self.passes_on |= after.windows(2).any(
            |pair| matches!(pair, [grant, option] if grant.is_word("GRANT") && option.is_word("OPTION")),
        );
        match object.get(1..) {
            Some([database, dot, all])
                if database.is_symbol("*") && dot.is_symbol(".") && all.is_symbol("*") =>
            {
                self.everywhere.extend(privileges);
            }
            Some([database, ..])
                if database.name().is_some_and(|name| name.eq_ignore_ascii_case("mysql")) =>
            {
                self.on_accounts.extend(privileges);
            }
            _ => {}
        }
    }

    /// The phrases for what is granted.
    pub(super) fn powers(&self, files: Files) -> Vec<String> {
        let has_all = self.everywhere.contains(ALL);
        let has = |name: &str| has_all || self.everywhere.contains(name);
        let mut powers = Vec::new();
        if has_all {
            powers.push("has all privileges on all databases (ALL PRIVILEGES)".to_owned());
        }
        let folder = match files {
            Files::None => None,
            Files::OneFolder => Some(" in the folder of secure_file_priv"),
            Files::Any => Some(""),
        };
        if let Some(folder) = folder.filter(|_| has("FILE")) {
            powers.push(format!("may read and write files of the server{folder} (FILE)"));
        }
        if self.passes_on {
            powers.push("may grant what it has (GRANT OPTION)".to_owned());
        }
        if self.acts_as_others {
            powers.push("may act as other users (PROXY)".to_owned());
        }
        if !has_all {
            let held = POWERS.iter().filter(|(names, _)| names.iter().any(|name| has(name)));
            powers.extend(held.map(|(_, phrase)| (*phrase).to_owned()));
        }
        if !has("SELECT") && (self.on_accounts.contains("SELECT") || self.on_accounts.contains(ALL)) {
            powers.push("may read the accounts of the server (SELECT on mysql)".to_owned());
        }
        powers
    }
}

/// The privileges of a list, without the columns that some are restricted to.
fn names(tokens: &[Token<'_>]) -> BTreeSet<String> {
    let mut depth = 0_usize;
    let mut name = Vec::new();
    let mut names = BTreeSet::new();
    for token in tokens {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth = depth.saturating_sub(1);
        } else if token.is_symbol(",") && depth == 0 {
            names.insert(std::mem::take(&mut name).join(" "));
        } else if depth == 0 {
            name.push(token.text.to_ascii_uppercase().replace('_', " "));
        }
    }
    names.insert(name.join(" "));
    names
}

#[cfg(test)]
mod tests {
    use super::{Files, Grants};

    fn powers(lines: &[&str], files: Files) -> Vec<String> {
        let mut grants = Grants::default();
        grants.read(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        grants.powers(files)
    }

    // Lines of MySQL 9.7 and MariaDB 11.8, shortened.
    #[test]
    fn only_what_is_granted_is_named() {
        let plain = [
            "GRANT USAGE ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*FILE,SUPER'",
            "GRANT SELECT, UPDATE (`super`, `file`) ON `a b`.* TO `u`@`%`",
        ];
        assert_eq!(powers(&plain, Files::Any), [""; 0]);
        let named =
            ["GRANT SELECT ON `file`.`super` TO `u`@`%`", "GRANT EXECUTE ON FUNCTION `db`.`f` TO `u`@`%`"];
        assert_eq!(powers(&named, Files::Any), [""; 0]);
        let file = ["GRANT PROCESS, FILE ON *.* TO `u`@`%`"];
        assert_eq!(powers(&file, Files::None), ["may see the statements of other sessions (PROCESS)"]);
        assert_eq!(
            powers(&file, Files::Any).first().map(String::as_str),
            Some("may read and write files of the server (FILE)")
        );
        assert!(powers(&file, Files::OneFolder).iter().any(|power| power.contains("secure_file_priv")));
        let dynamic = [
            "GRANT CONNECTION_ADMIN,ROLE_ADMIN ON *.* TO `u`@`%` WITH GRANT OPTION",
            "REVOKE SELECT ON `x`.* FROM `u`@`%`",
        ];
        assert_eq!(
            powers(&dynamic, Files::None),
            [
                "may grant what it has (GRANT OPTION)",
                "may grant roles (ROLE_ADMIN)",
                "may stop other sessions (CONNECTION_ADMIN)"
            ]
        );
        let spaced = ["GRANT CONNECTION ADMIN ON *.* TO `u`@`%`"];
        assert_eq!(powers(&spaced, Files::None), ["may stop other sessions (CONNECTION_ADMIN)"]);
        let all = [
            "GRANT ALL PRIVILEGES ON *.* TO `root`@`%` IDENTIFIED BY PASSWORD '*1' WITH GRANT OPTION",
            "GRANT PROXY ON ''@'%' TO 'root'@'%' WITH GRANT OPTION",
        ];
        assert_eq!(
            powers(&all, Files::Any),
            [
                "has all privileges on all databases (ALL PRIVILEGES)",
                "may read and write files of the server (FILE)",
                "may grant what it has (GRANT OPTION)",
                "may act as other users (PROXY)"
            ]
        );
        assert_eq!(
            powers(&["GRANT SELECT ON `mysql`.* TO `u`@`%`"], Files::None),
            ["may read the accounts of the server (SELECT on mysql)"]
        );
    }

    #[test]
    fn roles_are_kept_as_the_server_writes_them() {
        let mut grants = Grants::default();
        grants.read(&[
            "GRANT `a b` TO `u`@`%` WITH ADMIN OPTION".to_owned(),
            "no grant at all".to_owned(),
            String::new(),
        ]);
        assert_eq!(grants.roles(), ["`a b`"]);
        assert_eq!(grants.powers(Files::Any), [""; 0]);
    }
}
