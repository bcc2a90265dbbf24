//! Names that are unique, for columns and for the fields of rows.

use std::collections::{HashMap, HashSet};

/// One name for each, in order. Real names win; each repetition takes the lowest suffix from `_2` on that is free, so
/// `id, id, id_2` becomes `id, id_3, id_2`. Empty names stay empty.
#[must_use]
pub fn unique(names: &[&str]) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut next: HashMap<&str, usize> = HashMap::new();
    let mut told_apart = Vec::with_capacity(names.len());
    for name in names {
        let Some(suffix) = next.get_mut(name) else {
            next.insert(name, 2);
            told_apart.push((*name).to_owned());
            continue;
        };
        let free = loop {
            let candidate = format!("{name}_{suffix}");
            *suffix += 1;
            if taken.insert(candidate.clone()) {
                break candidate;
            }
        };
        told_apart.push(free);
    }
    told_apart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], expected: &[&str]) {
        assert_eq!(unique(names), expected);
    }

    #[test]
    fn names_that_do_not_repeat_stay() {
        check(&["id", "Id", "a b", ""], &["id", "Id", "a b", ""]);
    }

    #[test]
    fn a_repeated_name_takes_the_lowest_free_suffix() {
        check(&["id", "id", "id"], &["id", "id_2", "id_3"]);
    }

    #[test]
    fn real_names_win_wherever_they_stand() {
        check(&["id", "id", "id_2"], &["id", "id_3", "id_2"]);
        check(&["id_2", "id", "id", "id_2"], &["id_2", "id", "id_3", "id_2_2"]);
    }

    #[test]
    fn empty_names_are_kept_and_told_apart() {
        check(&["", "", "_2"], &["", "_3", "_2"]);
    }

    #[test]
    fn a_thousand_equal_names_are_a_thousand_names() {
        let names = vec!["?column?"; 1000];
        let unique = unique(&names);
        assert_eq!(unique.iter().collect::<HashSet<_>>().len(), 1000);
        assert_eq!(unique.last().map(String::as_str), Some("?column?_1000"));
    }
}
