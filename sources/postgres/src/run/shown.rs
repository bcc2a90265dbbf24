//! The row or the key whose constraint does not hold, as the detail of the error shows it: `Failing row contains (1, x).`,
//! `Key (a)=(1) already exists.` (<https://www.postgresql.org/docs/current/protocol-error-fields.html>).

/// How long the values of a row are shown at most, in bytes; longer ones are cut.
const LONGEST: usize = 64;

pub(super) struct Shown<'d> {
    /// The columns or expressions; none for all columns of the table.
    names: Option<Vec<&'d str>>,
    values: Vec<&'d str>,
}

impl<'d> Shown<'d> {
    /// What a detail shows; none where it does not say which value is which column's.
    pub(super) fn read(detail: &'d str) -> Option<Self> {
        let (_, rest) = detail.split_once('(')?;
        let (names, values) = match (rest.split_once(")=("), rest.split_once(") = (")) {
            // A key is followed by what is wrong with it.
            (Some((names, values)), _) => (Some(names), values.split_once(") ")?.0),
            (None, Some((names, values))) => (Some(names), values.strip_suffix(").")?),
            (None, None) => (None, rest.strip_suffix(").")?),
        };
        let names = names.map(|names| names.split(", ").collect::<Vec<_>>());
        let values: Vec<&str> = values.split(", ").collect();
        let is_clear = names.as_ref().is_none_or(|names| names.len() == values.len());
        is_clear.then_some(Self { names, values })
    }

    /// Whether this is not the value that it shows of a column. `columns` are all of the table.
    pub(super) fn denies<'c>(
        &self,
        column: &str,
        mut columns: impl ExactSizeIterator<Item = &'c str>,
        value: &str,
    ) -> bool {
        let place = match &self.names {
            Some(names) => {
                names.iter().position(|name| name.trim_matches('"').replace("\"\"", "\"") == column)
            }
            None if columns.len() == self.values.len() => columns.position(|name| name == column),
            None => None,
        };
        let Some(shown) = place.and_then(|place| self.values.get(place)) else { return false };
        match shown.strip_suffix("...") {
            Some(start) if value.len() > LONGEST => !value.starts_with(start),
            _ => *shown != value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn a_detail_denies_the_values_that_it_does_not_show() {
        let long = "x".repeat(70);
        let cut = format!("Failing row contains (1, {}...).", "x".repeat(64));
        let columns = ["a", "b c"];
        for (detail, column, value, is_denied) in [
            ("Failing row contains (1, y).", "a", "1", false),
            ("Failing row contains (1, y).", "b c", "z", true),
            // One of them has a comma in it.
            ("Failing row contains (1, y, z).", "a", "2", false),
            ("Failing row contains (a, b c) = (1, y).", "a", "2", true),
            (&cut, "b c", &long, false),
            (&cut, "b c", "x", true),
            ("Key (a)=(1) already exists.", "a", "1", false),
            ("Key (a)=(1) already exists.", "a", "2", true),
            ("Key (a)=(1) already exists.", "b c", "2", false),
            ("Key (a, \"b c\")=(1, 2) is not present in table \"t\".", "b c", "3", true),
            ("Key (a)=([1,2)) conflicts with existing key (a)=([1,5)).", "a", "[1,2)", false),
            ("Key (lower(a))=(x) already exists.", "a", "X", false),
            ("Partition key of the failing row contains (a) = (50).", "a", "51", true),
        ] {
            let denies =
                Shown::read(detail).is_some_and(|shown| shown.denies(column, columns.into_iter(), value));
            assert_eq!(denies, is_denied, "{detail} {column} {value}");
        }
        assert!(Shown::read("").is_none());
    }
}
