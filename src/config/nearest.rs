//! "Did you mean": the nearest of the names that would have been right.

/// The candidate that a misspelt name most likely means, if there is one near enough to be of help.
///
/// Letter case, `-`, `_` and blanks do not count, so `max_rows` finds `maxRows`; beyond that one slip in three characters
/// is allowed.
pub(super) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let plain = plain(name);
    let allowed = (plain.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&plain, &self::plain(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A help line: the nearest candidate, or all of them.
pub(super) fn suggestion<'c>(
    name: &str,
    what: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    match (nearest(name, candidates.iter().copied()), candidates.as_slice()) {
        (Some(candidate), _) => format!("did you mean `{candidate}`?"),
        (None, []) => format!("there is no {what}"),
        (None, [only]) => format!("the only {what} is `{only}`"),
        (None, many) => format!("{what}s: {}", list(many)),
    }
}

/// Names in a sentence, each in backquotes; a long list is cut and says so.
fn list(names: &[&str]) -> String {
    /// More than the fields of any entry.
    const SHOWN: usize = 24;
    let mut text: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if let Some(more) = names.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push(format!("and {more} more"));
    }
    text.join(", ")
}

fn plain(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn case_and_separators_do_not_count_and_strangers_are_not_offered() {
        let keys = ["maxRows", "readOnly", "tools"];
        assert_eq!(nearest("max_rows", keys), Some("maxRows"));
        assert_eq!(nearest("readonly", keys), Some("readOnly"));
        assert_eq!(nearest("tolls", keys), Some("tools"));
        assert_eq!(nearest("description", keys), None);
    }
}
