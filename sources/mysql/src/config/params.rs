//! `queryParams`: the keys of the Go driver's data source name
//! (<https://github.com/go-sql-driver/mysql#dsn-data-source-name>), and session variables.
//!
//! As with the peer, every key that is not one of the driver's is a session variable, set to the SQL expression that its
//! value spells. A key that asks for something this program cannot or must not do is an error, never silence.

use std::time::Duration;

use sqlx::mysql::MySqlSslMode;
use toolbox_source::scan::{self, Lexicon};

use super::duration;

/// What the keys ask for.
#[derive(Debug)]
pub(super) struct Params {
    pub(super) tls: MySqlSslMode,
    pub(super) collation: Option<String>,
    /// `timeout`.
    pub(super) connect_timeout: Option<Duration>,
    /// `readTimeout`: a statement that is silent for so long is stopped.
    pub(super) read_timeout: Option<Duration>,
    pub(super) variables: Vec<(String, String)>,
}

/// Keys that change nothing here, whatever their value: how the Go driver formats values, sends statements and watches
/// connections.
const WITHOUT_EFFECT: [&str; 11] = [
    "allowFallbackToPlaintext",
    "allowNativePasswords",
    "checkConnLiveness",
    "compress",
    "connectionAttributes",
    "interpolateParams",
    "maxAllowedPacket",
    "multiStatements",
    "parseTime",
    "rejectReadOnly",
    "writeTimeout",
];

/// Session variables that this program sets itself, or on which its guarantees stand.
const OWN_VARIABLES: [&str; 9] = [
    "autocommit",
    "character_set_client",
    "character_set_connection",
    "character_set_results",
    "names",
    "pseudo_thread_id",
    "time_zone",
    "transaction_read_only",
    "tx_read_only",
];

impl Params {
    pub(super) fn read(pairs: &[(String, String)]) -> Result<Self, String> {
        let mut params = Self {
            tls: MySqlSslMode::Disabled,
            collation: None,
            connect_timeout: None,
            read_timeout: None,
            variables: Vec::new(),
        };
        for (key, value) in pairs {
            params.take(key, value).map_err(|reason| format!("queryParams: {reason}"))?;
        }
        Ok(params)
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "tls" => self.tls = tls(value)?,
            "charset" => {
                if !value.split(',').any(|charset| charset.trim().eq_ignore_ascii_case("utf8mb4")) {
                    return Err(format!(
                        "charset is {value:?}, and texts are always sent as utf8mb4; remove it"
                    ));
                }
            }
            "collation" => {
                let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                if !plain || !value.starts_with("utf8mb4_") {
                    return Err(format!(
                        "collation is {value:?}; name one of utf8mb4, such as utf8mb4_unicode_ci"
                    ));
                }
                self.collation = Some(value.to_owned());
            }
            "timeout" => self.connect_timeout = Some(positive(key, value)?),
            "readTimeout" => self.read_timeout = Some(positive(key, value)?),
            "loc" => {
                if !value.eq_ignore_ascii_case("UTC") {
                    return Err(format!(
                        "loc is {value:?}, and the time zone of a session is always UTC; convert in the statement, with \
                         CONVERT_TZ"
                    ));
                }
            }
            "clientFoundRows" => {
                if !truth(key, value)? {
                    return Err(
                        "clientFoundRows cannot be false: an UPDATE counts the rows that it matches; remove it".to_owned()
                    );
                }
            }
            "allowAllFiles" | "allowCleartextPasswords" | "allowOldPasswords" | "columnsWithAlias" => {
                if truth(key, value)? {
                    return Err(format!("{key} is not supported; remove it"));
                }
            }
            "serverPubKey" | "timeTruncate" => return Err(format!("{key} is not supported; remove it")),
            key if WITHOUT_EFFECT.contains(&key) => {}
            name => self.variables.push(variable(name, value)?),
        }
        Ok(())
    }
}

fn tls(value: &str) -> Result<MySqlSslMode, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(MySqlSslMode::VerifyIdentity),
        "false" | "0" => Ok(MySqlSslMode::Disabled),
        "skip-verify" => Ok(MySqlSslMode::Required),
        "preferred" => Ok(MySqlSslMode::Preferred),
        _ => Err(format!("tls is {value:?}; write true, skip-verify, preferred or false")),
    }
}

fn positive(key: &str, value: &str) -> Result<Duration, String> {
    duration::parse(value)
        .ok_or_else(|| format!("{key} is {value:?}; write a duration with its unit, such as 30s or 1m30s"))
}

fn truth(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "1" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(format!("{key} is {value:?}; write true or false")),
    }
}

/// A session variable and the expression that it is set to.
fn variable(name: &str, value: &str) -> Result<(String, String), String> {
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if !plain(name) {
        return Err(format!("{name:?} is neither a key of the driver nor the name of a session variable"));
    }
    if OWN_VARIABLES.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(format!(
            "{name} cannot be set: every session has the value that its calls rely on; remove it"
        ));
    }
    let found = scan::scan(value, &Lexicon::MYSQL);
    if found.second_statement.is_some()
        || found.unterminated
        || found.start == found.end
        || value.contains('\0')
    {
        return Err(format!(
            "{name} must be one SQL expression; quote texts inside the value, as in \"'text'\""
        ));
    }
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sqlx::mysql::MySqlSslMode;

    use super::Params;

    fn read(key: &str, value: &str) -> Result<Params, String> {
        Params::read(&[(key.to_owned(), value.to_owned())])
    }

    #[test]
    fn tls_has_four_words_of_the_peer() {
        for (word, mode) in [
            ("true", MySqlSslMode::VerifyIdentity),
            ("skip-verify", MySqlSslMode::Required),
            ("preferred", MySqlSslMode::Preferred),
            ("false", MySqlSslMode::Disabled),
        ] {
            let read = read("tls", word).unwrap().tls;
            assert_eq!(format!("{read:?}"), format!("{mode:?}"), "{word}");
        }
        assert!(read("tls", "my-own-ca").unwrap_err().contains("skip-verify"));
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(read("timeout", "5s").unwrap().connect_timeout, Some(Duration::from_secs(5)));
        assert_eq!(read("readTimeout", "1m").unwrap().read_timeout, Some(Duration::from_mins(1)));
        assert!(read("timeout", "5").unwrap_err().contains("30s"));
    }

    #[test]
    fn an_unknown_key_is_a_session_variable() {
        let params = read("group_concat_max_len", "4096").unwrap();
        assert_eq!(params.variables, [("group_concat_max_len".to_owned(), "4096".to_owned())]);
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_its_name() {
        for (key, value) in [
            ("charset", "latin1"),
            ("collation", "latin1_swedish_ci"),
            ("collation", "utf8mb4_bin, x = 1"),
            ("loc", "Europe/Berlin"),
            ("clientFoundRows", "false"),
            ("allowAllFiles", "true"),
            ("autocommit", "0"),
            ("transaction_read_only", "0"),
            ("a b", "1"),
            ("x", "1; DROP TABLE t"),
            ("x", "'"),
        ] {
            let reason = read(key, value).unwrap_err();
            assert!(reason.contains(key), "{key}: {reason}");
        }
    }

    #[test]
    fn keys_that_only_matter_to_the_go_driver_are_accepted() {
        for (key, value) in [
            ("parseTime", "true"),
            ("interpolateParams", "true"),
            ("multiStatements", "true"),
            ("clientFoundRows", "true"),
            ("loc", "UTC"),
            ("charset", "utf8mb4,utf8"),
        ] {
            assert!(read(key, value).unwrap().variables.is_empty(), "{key}");
        }
    }
}
