//! What the configuration says about one database, and the reading of its `database` field.
//!
//! The field is a path, `:memory:`, or a `file:` URI (<https://www.sqlite.org/uri.html>) with the parameters that the Go
//! driver modernc.org/sqlite adds (`_pragma`). SQLite gets a plain path and pragmas from us, never the URI itself, so an
//! unknown parameter is an error and not silence. Nothing here touches the file.

use std::{path::PathBuf, sync::atomic, time::Duration};

use percent_encoding::percent_decode_str;

/// What the configuration says about one `SQLite` database.
#[derive(Clone, Debug)]
pub struct Options {
    /// A path, `:memory:`, or a `file:` URI.
    pub database: String,
    /// Folder of sqlx migrations, applied when the source first connects. Naming one also lets the file be created.
    pub migrations: Option<PathBuf>,
    /// Whether every statement is read-only, whoever wrote it.
    pub read_only: bool,
    /// Most connections of both lanes together.
    pub max_connections: usize,
    /// How long a call waits for a free connection.
    pub acquire_timeout: Duration,
}

/// Where the database is and how it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) place: Place,
    pub(crate) opening: Opening,
    /// `cache=shared`.
    pub(crate) cache: Cache,
    /// `immutable=1`: nobody changes the file, so nothing is locked.
    pub(crate) immutable: bool,
    /// How long a statement waits for a lock of another program.
    pub(crate) busy_timeout: Duration,
    /// Pragmas of every connection, in the order written.
    pub(crate) pragmas: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file, relative to the working directory unless absolute.
    File(PathBuf),
    /// A database in memory, by the name under which this process knows it.
    Memory(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Only for reading: `mode=ro`.
    ReadOnly,
    /// The file must exist.
    Existing,
    /// The file is created: `mode=rwc`.
    Creating,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    Private,
    Shared,
}

/// Five seconds, as most drivers have it; `SQLite` itself does not wait at all.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The pragmas that a URI may set: those that keep a connection usable by every call.
const PRAGMAS: [&str; 17] = [
    "auto_vacuum",
    "automatic_index",
    "busy_timeout",
    "cache_size",
    "case_sensitive_like",
    "cell_size_check",
    "foreign_keys",
    "journal_mode",
    "journal_size_limit",
    "mmap_size",
    "page_size",
    "recursive_triggers",
    "secure_delete",
    "synchronous",
    "temp_store",
    "trusted_schema",
    "wal_autocheckpoint",
];

impl Location {
    /// Reads the `database` field.
    pub(crate) fn parse(database: &str) -> Result<Self, String> {
        if database.is_empty() {
            return Err("database is empty: name a file, :memory:, or a file: URI".to_owned());
        }
        if database.contains('\0') {
            return Err(format!("database {database:?} holds a NUL character"));
        }
        let place = match database {
            ":memory:" => Place::Memory(anonymous()),
            _ => match database.strip_prefix("file:") {
                Some(uri) => return Self::parse_uri(uri),
                None => Place::File(PathBuf::from(database)),
            },
        };
        Ok(Self::at(place))
    }

    fn at(place: Place) -> Self {
        Self {
            place,
            opening: Opening::Existing,
            cache: Cache::Private,
            immutable: false,
            busy_timeout: BUSY_TIMEOUT,
            pragmas: Vec::new(),
        }
    }

    fn parse_uri(uri: &str) -> Result<Self, String> {
        let uri = uri.split_once('#').map_or(uri, |(before, _)| before);
        let (path, parameters) = uri.split_once('?').unwrap_or((uri, ""));
        let path = match path.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
                if !authority.is_empty() && !authority.eq_ignore_ascii_case("localhost") {
                    return Err(format!(
                        "the file: URI names the host {authority:?}: use file:relative/path or file:///absolute/path"
                    ));
                }
                path
            }
            None => path,
        };
        let path = decode(path)?;
        let mut location = Self::at(if path == ":memory:" || path.is_empty() {
            Place::Memory(anonymous())
        } else {
            Place::File(PathBuf::from(&path))
        });
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            location.set(&decode(key)?, &decode(value)?, &path)?;
        }
        if path.is_empty()
            && matches!(location.place, Place::Memory(_))
            && !parameters.contains("mode=memory")
        {
            return Err("the file: URI names no file: use file:path/to/file.db, or :memory:".to_owned());
        }
        Ok(location)
    }

    fn set(&mut self, key: &str, value: &str, path: &str) -> Result<(), String> {
        match (key, value) {
            ("mode", "ro") => self.opening = Opening::ReadOnly,
            ("mode", "rw") => self.opening = Opening::Existing,
            ("mode", "rwc") => self.opening = Opening::Creating,
            ("mode", "memory") => {
                // As in SQLite, a database in memory has a name that others can use only when the cache is shared; here it
                // is enough to give it one.
                let name = if path.is_empty() || path == ":memory:" {
                    anonymous()
                } else {
                    format!("/named/{path}")
                };
                self.place = Place::Memory(name);
            }
            ("cache", "private") => self.cache = Cache::Private,
            ("cache", "shared") => self.cache = Cache::Shared,
            ("immutable", _) => {
                self.immutable = boolean(value)
                    .ok_or_else(|| format!("immutable={value} in the file: URI is no boolean: use 1 or 0"))?;
            }
            ("_pragma", _) => self.set_pragma(value)?,
            ("mode" | "cache", _) => {
                let known = if key == "mode" { "ro, rw, rwc or memory" } else { "private or shared" };
                return Err(format!("{key}={value} in the file: URI is unknown: use {known}"));
            }
            _ => {
                return Err(format!(
                    "the parameter {key:?} of the file: URI is unknown: use mode, cache, immutable or _pragma"
                ));
            }
        }
        Ok(())
    }

    /// Takes `name(value)` or `name=value`.
    fn set_pragma(&mut self, written: &str) -> Result<(), String> {
        let form = || format!("_pragma={written} is no pragma: write _pragma=name(value)");
        let (name, value) = match written.split_once('(') {
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(form)?),
            None => written.split_once('=').ok_or_else(form)?,
        };
        let name = name.trim().to_ascii_lowercase();
        let value = value.trim();
        if !PRAGMAS.contains(&name.as_str()) {
            return Err(format!(
                "the pragma {name:?} cannot be set by the file: URI: use one of {}",
                PRAGMAS.join(", ")
            ));
        }
        let plain = value.strip_prefix('-').unwrap_or(value);
        if plain.is_empty() || !plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(format!("the value {value:?} of the pragma {name} is neither a number nor a word"));
        }
        if name == "busy_timeout" {
            let milliseconds = value.parse().map_err(|_| {
                format!("the value {value:?} of the pragma busy_timeout is no number of milliseconds")
            })?;
            self.busy_timeout = Duration::from_millis(milliseconds);
        } else {
            self.pragmas.push((name, value.to_owned()));
        }
        Ok(())
    }
}

/// A name that no other source has.
fn anonymous() -> String {
    static NEXT: atomic::AtomicUsize = atomic::AtomicUsize::new(0);
    format!("/anonymous/{}", NEXT.fetch_add(1, atomic::Ordering::Relaxed))
}

fn decode(text: &str) -> Result<String, String> {
    let decoded = percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| format!("{text:?} in the file: URI does not decode to UTF-8"))?;
    if decoded.contains('\0') {
        return Err(format!("{text:?} in the file: URI holds a NUL character"));
    }
    Ok(decoded.into_owned())
}

/// As `SQLite` reads booleans in URIs.
fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "yes" | "true" | "on" => Some(true),
        "0" | "no" | "false" | "off" => Some(false),
        _ => None,
    }
}
