//! The figures: bytes and tokens of each form, and which one is best.

use crate::seam::{Comparison, Encoding};

/// What a result costs in every form.
#[derive(Debug)]
pub(super) struct Scorecard {
    /// Whose result it is.
    pub(super) name: String,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// JSON first.
    pub(super) forms: Vec<Line>,
    /// The values alone.
    pub(super) floor: Cost,
    /// The form that is sent and costs the fewest o200k tokens; of equal ones the first.
    pub(super) winner: Encoding,
    /// What `auto` sends.
    pub(super) auto: Encoding,
}

/// One form.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) encoding: Encoding,
    /// None where the form cannot be written at all.
    pub(super) cost: Option<Cost>,
    /// Why JSON is sent instead, where it is.
    pub(super) refusal: Option<String>,
}

/// Bytes and tokens of the text blocks of a result, added up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    pub(super) bytes: usize,
    pub(super) o200k: usize,
    pub(super) cl100k: usize,
}

impl Scorecard {
    pub(super) fn new(name: String, comparison: &Comparison) -> Self {
        let (o200k, cl100k) = (tiktoken_rs::o200k_base_singleton(), tiktoken_rs::cl100k_base_singleton());
        let measures: [&dyn Fn(&str) -> usize; 3] =
            [&str::len, &|text| o200k.count_ordinary(text), &|text| cl100k.count_ordinary(text)];
        let forms: Vec<Line> = comparison
            .candidates
            .iter()
            .map(|candidate| Line {
                encoding: candidate.encoding,
                cost: Cost::of(measures.map(|measure| candidate.sum(measure))),
                refusal: candidate.refusal.as_ref().map(ToString::to_string),
            })
            .collect();
        let sent = forms.iter().filter(|line| line.refusal.is_none());
        let winner = sent
            .filter_map(|line| Some((line.cost?.o200k, line.encoding)))
            .min_by_key(|(tokens, _)| *tokens)
            .map_or(Encoding::Json, |(_, encoding)| encoding);
        Self {
            name,
            rows: comparison.rows,
            columns: comparison.columns,
            forms,
            floor: Cost::of(measures.map(|measure| Some(comparison.floor(measure)))).unwrap_or_default(),
            winner,
            auto: comparison.auto,
        }
    }

    /// What JSON costs.
    pub(super) fn json(&self) -> Cost {
        self.forms.first().and_then(|line| line.cost).unwrap_or_default()
    }
}

impl Cost {
    /// From bytes, tokens of o200k and tokens of cl100k, if there are any.
    fn of(measured: [Option<usize>; 3]) -> Option<Self> {
        let [bytes, o200k, cl100k] = measured;
        Some(Self { bytes: bytes?, o200k: o200k?, cl100k: cl100k? })
    }
}

/// The difference to what JSON costs in tenths of a percent, rounded to the nearest; none where JSON costs nothing.
pub(super) fn tenths_of_percent(cost: usize, json: usize) -> Option<i64> {
    let (cost, json) = (i64::try_from(cost).ok()?, i64::try_from(json).ok()?);
    let doubled = (cost - json).checked_mul(2000)?.checked_div(json)?;
    Some(doubled.midpoint(doubled.signum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_rounded_to_the_nearest_tenth() {
        for (cost, json, expected) in [
            (1527, 2041, Some(-252)),
            (100, 100, Some(0)),
            (3, 2, Some(500)),
            (1, 3, Some(-667)),
            (2, 3, Some(-333)),
            (1, 0, None),
        ] {
            assert_eq!(tenths_of_percent(cost, json), expected, "{cost} of {json}");
        }
    }
}
