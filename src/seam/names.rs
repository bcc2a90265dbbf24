//! Names of columns that are unique in the output, in every encoding.

use std::collections::{HashMap, HashSet};

use toolbox_source::Column;

/// One name a column, in order. Real names win; each repetition takes the lowest suffix from `_2` on that is free, so
/// `id, id, id_2` becomes `id, id_3, id_2`. Empty names stay empty.
pub(super) fn unique(columns: &[Column]) -> Vec<String> {
    let mut taken: HashSet<String> = columns.iter().map(|column| column.name.clone()).collect();
    let mut next: HashMap<&str, usize> = HashMap::new();
    let mut names = Vec::with_capacity(columns.len());
    for column in columns {
        let Some(suffix) = next.get_mut(column.name.as_str()) else {
            next.insert(&column.name, 2);
            names.push(column.name.clone());
            continue;
        };
        let name = loop {
            let candidate = format!("{}_{suffix}", column.name);
            *suffix += 1;
            if taken.insert(candidate.clone()) {
                break candidate;
            }
        };
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use toolbox_source::ColumnKind;

    use super::*;

    fn check(names: &[&str], expected: &[&str]) {
        let columns: Vec<Column> =
            names.iter().map(|name| Column { name: (*name).to_owned(), kind: ColumnKind::Any }).collect();
        assert_eq!(unique(&columns), expected);
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
        let columns: Vec<Column> =
            names.iter().map(|name| Column { name: (*name).to_owned(), kind: ColumnKind::Any }).collect();
        let unique = unique(&columns);
        assert_eq!(unique.iter().collect::<HashSet<_>>().len(), 1000);
        assert_eq!(unique.last().map(String::as_str), Some("?column?_1000"));
    }
}
