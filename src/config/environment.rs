//! `${NAME}` and `${NAME:default}` in the text of a file.
//!
//! The value of a variable must never become YAML structure, so references are masked before the text is parsed and their
//! values are put into the parsed scalars afterwards. A mask is one private-use character that the text itself does not
//! hold, followed by the letter `x` up to the length of the reference in bytes, so every position stays where it was.
//!
//! The rules are those of MCP Toolbox: a name is letters, digits and underscores; the first colon begins the default; the
//! default ends at the first `}` and may span lines; nothing nests and nothing escapes; `${ A }` and `$A` are text; a set
//! but empty variable is a value. This module must not know where the values come from, nor what a reference is for.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

use regex::Regex;

static REFERENCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\$\{(?<name>[A-Za-z0-9_]+)(?::(?<default>[^}]*))?\}").ok());

/// Escapes of a double-quoted scalar that may stand for a private-use character of four bytes: `\U000F0000`, or a pair
/// of surrogates as in JSON.
static ESCAPE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\\U(?<long>[0-9A-Fa-f]{8})|\\u(?<high>[Dd][Bb][0-9A-Fa-f]{2})\\u(?<low>[Dd][C-Fc-f][0-9A-Fa-f]{2})",
    )
    .ok()
});

/// Private-use planes 15 and 16, whose characters all take four bytes: the length of the shortest reference, `${A}`.
const MASKS: [std::ops::RangeInclusive<char>; 2] = ['\u{f0000}'..='\u{ffffd}', '\u{100000}'..='\u{10fffd}'];
/// Bytes of a character of [`MASKS`].
const MASK_BYTES: usize = 4;
/// Fills a mask up. A letter is no part of YAML's syntax wherever it stands behind another character.
const FILL: char = 'x';

/// One reference to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// Where it stands, in bytes, from `$` to `}`.
    pub(super) span: Range<usize>,
    /// The variable.
    pub(super) name: String,
    /// What holds when the variable is not set.
    pub(super) default: Option<String>,
}

/// A text in which references are masked.
#[derive(Debug)]
pub(super) struct Masked {
    text: String,
    references: HashMap<char, Reference>,
}

/// There are more references than there are private-use characters left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Masked {
    /// Masks every reference of a text, except those that begin at one of the given offsets and stay text.
    pub(super) fn new(text: &str, except: &BTreeSet<usize>) -> Result<Self, TooMany> {
        let mut taken = private_use(text);
        taken.extend(escaped_private_use(text));
        let mut free = MASKS.into_iter().flatten().filter(|mask| !taken.contains(mask));
        let mut masked = String::with_capacity(text.len());
        let mut references = HashMap::new();
        let mut copied = 0;
        for reference in find(text, except) {
            let mask = free.next().ok_or(TooMany)?;
            masked.push_str(text.get(copied..reference.span.start).unwrap_or_default());
            masked.push(mask);
            masked.extend(std::iter::repeat_n(FILL, reference.span.len().saturating_sub(MASK_BYTES)));
            copied = reference.span.end;
            references.insert(mask, reference);
        }
        masked.push_str(text.get(copied..).unwrap_or_default());
        Ok(Self { text: masked, references })
    }

    /// The text to parse: as long as the original, in bytes.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The references that begin inside a range.
    pub(super) fn references_in(&self, span: &Range<usize>) -> impl Iterator<Item = &Reference> {
        self.references.values().filter(|reference| span.contains(&reference.span.start))
    }

    /// Puts something in place of each mask of a parsed text.
    pub(super) fn replace<'t>(
        &self,
        parsed: &'t str,
        mut value: impl FnMut(&Reference) -> Cow<'t, str>,
    ) -> Cow<'t, str> {
        if !parsed.chars().any(|char| self.references.contains_key(&char)) {
            return Cow::Borrowed(parsed);
        }
        let mut text = String::with_capacity(parsed.len());
        let mut chars = parsed.chars();
        while let Some(char) = chars.next() {
            let Some(reference) = self.references.get(&char) else {
                text.push(char);
                continue;
            };
            for _ in MASK_BYTES..reference.span.len() {
                chars.next();
            }
            text.push_str(&value(reference));
        }
        Cow::Owned(text)
    }
}

/// The parts of a text that a reader may see even where values are covered: references without their defaults.
pub(super) fn references(text: &str) -> Vec<Range<usize>> {
    let mut shown = Vec::new();
    for reference in find(text, &BTreeSet::new()) {
        let default = reference.default.map_or(0, |default| default.len());
        shown.push(reference.span.start..reference.span.end - 1 - default);
        shown.push(reference.span.end - 1..reference.span.end);
    }
    shown
}

fn find(text: &str, except: &BTreeSet<usize>) -> Vec<Reference> {
    let Some(pattern) = REFERENCE.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(captures) = pattern.captures_at(text, from) {
        let (Some(all), Some(name)) = (captures.get(0), captures.name("name")) else { break };
        if except.contains(&all.start()) {
            from = name.end();
            continue;
        }
        found.push(Reference {
            span: all.range(),
            name: name.as_str().to_owned(),
            default: captures.name("default").map(|default| default.as_str().to_owned()),
        });
        from = all.end();
    }
    found
}

fn private_use(text: &str) -> HashSet<char> {
    text.chars().filter(|char| MASKS.iter().any(|plane| plane.contains(char))).collect()
}

fn escaped_private_use(text: &str) -> HashSet<char> {
    let Some(pattern) = ESCAPE.as_ref() else { return HashSet::new() };
    let hex = |name, captures: &regex::Captures<'_>| {
        u32::from_str_radix(captures.name(name).map_or("", |digits| digits.as_str()), 16).ok()
    };
    pattern
        .captures_iter(text)
        .filter_map(|captures| {
            if let Some(code) = hex("long", &captures) {
                return char::from_u32(code);
            }
            let units = [hex("high", &captures)?, hex("low", &captures)?];
            let units = units.map(|unit| u16::try_from(unit).unwrap_or_default());
            char::decode_utf16(units).next()?.ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Vec<(String, Option<String>)> {
        find(text, &BTreeSet::new()).into_iter().map(|found| (found.name, found.default)).collect()
    }

    #[test]
    fn names_and_defaults_follow_the_rules_of_mcp_toolbox() {
        let one = |name: &str, default: Option<&str>| vec![(name.to_owned(), default.map(str::to_owned))];
        assert_eq!(spelled("${A}"), one("A", None));
        assert_eq!(spelled("${A:}"), one("A", Some("")));
        assert_eq!(spelled("${A:a:b://c}"), one("A", Some("a:b://c")));
        assert_eq!(spelled("${A:-d}"), one("A", Some("-d")));
        assert_eq!(spelled("${A:${B}}"), one("A", Some("${B")));
        assert_eq!(spelled("${A:x}y}"), one("A", Some("x")));
        assert_eq!(spelled("${A:two\nlines}"), one("A", Some("two\nlines")));
        assert_eq!(spelled("$${A}"), one("A", None));
        for text in ["${ A }", "${A-B}", "$A", "${Ä}", "${}", "$1", "$$x$$"] {
            assert_eq!(spelled(text), [], "{text}");
        }
    }

    #[test]
    fn a_mask_has_the_length_of_its_reference() {
        for text in ["${A}", "${AB}", "a ${ABC} b", "é${A:ü}${B}"] {
            let masked = Masked::new(text, &BTreeSet::new()).unwrap();
            assert_eq!(masked.as_str().len(), text.len());
            assert!(!masked.as_str().contains('$'));
            let back = masked.replace(masked.as_str(), |reference| {
                Cow::Owned(text.get(reference.span.clone()).unwrap().to_owned())
            });
            assert_eq!(back, text);
        }
    }

    #[test]
    fn private_use_characters_of_the_text_are_never_used_as_masks() {
        let text = "\u{f0000} ${A} \"\\U000F0001\" \"\\uDB80\\uDC02\"";
        let masked = Masked::new(text, &BTreeSet::new()).unwrap();
        assert_eq!(masked.references.keys().copied().collect::<Vec<_>>(), ['\u{f0003}']);
    }
}
