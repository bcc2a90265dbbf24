//! Result sets of made-up data with which the encodings were measured. Where sizes and tokens are those of the program that
//! measured them first, they are written here; what ours cost is in `docs/encodings.md`, and these tests keep that true.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value as Json;

use super::*;

/// The names of the shapes, in the order of the documentation; none, with the reason printed, where they are not there.
fn shapes() -> Vec<String> {
    let Ok(folder) = fs::read_dir(folder()) else {
        println!("skipped: no result shapes at {}", folder().display());
        return Vec::new();
    };
    let mut names: Vec<String> = folder
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 17);
    names
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/fixtures/result-shapes"))
}

/// A shape as names and rows; none, with the reason printed, where the fixtures are not there.
pub(super) fn shape(name: &str) -> Option<(Vec<String>, Vec<Row>)> {
    if !folder().is_dir() {
        println!("skipped {name}: no result shapes at {}", folder().display());
        return None;
    }
    let file = fs::read(folder().join(format!("{name}.json"))).expect("the shape is there");
    let shape: Json = serde_json::from_slice(&file).expect("valid JSON");
    let columns = shape["columns"].as_array().expect("columns");
    let names = columns.iter().map(|column| column["name"].as_str().expect("a name").to_owned()).collect();
    let row = |row: &Json| {
        let cells = row.as_array().expect("cells").iter();
        columns
            .iter()
            .zip(cells)
            .map(|(column, cell)| value(column["type"].as_str().expect("a type"), cell))
            .collect()
    };
    Some((names, shape["rows"].as_array().expect("rows").iter().map(row).collect()))
}

fn value(kind: &str, cell: &Json) -> Value {
    match (kind, cell) {
        (_, Json::Null) => Value::Null,
        ("json", cell) => Value::Json(cell.to_string()),
        ("int64", Json::Number(number)) => Value::Int(number.as_i64().expect("an int64")),
        ("float64", Json::Number(number)) => Value::Float(number.as_f64().expect("a double")),
        (_, Json::Bool(value)) => Value::Bool(*value),
        ("decimal", Json::String(digits)) => Value::Decimal(digits.clone()),
        (_, Json::String(text)) => Value::Text(text.clone()),
        (kind, cell) => panic!("no value of {kind}: {cell}"),
    }
}

fn encoded(name: &str, wish: Encoding) -> Option<Encoded> {
    let (names, rows) = shape(name)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(encode_table(&names, rows, wish))
}

#[test]
fn sizes_of_tables_of_scalars_are_those_of_the_reference_program() {
    for (name, json, gcf) in [
        ("instances_30x7", 5735, 3154),
        ("orders_500x8", 83534, 34126),
        ("logs_200x5", 77407, 68283),
        ("tiny_5x3", 169, 104),
        ("wide_10x60", 15053, 5067),
        ("sparse_100x12", 22499, 5432),
        ("timeseries_1000x3", 50645, 23660),
        ("unicode_100x4", 10739, 7353),
        ("uuids_200x5", 40000, 28101),
        ("tenant_200x6", 26525, 3052),
        ("codes_150x5", 15602, 8015),
    ] {
        let (Some(encoded), Some((_, rows))) = (encoded(name, Encoding::Gcf), shape(name)) else { return };
        assert_eq!(encoded.encoding(), Encoding::Gcf, "{name}");
        // The reference program spelled whole doubles `1.0`; our JSON says `1`.
        let whole = |cell: &&Value| matches!(cell, Value::Float(value) if value.fract() == 0.0);
        let points = rows.iter().flatten().filter(whole).count();
        assert_eq!((encoded.json_bytes() + 2 * points, encoded.bytes()), (json, gcf), "{name}");
    }
}

#[test]
fn one_value_and_no_rows_stay_json() {
    for (name, bytes) in [("count_1x1", 15), ("empty_0x4", 0)] {
        let (Some(gcf), Some(json)) = (encoded(name, Encoding::Gcf), encoded(name, Encoding::Json)) else {
            return;
        };
        assert_eq!(gcf, json, "{name}");
        assert_eq!(json.bytes(), bytes, "{name}");
    }
}

/// Not one shape of scalars needs anything but the text of the gcf crate.
#[test]
fn texts_of_the_shapes_are_those_of_the_gcf_crate() {
    for name in
        ["instances_30x7", "orders_500x8", "wide_10x60", "sparse_100x12", "tenant_200x6", "codes_150x5"]
    {
        let (Some(gcf), Some(json)) = (encoded(name, Encoding::Gcf), encoded(name, Encoding::Json)) else {
            return;
        };
        let rows =
            json.blocks().iter().map(|block| serde_json::from_str(block).expect("valid JSON")).collect();
        assert_eq!(::gcf::encode_generic(&Json::Array(rows)).as_ref(), Ok(&gcf.blocks()[0]), "{name}");
    }
}

fn tokens(blocks: &[String]) -> usize {
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    blocks.iter().map(|block| tokenizer.count_ordinary(block)).sum()
}

/// What a shape costs in each form, in the order of [`Encoding::ALL`].
fn costs(name: &str) -> [(Encoding, usize); 6] {
    Encoding::ALL.map(|wish| {
        let encoded = encoded(name, wish).expect("the shape is there");
        (encoded.encoding(), tokens(encoded.blocks()))
    })
}

fn change(tokens: usize, json: usize) -> String {
    if tokens == json {
        return "0".to_owned();
    }
    // One digit after the point, rounded half away from zero, without a double.
    let tenths = ((json - tokens) * 2000 + json) / (2 * json);
    format!("−{}.{}%", tenths / 10, tenths % 10)
}

/// The table of the documentation: what is sent for each wish.
fn scorecard(shapes: &[String]) -> String {
    let mut lines = String::from(
        "| result | json | table | gcf | gcx | toon | auto | sent for auto |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    let mut sums = [0; 6];
    for name in shapes {
        let costs = costs(name);
        let json = costs[0].1;
        write!(lines, "| {name} | {json}").expect("a text grows");
        for ((_, tokens), sum) in costs.iter().zip(&mut sums) {
            *sum += tokens;
        }
        for (sent, tokens) in &costs[1..] {
            // The only form that is sent although it costs more.
            let change = if *tokens > json { "dearer".to_owned() } else { change(*tokens, json) };
            let stood_back = if *sent == Encoding::Json { "json" } else { &change };
            write!(lines, " | {tokens} ({stood_back})").expect("a text grows");
        }
        writeln!(lines, " | {} |", costs[5].0).expect("a text grows");
    }
    write!(lines, "| all of them | {}", sums[0]).expect("a text grows");
    for tokens in &sums[1..] {
        write!(lines, " | {tokens} ({})", change(*tokens, sums[0])).expect("a text grows");
    }
    lines.push_str(" | |\n");
    lines
}

/// `TOOLBOX_WRITE_DOCS=1` writes the table instead.
#[test]
fn the_documentation_says_what_the_shapes_cost() {
    const BEGIN: &str = "<!-- scorecard -->\n";
    const END: &str = "<!-- end of the scorecard -->";
    let shapes = shapes();
    if shapes.is_empty() {
        return;
    }
    let table = scorecard(&shapes);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/encodings.md");
    let text = fs::read_to_string(&path).expect("the page");
    let (before, rest) = text.split_once(BEGIN).expect("a place for the table");
    let (written, after) = rest.split_once(END).expect("an end of the table");
    if std::env::var_os("TOOLBOX_WRITE_DOCS").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).expect("the page is written");
    } else {
        assert_eq!(written, table, "TOOLBOX_WRITE_DOCS=1 writes the table that is true now");
    }
}

/// The figures of the program with which the forms were first measured are the least that ours must reach.
#[test]
fn the_forms_save_what_they_promise() {
    let shapes = shapes();
    if shapes.is_empty() {
        return;
    }
    let mut sums = [0; 6];
    for name in &shapes {
        let costs = costs(name);
        for ((_, tokens), sum) in costs.iter().zip(&mut sums) {
            *sum += tokens;
        }
        let [(_, json), (_, table), (_, gcf), (_, gcx), _, (sent, auto)] = costs;
        let best = json.min(table).min(gcf).min(gcx);
        assert!(auto * 100 <= best * 101, "{name}: {auto} tokens as {sent}, and {best} at best");
    }
    let [json, _, gcf, gcx, _, auto] = sums;
    for (form, tokens, promised) in [("gcf", gcf, 341), ("gcx", gcx, 318), ("auto", auto, 368)] {
        assert!((json - tokens) * 1000 >= json * promised, "{form}: {tokens} of {json} tokens");
    }
}

/// The same listing costs what it cost in the other program. GCX is left out: there the tool had another name.
#[test]
fn the_listing_of_thirty_instances_costs_a_quarter_fewer_tokens() {
    if shapes().is_empty() {
        return;
    }
    let [json, table, gcf, _, toon, _] = costs("instances_30x7").map(|(_, tokens)| tokens);
    assert_eq!([json, table, gcf, toon], [2041, 1555, 1527, 1531]);
}

/// Decimals go bare: all that GCF adds to the digits is a header and a line break a row.
#[test]
fn money_costs_no_more_than_its_digits_and_two_hundredths() {
    let Some((_, rows)) = shape("money_300x6") else { return };
    let digits = |cell: &Value| match cell {
        Value::Int(value) => value.to_string(),
        Value::Decimal(digits) => digits.clone(),
        other => panic!("no number: {other:?}"),
    };
    let lines: Vec<String> =
        rows.iter().map(|row| row.iter().map(digits).collect::<Vec<_>>().join("\t")).collect();
    let floor = tokens(&[lines.join("\n")]);
    for wish in [Encoding::Gcf, Encoding::Gcx] {
        let encoded = encoded("money_300x6", wish).expect("the shape is there");
        assert_eq!(encoded.encoding(), wish);
        let cost = tokens(encoded.blocks());
        assert!(cost * 100 <= floor * 102, "{wish}: {cost} tokens, and {floor} of the digits alone");
    }
}
