//! Which files make up the configuration, and their texts.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    diagnostic::Report,
    text::{Place, Text},
};

/// The files that the command line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where they are.
    pub files: Files,
    /// `--ignore-unknown-tools`: a tool of an unknown type is a warning, and the tool is left out of its toolsets.
    pub ignore_unknown_tools: bool,
}

/// `--config`, `--configs` or `--config-folder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// These files, in this order, merged.
    Named(Vec<PathBuf>),
    /// Every `*.yaml`, then every `*.yml` of a folder, each sorted by name.
    Folder(PathBuf),
}

/// The largest file that is read, in bytes. A configuration of ten thousand tools has a few MB.
const LARGEST: u64 = 32 << 20;

/// Reads the files. One that cannot be read is a fault, and the others are read all the same.
pub(super) fn read(files: &Files, report: &mut Report) -> Vec<Text> {
    let paths = match files {
        Files::Named(paths) => paths.clone(),
        Files::Folder(folder) => match list(folder) {
            Ok(paths) if paths.is_empty() => {
                report.fault_without_place(
                    format!("the folder {} holds no *.yaml and no *.yml file", folder.display()),
                    "name the folder that holds the configuration; folders inside it are not searched",
                );
                paths
            }
            Ok(paths) => paths,
            Err(error) if folder.is_file() => {
                report.fault_without_place(
                    format!("{} is no folder: {}", folder.display(), reason(&error)),
                    "name a single file with --config",
                );
                Vec::new()
            }
            Err(error) => {
                report.fault_without_place(
                    format!("cannot read the folder {}: {}", folder.display(), reason(&error)),
                    "check the path after --config-folder",
                );
                Vec::new()
            }
        },
    };
    let mut texts = Vec::new();
    for path in paths {
        match bytes(&path) {
            Ok(bytes) => {
                let text = text(&path, bytes, texts.len(), report);
                texts.push(text);
            }
            Err(error) => report.fault_without_place(
                format!("cannot read {}: {}", path.display(), reason(&error)),
                if path.is_dir() {
                    "name a file, or use --config-folder for a folder"
                } else {
                    "check the path, and that this user may read the file"
                },
            ),
        }
    }
    texts
}

/// The files of a folder, `*.yaml` before `*.yml`.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut yaml = Vec::new();
    let mut short = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            continue;
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("yaml") => yaml.push(path),
            Some("yml") => short.push(path),
            _ => {}
        }
    }
    yaml.sort_unstable();
    short.sort_unstable();
    yaml.append(&mut short);
    Ok(yaml)
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let size = fs::metadata(path)?.len();
    if size > LARGEST {
        let message = format!("it has {size} bytes, and at most {LARGEST} are read");
        return Err(io::Error::other(message));
    }
    fs::read(path)
}

/// The operating system's words, in our spelling.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "it is a file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string().to_lowercase(),
    }
}

/// The text of a file, without a byte-order mark. Only UTF-8 is read.
fn text(path: &Path, bytes: Vec<u8>, file: usize, report: &mut Report) -> Text {
    let name = path.display().to_string();
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    if is_utf16(&bytes) {
        report.fault_without_place(
            format!("{name} is UTF-16"),
            "save it as UTF-8; in PowerShell, `Set-Content -Encoding utf8` does",
        );
        return Text::new(name, String::new());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Text::new(name, text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = Text::new(name, String::from_utf8_lossy(error.as_bytes()).into_owned());
            let place = Place { file, span: at..at + char::REPLACEMENT_CHARACTER.len_utf8() };
            report.fault(&place, "the file is not valid UTF-8 from here on", "save it as UTF-8");
            report.mark_incomplete();
            text
        }
    }
}

/// A byte-order mark of UTF-16, or zero bytes where UTF-16 puts them for the first two ASCII characters.
fn is_utf16(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=255, 0, 1..=255, ..] | [1..=255, 0, 1..=255, 0, ..]
    )
}
