//! Compares what a command printed with what is shown.

/// Whether a line that is shown stands for any number of lines.
fn is_gap(line: &str) -> bool {
    line.trim() == "…"
}

/// Whether the printed lines are the shown ones. Blanks at the end of a line do not count.
pub(crate) fn matches(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((gap, rest)) if is_gap(gap) => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed.split_first().is_some_and(|(first, others)| {
            line_matches(line.trim_end(), first.trim_end()) && matches(rest, others)
        }),
    }
}

/// Whether a printed line is the shown one, in which `…` stands for anything.
fn line_matches(shown: &str, printed: &str) -> bool {
    match shown.split_once('…') {
        None => shown == printed,
        Some((start, rest)) => printed.strip_prefix(start).is_some_and(|printed| {
            printed
                .char_indices()
                .map(|(at, _)| at)
                .chain([printed.len()])
                .any(|at| line_matches(rest, &printed[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    fn check(shown: &[&str], printed: &[&str]) -> bool {
        let shown: Vec<String> = shown.iter().map(|&line| line.to_owned()).collect();
        matches(&shown, printed)
    }

    #[test]
    fn equal_lines_match_and_others_do_not() {
        assert!(check(&["a", "b"], &["a", "b  "]));
        assert!(!check(&["a"], &["a", "b"]));
        assert!(!check(&["a", "b"], &["a"]));
        assert!(!check(&["a"], &["A"]));
        assert!(!check(&["a"], &[]));
    }

    #[test]
    fn dots_in_a_line_stand_for_anything_in_it() {
        assert!(check(&["took … ms"], &["took 12.5 ms"]));
        assert!(check(&["…b…d"], &["abcd"]));
        assert!(check(&["é…"], &["éàü"]));
        assert!(!check(&["took … ms"], &["took 12.5 s"]));
        assert!(!check(&["a…a"], &["a"]));
    }

    #[test]
    fn a_line_of_dots_stands_for_any_number_of_lines() {
        assert!(check(&["a", "…", "z"], &["a", "z"]));
        assert!(check(&["a", "…", "z"], &["a", "b", "z", "c", "z"]));
        assert!(check(&["…"], &[]));
        assert!(!check(&["a", "…", "z"], &["a", "b"]));
    }
}
