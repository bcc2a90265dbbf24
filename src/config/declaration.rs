//! From documents to declarations: which kind of entry has which name, in either form of a file.

use std::collections::HashMap;

use super::{
    diagnostic::Report,
    fields::{Fields, Form},
    kind::Kind,
    nearest::suggestion,
    node::{Content, Entry, Key, Node},
    text::{Place, Text},
};

/// One entry of the configuration, not yet looked into.
#[derive(Debug)]
pub(super) struct Declaration {
    /// What it declares.
    pub(super) kind: Kind,
    /// Its name, and where that stands.
    pub(super) name: Key,
    /// How it is written.
    pub(super) form: Form,
    /// Its fields; in the flat form also `kind` and `name`.
    pub(super) node: Node,
}

impl Declaration {
    /// What it is, for messages: ``source `shop` ``.
    pub(super) fn owner(&self) -> String {
        format!("{} `{}`", self.kind.word(), self.name.shown)
    }

    /// Its fields, those that make it a document of its own already accepted.
    pub(super) fn fields(&self, report: &mut Report) -> Option<Fields<'_>> {
        let mut fields = Fields::new(self.owner(), &self.name.place, &self.node, self.form, report)?;
        if self.form == Form::Flat {
            fields.skip("kind");
            fields.skip("name");
        }
        Some(fields)
    }

    /// Whether two declarations say the same, in whichever form.
    fn says_the_same(&self, other: &Self) -> bool {
        self.plain().says_the_same(&other.plain())
    }

    /// Its fields without what only the form asks for.
    fn plain(&self) -> Node {
        let mut node = self.node.clone();
        if let Content::Map(entries) = &mut node.content {
            match self.form {
                Form::Flat => entries.retain(|entry| !matches!(entry.key.text.as_str(), "kind" | "name")),
                Form::Nested => {
                    for entry in entries.iter_mut().filter(|entry| entry.key.text == "kind") {
                        "type".clone_into(&mut entry.key.text);
                    }
                }
            }
        }
        node
    }
}

/// The declarations of a document: one in the flat form, any number in the nested form.
pub(super) fn read(document: Node, report: &mut Report) -> Vec<Declaration> {
    let entries = match document.content {
        Content::Map(entries) => entries,
        Content::Faulty => {
            report.mark_incomplete();
            return Vec::new();
        }
        _ => {
            report.fault(
                &document.place,
                format!("a document must be a map, and this is {}", document.description()),
                "begin it with `kind:`, or with `sources:` and `tools:`; separate documents with `---`",
            );
            report.mark_incomplete();
            return Vec::new();
        }
    };
    if entries.iter().any(|entry| entry.key.text == "kind") {
        flat(Node { place: document.place, content: Content::Map(entries) }, report).into_iter().collect()
    } else {
        nested(entries, report)
    }
}

fn flat(node: Node, report: &mut Report) -> Option<Declaration> {
    let mut fields = Fields::new("the document".to_owned(), &node.place, &node, Form::Flat, report)?;
    let word = fields.required_name("kind", report);
    let kind = word.as_ref().and_then(|word| Kind::of_word(&word.text));
    if let (Some(word), None) = (&word, kind) {
        let help = suggestion(&word.shown, "kind", Kind::words());
        report.fault(&word.place, format!("unknown kind `{}`", word.shown), help);
    }
    let name = fields.required_name("name", report);
    let (Some(kind), Some(name)) = (kind, name) else {
        report.mark_incomplete();
        return None;
    };
    Some(Declaration { kind, name, form: Form::Flat, node })
}

fn nested(entries: Vec<Entry>, report: &mut Report) -> Vec<Declaration> {
    let mut declarations = Vec::new();
    for Entry { key, value } in entries {
        let Some(kind) = Kind::of_key(&key.text) else {
            unknown_key(&key, report);
            report.mark_incomplete();
            continue;
        };
        match value.content {
            Content::Map(members) => declarations.extend(members.into_iter().map(|member| Declaration {
                kind,
                name: member.key,
                form: Form::Nested,
                node: member.value,
            })),
            Content::Faulty => report.mark_incomplete(),
            _ if value.is_null() => {}
            _ => {
                report.fault(
                    &value.place,
                    format!("`{}` must be a map of names, and this is {}", key.text, value.description()),
                    format!("write the name of each {} as a key, with its fields below it", kind.word()),
                );
                report.mark_incomplete();
            }
        }
    }
    declarations
}

fn unknown_key(key: &Key, report: &mut Report) {
    let help = match key.text.as_str() {
        "name" | "type" => "a document of one entry begins with `kind:`".to_owned(),
        "authSources" => "the word for this is `authServices`, which is not served yet".to_owned(),
        "promptsets" => "use `groups`".to_owned(),
        text if Kind::of_word(text).is_some() => {
            format!("write `{text}s:` with names below it, or a document with `kind: {text}`")
        }
        _ => suggestion(&key.shown, "key", Kind::keys()),
    };
    report.fault(&key.place, format!("unknown key `{}` at the top of a document", key.shown), help);
}

/// Keeps the first of each name. The same source in two files is one source when both say the same; anything else that
/// is declared twice is a fault.
pub(super) fn without_repetitions(
    declarations: Vec<Declaration>,
    texts: &[Text],
    report: &mut Report,
) -> Vec<Declaration> {
    let mut kept: Vec<Declaration> = Vec::new();
    let mut known: HashMap<(&'static str, String), usize> = HashMap::new();
    for declaration in declarations {
        let key = (declaration.kind.name_space(), declaration.name.text.clone());
        let Some(first) = known.get(&key).and_then(|index| kept.get(*index)) else {
            known.insert(key, kept.len());
            kept.push(declaration);
            continue;
        };
        let other_file = first.name.place.file != declaration.name.place.file;
        let both_sources = declaration.kind == Kind::Source;
        if both_sources && other_file && first.says_the_same(&declaration) {
            continue;
        }
        let what = if both_sources && other_file {
            format!("{} is declared twice, with different fields", declaration.owner())
        } else {
            format!("{} is declared twice", declaration.owner())
        };
        let place = place_text(&first.name.place, texts);
        let help = if first.kind == declaration.kind {
            format!("the first one is at {place}; rename or remove one")
        } else {
            format!("{} is at {place}; toolsets and groups share their names, so rename one", first.owner())
        };
        report.fault(&declaration.name.place, what, help);
    }
    kept
}

/// Refuses the kinds that are not served yet and keeps the others.
pub(super) fn only_served(declarations: Vec<Declaration>, report: &mut Report) -> Vec<Declaration> {
    let (refused, served): (Vec<_>, Vec<_>) =
        declarations.into_iter().partition(|one| matches!(one.kind, Kind::NotServed(_)));
    for declaration in refused {
        report.fault(
            &declaration.name.place,
            format!("{}: this kind is not served yet", declaration.owner()),
            "remove it from the files that this server reads",
        );
    }
    served
}

/// Checks the characters of a name.
pub(super) fn check_name(
    owner: &str,
    name: &Key,
    allowed: fn(char) -> bool,
    characters: &str,
    report: &mut Report,
) {
    const LONGEST: usize = 128;
    let count = name.text.chars().count();
    if (1..=LONGEST).contains(&count) && name.text.chars().all(allowed) {
        return;
    }
    let message = if count > LONGEST {
        format!("the name of {owner} has {count} characters, and {LONGEST} are allowed")
    } else {
        format!("the name of {owner} has characters that are not allowed")
    };
    report.fault(&name.place, message, format!("use 1 to {LONGEST} of {characters}"));
}

/// `tools.yaml:3:7`.
fn place_text(place: &Place, texts: &[Text]) -> String {
    texts.get(place.file).map_or_else(String::new, |text| {
        let (line, column) = text.position(place.span.start);
        format!("{}:{line}:{column}", text.name())
    })
}
