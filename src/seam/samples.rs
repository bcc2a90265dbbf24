//! Tables with nested cells from a seed, for tests: columns of one shape, columns that nearly have one, and columns of anything.

use serde_json::{Map, Value as Json, json};
use toolbox_source::Value;

use super::{
    answer::{Part, Table},
    json::Keys,
};

/// A stream of numbers from a seed, the same everywhere (the generator is `SplitMix64`).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = u64::try_from(bound).expect("64 bits");
        usize::try_from((mixed ^ (mixed >> 31)) % bound).expect("small")
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn in_so_many(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

const NAMES: &[&str] = &["c", "column two", "名", "x", "n_3", "a.b", "=", ""];

/// Names of fields. None is the name of a column, which the crate `gcf` mistakes for one another at times.
const KEYS: &[&str] =
    &["a", "b", "id", "name", "tags", "key", "_key", "a b", "ä", "1", "k[1]:", "p=q", "@0", "#", "-", "p.q"];

/// Names that cannot be steps of a path.
const NO_STEPS: &[&str] = &["", "a>b", ">"];

const WORDS: &[&str] = &[
    "",
    " ",
    "-",
    "~",
    "^",
    "^{a}",
    "true",
    "null",
    "007",
    "+1",
    "1e5",
    "-x",
    "#",
    "# note",
    "@0",
    "@0 a",
    ".a",
    "=x",
    "a=b",
    "a,b",
    "a|b",
    "a:b",
    "a\"b",
    "a\\b",
    "[1]: x",
    "{a}",
    "}",
    " a",
    "a ",
    "a b",
    "\n",
    "\r",
    "\t",
    "\u{8}",
    "\0",
    "\u{85}",
    "\u{a0}",
    "\u{feff}",
    "日本",
    "🙂",
    "word",
    "another",
    "- a",
    "## [1]{a}",
    "x\n  - y",
];

fn leaf(dice: &mut Dice) -> Json {
    match dice.below(9) {
        0 => Json::Null,
        1 => Json::Bool(dice.in_so_many(2)),
        2 => json!(dice.below(3)),
        3 => json!(-9_007_199_254_740_993_i64),
        4 => json!(0.5),
        5 => json!(-12.75),
        _ => dice.one(WORDS).into(),
    }
}

/// Any value that is nested so many levels at most.
fn anything(dice: &mut Dice, levels: usize) -> Json {
    if levels == 0 {
        return leaf(dice);
    }
    match dice.below(8) {
        0..3 => leaf(dice),
        3..6 => {
            let mut object = Map::new();
            for _ in 0..dice.below(5) {
                let name = if dice.in_so_many(40) { dice.one(NO_STEPS) } else { dice.one(KEYS) };
                object.insert(name.to_owned(), anything(dice, levels - 1));
            }
            Json::Object(object)
        }
        6 => Json::Array((0..dice.below(4)).map(|_| anything(dice, levels - 1)).collect()),
        _ => {
            // A list of equal objects, which is a table of its own.
            let model = anything(dice, levels - 1);
            Json::Array((0..dice.below(4)).map(|_| like(&model, dice)).collect())
        }
    }
}

/// An object of scalars, of which one may be named as no step of a path is.
fn scalars(dice: &mut Dice) -> Json {
    let mut object: Map<String, Json> =
        (0..=dice.below(4)).map(|_| (dice.one(KEYS).to_owned(), leaf(dice))).collect();
    if dice.in_so_many(3) {
        object.insert(dice.one(NO_STEPS).to_owned(), leaf(dice));
    }
    Json::Object(object)
}

/// A value of the same shape, most of the time.
fn like(model: &Json, dice: &mut Dice) -> Json {
    match model {
        Json::Object(_) | Json::Array(_) if dice.in_so_many(60) => anything(dice, 2),
        Json::Object(fields) => {
            let mut fields: Vec<_> =
                fields.iter().map(|(name, value)| (name.clone(), like(value, dice))).collect();
            if fields.len() > 1 && dice.in_so_many(60) {
                fields.swap(0, 1);
            }
            Json::Object(fields.into_iter().collect())
        }
        Json::Array(items) => {
            let model = items.first().unwrap_or(&Json::Null);
            if dice.in_so_many(2) {
                Json::Array((0..=dice.below(3)).map(|_| like(model, dice)).collect())
            } else {
                Json::Array(items.iter().map(|item| like(item, dice)).collect())
            }
        }
        _ if dice.in_so_many(80) => anything(dice, 1),
        _ => leaf(dice),
    }
}

/// A table of one to four columns and one to six rows, as the crates take it: a list of objects.
pub(super) fn rows(seed: u64) -> Vec<Map<String, Json>> {
    let mut dice = Dice(seed);
    let columns = 1 + dice.below(4);
    let first = dice.below(NAMES.len());
    let mut rows = vec![Map::new(); 1 + dice.below(6)];
    for column in 0..columns {
        let name = NAMES[(first + column) % NAMES.len()];
        let model = match dice.below(6) {
            0 => scalars(&mut dice),
            1 => Json::Array(vec![scalars(&mut dice)]),
            levels => anything(&mut dice, levels % 3 + 1),
        };
        let (alike, nulls, constant) = (!dice.in_so_many(5), dice.in_so_many(3), dice.in_so_many(6));
        for row in &mut rows {
            let cell = match () {
                () if nulls && dice.in_so_many(3) => Json::Null,
                () if constant => model.clone(),
                () if alike => like(&model, &mut dice),
                () => anything(&mut dice, 2),
            };
            row.insert(name.to_owned(), cell);
        }
    }
    rows
}

/// The same table as values: scalars as such or as JSON, and all else as JSON.
pub(super) fn table(rows: &[Map<String, Json>]) -> Table {
    let names: Vec<String> = rows[0].keys().cloned().collect();
    let cell = |cell: &Json| match cell {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) if number.is_i64() => Value::Int(number.as_i64().expect("an int64")),
        Json::Number(number) => Value::Float(number.as_f64().expect("a double")),
        Json::String(text) if text.len() != 1 => Value::Text(text.clone()),
        nested => Value::Json(nested.to_string()),
    };
    let rows = rows.iter().map(|row| row.values().map(cell).collect()).collect();
    Table { part: Part::Whole, keys: Keys::new(&names), names, rows }
}
