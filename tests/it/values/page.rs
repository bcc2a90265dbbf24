//! `docs/values.md`: a table of each database stands between two comments, and the rest is written by hand.

use std::{
    env, fs,
    fs::File,
    io::{Read as _, Seek as _, Write as _},
    path::PathBuf,
};

use super::{
    case::Case,
    form::{FORMS, code},
};
use crate::support::{Engine, repository};

/// What brings the page up to date.
pub(super) const UPDATE: &str = "TOOLBOX_UPDATE_DOCS=1 scripts/test --test it values::";

/// The table of one database as the page has it.
#[derive(Debug)]
pub(super) struct Section {
    engine: Engine,
    lines: Vec<String>,
}

impl Section {
    pub(super) fn read(engine: Engine) -> Self {
        let page = fs::read_to_string(path()).expect("docs/values.md");
        let (begin, end) = bounds(&page, engine);
        Self { engine, lines: page[begin..end].lines().map(str::to_owned).collect() }
    }

    /// The row of a case.
    pub(super) fn row_of(&self, case: &Case) -> Option<&str> {
        let beginning = beginning(case);
        self.lines.iter().find(|line| line.starts_with(&beginning)).map(String::as_str)
    }

    /// Writes the table anew where the environment says so; else tells the first difference.
    pub(super) fn settle(&self, rows: &[String]) -> Option<String> {
        let headings = FORMS.iter().map(|form| form.heading);
        let headings: Vec<_> = ["type", "example"].into_iter().chain(headings).chain(["remarks"]).collect();
        let header = [line(headings.iter().copied()), line(headings.iter().map(|_| "---"))];
        let lines: Vec<&String> = header.iter().chain(rows).collect();
        if env::var_os("TOOLBOX_UPDATE_DOCS").is_some() {
            self.write(&lines);
            return None;
        }
        let place = (0..lines.len().max(self.lines.len()))
            .find(|place| lines.get(*place).copied() != self.lines.get(*place))?;
        let shown = |line: Option<&String>| line.map_or("(nothing)", String::as_str).to_owned();
        Some(format!(
            "is:        {}\nshould be: {}",
            shown(self.lines.get(place)),
            shown(lines.get(place).copied())
        ))
    }

    fn write(&self, lines: &[&String]) {
        // Tests of other databases may write their tables at the same moment.
        let mut file = File::options().read(true).write(true).open(path()).expect("docs/values.md");
        file.lock().expect("the page to ourselves");
        let mut page = String::new();
        file.read_to_string(&mut page).expect("text");
        let (begin, end) = bounds(&page, self.engine);
        let table = lines.iter().fold(String::new(), |table, line| table + line + "\n");
        page.replace_range(begin..end, &table);
        file.set_len(0).and_then(|()| file.rewind()).expect("an empty page");
        file.write_all(page.as_bytes()).expect("a written page");
    }
}

/// The row of a case with its cells in every form.
pub(super) fn row(case: &Case, cells: &[String]) -> String {
    let remark = if case.remark.is_empty() { "|".to_owned() } else { format!("{} |", case.remark) };
    format!("{} {} | {remark}", beginning(case), cells.join(" | "))
}

fn beginning(case: &Case) -> String {
    format!("| {} | {} |", case.kind, code(case.example))
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    cells.fold("|".to_owned(), |line, cell| format!("{line} {cell} |"))
}

/// Where the table of a database is.
fn bounds(page: &str, engine: Engine) -> (usize, usize) {
    let (open, close) = (format!("<!-- table of {engine}"), format!("<!-- end of {engine} -->\n"));
    let begin = page.find(&open).unwrap_or_else(|| panic!("docs/values.md has no {open:?}"));
    let begin = begin + page[begin..].find("-->\n").expect("the end of a comment") + 4;
    let end = page[begin..].find(&close).unwrap_or_else(|| panic!("docs/values.md has no {close:?}"));
    (begin, begin + end)
}

fn path() -> PathBuf {
    repository().join("docs/values.md")
}
