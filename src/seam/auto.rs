//! Which form costs the fewest tokens, told from samples.
//!
//! Tokens of a result grow with its rows along a line, which two samples give: every form writes 16 and 64 rows, spread evenly
//! over the result, and the tokens of all rows follow. Small results are counted in full. A column that is not constant must
//! not be constant in a sample, where GCF would write it once, so the first row in which a column differs from the first row is
//! in both samples. The choice depends on the rows alone: same rows, same form.

use std::collections::BTreeSet;

use toolbox_source::{Row, Value};

use super::{
    Encoding,
    answer::{Answer, Kept, Part, Table},
    form::Form,
    tokens, tree,
};

/// Rows of the larger sample. The smaller one has a quarter of them.
const SAMPLE_ROWS: usize = 64;

/// Bytes of JSON that the larger sample should not exceed. Where rows are long it has fewer of them, though at least four.
const SAMPLE_BYTES: usize = 256 * 1024;

/// How much better GCX must be than forms in which a null has a sign, since a model has to count its tabs. It is little, for
/// the choice is to be within a hundredth of the best form, and the samples need some of that.
const HANDICAP: f64 = 1.005;

/// The forms that promise no more tokens than JSON, the best first.
pub(super) fn ranking(answer: &Answer<'_>, forms: &[&'static dyn Form]) -> Vec<&'static dyn Form> {
    let average = answer.json_bytes / answer.rows().max(1);
    let most = (SAMPLE_BYTES / average.max(1)).clamp(4, SAMPLE_ROWS);
    let samples: Vec<Samples> = answer.kept.tables.iter().map(|table| Samples::new(table, most)).collect();
    let estimate = |count: &dyn Fn(&Answer<'_>) -> Option<usize>| -> Option<f64> {
        samples.iter().map(|samples| samples.estimate(answer, count)).sum()
    };

    let json = estimate(&|sample| Some(sample.json_blocks().map(|block| tokens::count(&block)).sum()));
    let promise = |form: &&'static dyn Form| {
        let written = estimate(&|sample| form.write(sample, usize::MAX).map(|text| tokens::count(&text)))?;
        let handicap = if form.encoding() == Encoding::Gcx { HANDICAP } else { 1.0 };
        Some((written, written * handicap, *form))
    };
    let mut promises: Vec<_> =
        forms.iter().filter_map(promise).filter(|(written, _, _)| Some(*written) <= json).collect();
    promises.sort_by(|(_, one, _), (_, other, _)| one.total_cmp(other));
    promises.into_iter().map(|(_, _, form)| form).collect()
}

/// What is counted of one result set.
enum Samples {
    /// All of it.
    Whole(Kept),
    /// Some rows and more rows, of so many.
    Line { fewer: Kept, more: Kept, rows: usize },
}

impl Samples {
    fn new(table: &Table, most: usize) -> Self {
        let rows = table.rows.len();
        if rows <= most {
            return Self::Whole(some_rows(table, 0..rows));
        }
        let differing = first_differences(&table.rows);
        let spread = |count: usize| {
            let mut places = differing.clone();
            places.extend((0..count).map(|index| index * rows / count));
            some_rows(table, places)
        };
        Self::Line { fewer: spread(most / 4), more: spread(most), rows }
    }

    /// The tokens of all rows, if samples can be counted.
    #[expect(clippy::cast_precision_loss, reason = "no count of rows or tokens comes near 2^52")]
    fn estimate(&self, answer: &Answer<'_>, count: &dyn Fn(&Answer<'_>) -> Option<usize>) -> Option<f64> {
        let counted = |kept: &Kept| {
            let cut = kept.tables.iter().any(|table| table.part == Part::Cut);
            let sample = Answer { kept, truncated: answer.truncated.filter(|_| cut), ..*answer };
            Some((sample.rows() as f64, count(&sample)? as f64))
        };
        match self {
            Self::Whole(kept) => counted(kept).map(|(_, tokens)| tokens),
            Self::Line { fewer, more, rows } => {
                let ((few, fewer), (many, more)) = (counted(fewer)?, counted(more)?);
                let slope = if many > few { (more - fewer) / (many - few) } else { more / many };
                Some(more + slope * (*rows as f64 - many))
            }
        }
    }
}

/// The places of the rows in which a column differs from the first row for the first time.
fn first_differences(rows: &[Row]) -> BTreeSet<usize> {
    let mut places = BTreeSet::new();
    let Some((first, others)) = rows.split_first() else { return places };
    let mut same: Vec<(usize, &Value)> = first.iter().enumerate().collect();
    for (place, row) in (1..).zip(others) {
        let before = same.len();
        same.retain(|(index, value)| row.get(*index).is_some_and(|cell| cell == *value));
        if same.len() < before {
            places.insert(place);
        }
        if same.is_empty() {
            break;
        }
    }
    places
}

fn some_rows(table: &Table, places: impl IntoIterator<Item = usize>) -> Kept {
    let rows = places.into_iter().filter_map(|place| table.rows.get(place).cloned()).collect();
    let table = Table { part: table.part, names: table.names.clone(), keys: table.keys.clone(), rows };
    let nested = table.rows.iter().flatten().any(tree::is_nested);
    Kept { tables: vec![table], nested }
}
