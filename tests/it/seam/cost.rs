//! No form that stands in for JSON is larger than it or costs more tokens, whatever the result.
//!
//! `TOOLBOX_RESULT_SETS` says how many random results are tried. A counterexample becomes a test of its own.

use proptest::prelude::*;

use super::*;

/// A stream of numbers from a seed, the same everywhere (the generator is `SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).expect("small")]
    }
}

const NAMES: &[&str] = &[
    "id",
    "status",
    "n",
    "x",
    "created_at",
    "customer_name",
    "count(*)",
    "total amount",
    "Größe",
    "?column?",
    "a",
    "payload",
    "isActive",
    "ref_id_2",
    "名前",
    // Long names of one token each, and one that is part of the tokens around it.
    "Implementation",
    "Subscription",
    "responsibilities",
    "представлен",
    "データ",
    "",
];

const WORDS: &[&str] = &[
    "x",
    "active",
    "pending",
    "a",
    "ok",
    "error",
    "New York",
    "instance",
    "left at the door",
    "über",
    "日本",
    "🙂",
    "N/A",
    "true",
    "null",
    "-",
    "",
    " ",
    "#1",
    "a,b",
    "a|b",
    "a\tb",
    "say \"hi\"",
    "C:\\dir",
    "line\nbreak",
    "007",
    "1e5",
    "+49 30 1234",
    "[x]:",
    "GCX1",
    "@0",
    "~",
    "^",
    "{}",
    "2024-01-01",
    "https://example.com/a?b=c&d=e",
    "Straße",
    "\u{a0}",
    "1.10",
];

const KEYS: &[&str] = &["a", "b", "c", "id", "name", "tags", "enabled", "value"];

/// What the cells of a column are made of.
#[derive(Clone, Copy)]
enum Cells {
    Constant,
    Count,
    Large,
    Double,
    Decimal,
    Bool,
    Word,
    Words,
    Digits,
    Hex,
    Time,
    Null,
    Uniform,
    Varied,
    List,
    Objects,
    Deep,
    Mixed,
}

const SCALARS: &[Cells] = &[
    Cells::Constant,
    Cells::Count,
    Cells::Large,
    Cells::Double,
    Cells::Decimal,
    Cells::Bool,
    Cells::Word,
    Cells::Words,
    Cells::Digits,
    Cells::Hex,
    Cells::Time,
    Cells::Null,
    Cells::Mixed,
];

const NESTED: &[Cells] = &[Cells::Uniform, Cells::Varied, Cells::List, Cells::Objects, Cells::Deep];

fn cell(cells: Cells, column: u64, row: usize, dice: &mut Dice) -> Value {
    let small = |dice: &mut Dice| i64::try_from(dice.below(1000)).expect("small");
    match cells {
        Cells::Constant => text(WORDS[usize::try_from(column).expect("small") % WORDS.len()]),
        Cells::Count => Value::Int(i64::try_from(row).expect("small") + 1),
        Cells::Large => Value::Int(dice.roll().cast_signed()),
        Cells::Double => Value::Float(f64::from(u32::try_from(dice.below(100_000)).expect("small")) / 128.0),
        Cells::Decimal => decimal(&format!("{}.{:02}", dice.below(100_000), dice.below(100))),
        Cells::Bool => Value::Bool(dice.below(2) == 0),
        Cells::Word => text(dice.one(WORDS)),
        Cells::Words => {
            let count = dice.below(12);
            text(&(0..count).map(|_| dice.one(WORDS)).collect::<Vec<_>>().join(" "))
        }
        Cells::Digits => text(&dice.below(1_000_000).to_string()),
        Cells::Hex => text(&format!("{:016x}", dice.roll())),
        Cells::Time => text(&format!(
            "20{:02}-{:02}-{:02}T{:02}:{:02}:00Z",
            dice.below(100),
            dice.below(12) + 1,
            dice.below(28) + 1,
            dice.below(24),
            dice.below(60)
        )),
        Cells::Null => {
            if dice.below(4) == 0 {
                text(dice.one(WORDS))
            } else {
                Value::Null
            }
        }
        Cells::Uniform => {
            let fields = KEYS.iter().take(usize::try_from(column % 4).expect("small") + 1);
            Value::Object(fields.map(|key| ((*key).to_owned(), leaf(dice))).collect())
        }
        Cells::Varied => Value::Json(json(dice, 1)),
        Cells::List => Value::Array((0..dice.below(4)).map(|_| Value::Int(small(dice))).collect()),
        Cells::Objects => {
            let object = |dice: &mut Dice| {
                Value::Object(vec![("a".to_owned(), leaf(dice)), ("b".to_owned(), leaf(dice))])
            };
            Value::Array((0..dice.below(3)).map(|_| object(dice)).collect())
        }
        Cells::Deep => Value::Json(json(dice, 3)),
        Cells::Mixed => leaf(dice),
    }
}

fn leaf(dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => Value::Float(0.5),
        3 => Value::Int(i64::try_from(dice.below(1000)).expect("small")),
        _ => text(dice.one(WORDS)),
    }
}

/// JSON text with some fields, nested so many levels at most.
fn json(dice: &mut Dice, levels: u32) -> String {
    let mut fields = serde_json::Map::new();
    for _ in 0..dice.below(4) {
        let value = match dice.below(if levels > 0 { 5 } else { 3 }) {
            0 => serde_json::Value::Null,
            1 => dice.below(1000).into(),
            2 => dice.one(WORDS).into(),
            3 => serde_json::from_str(&json(dice, levels - 1)).expect("JSON"),
            _ => (0..dice.below(3)).map(|_| dice.below(10)).collect::<Vec<_>>().into(),
        };
        fields.insert(dice.one(KEYS).to_owned(), value);
    }
    serde_json::Value::Object(fields).to_string()
}

/// A result set. Row by row, so that one of fewer rows is the beginning of one of more.
fn result(seed: u64, columns: usize, rows: usize, nested: bool) -> (Vec<&'static str>, Vec<Row>) {
    let mut dice = Dice(seed);
    let kinds: Vec<(Cells, u64)> = (0..columns)
        .map(|_| {
            let some = if nested && dice.below(2) == 0 { NESTED } else { SCALARS };
            (dice.one(some), dice.roll())
        })
        .collect();
    let names = (0..columns).map(|_| dice.one(NAMES)).collect();
    let row = |row| kinds.iter().map(|(cells, column)| cell(*cells, *column, row, &mut dice)).collect();
    (names, (0..rows).map(row).collect())
}

fn tokens(encoded: &Encoded) -> usize {
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    encoded.blocks().iter().map(|block| tokenizer.count_ordinary(block)).sum()
}

/// Every form of a result, none of which may be above JSON.
fn check(names: &[&str], rows: &[Row]) -> Result<(), TestCaseError> {
    let json = encode_table(names, rows.to_vec(), Encoding::Json);
    let cost = tokens(&json);
    let mut checked = Vec::with_capacity(3);
    for wish in [Encoding::Gcf, Encoding::Gcx, Encoding::Toon, Encoding::Auto] {
        let encoded = encode_table(names, rows.to_vec(), wish);
        if encoded.encoding() == Encoding::Json {
            prop_assert_eq!(&encoded, &json);
            continue;
        }
        // What `auto` sends has been counted already, most of the time, and counting is what takes long here.
        if checked.contains(&encoded) {
            continue;
        }
        prop_assert!(wish == Encoding::Auto || encoded.encoding() == wish);
        prop_assert_eq!(encoded.json_bytes(), json.bytes());
        prop_assert!(encoded.bytes() < json.bytes(), "{}: {:?}", wish, encoded.blocks());
        let tokens = tokens(&encoded);
        prop_assert!(
            tokens <= cost,
            "{wish}: {tokens} tokens of {} bytes for {cost} of {}: {:?}\nfor {:?}",
            encoded.bytes(),
            json.bytes(),
            encoded.blocks(),
            json.blocks()
        );
        checked.push(encoded);
    }
    Ok(())
}

/// 66 bytes less and 2 tokens more, most of them in the header.
#[test]
fn three_rows_of_lists_and_digits_stay_json_in_place_of_gcx() {
    let list = |items: &[i64]| Value::Array(items.iter().copied().map(Value::Int).collect());
    let rows = vec![
        vec![list(&[55]), text("977227"), list(&[]), text("587555"), text("Straße")],
        vec![list(&[256, 972, 356]), text("140067"), list(&[]), text("451998"), text("Straße")],
        vec![list(&[448]), text("564093"), list(&[674, 8]), text("454910"), text("Straße")],
    ];
    let names = ["status", "payload", "a", "n", "status"];
    assert_eq!(encode_table(&names, rows.clone(), Encoding::Gcx).encoding(), Encoding::Json);
    check(&names, &rows).expect("no form costs more");
}

/// Several hundred bytes less and tokens more: of one row the names stand no more often in JSON than in a header.
#[test]
fn one_wide_row_stays_json_where_a_header_costs_more() {
    for word in ["представлен", "データ", "responsibilities", "x y", "n"] {
        let names: Vec<String> = (0..300).map(|index| format!("{word}_{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for cell in [text("left at the door"), text("007"), Value::Null, Value::Int(5), text("a b|c,d")] {
            check(&names, &[vec![cell.clone(); 300]]).expect("no form costs more");
        }
    }
}

/// Long names are bytes, and hardly any tokens: 92 bytes less, and a token more.
#[test]
fn two_rows_with_long_names_stay_json_where_a_header_costs_more() {
    let names = [
        "Subscription",
        "confirmation",
        "stringstream",
        "announcement",
        "abcdefghijklmnopqrstuvwxyz",
        "Deserializer",
    ];
    let rows = vec![
        vec![
            text("Straße  null active ok a|b"),
            decimal("40965.84"),
            text("56280"),
            text("307844"),
            text("115347"),
            Value::Int(1),
        ],
        vec![
            text("error 日本 Straße - 2024-01-01 @0"),
            decimal("50245.84"),
            text("316623"),
            text("720257"),
            text("345100"),
            Value::Int(2),
        ],
    ];
    check(&names, &rows).expect("no form costs more");
    assert_eq!(encode_table(&names, rows, Encoding::Gcf).encoding(), Encoding::Json);
}

/// As many as asked for.
fn result_sets() -> u32 {
    std::env::var("TOOLBOX_RESULT_SETS").ok().and_then(|count| count.parse().ok()).unwrap_or(1000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: result_sets(), ..ProptestConfig::default() })]

    /// Rows are few more often than not: there a header weighs most.
    #[test]
    fn no_form_costs_more_than_json(
        seed in any::<u64>(),
        columns in 1_usize..=6,
        rows in prop_oneof![1_usize..=8, 1_usize..=40, 1_usize..=200],
        nested in any::<bool>(),
    ) {
        let (names, rows) = result(seed, columns, rows, nested);
        check(&names, &rows)?;
    }
}
