//! GCX1 from rows to text: the published example, the sizes that others measured, and shapes of the kind that GCX1 was made for.

use std::{fs, path::Path};

use serde_json::{Map, Value as Json};
use toolbox::{
    payload::{self, Sheet},
    seam::Wish,
};

use super::{shapes::shape, *};

/// A result set under the name of a tool.
fn encode_for(tool: &str, names: &[&str], rows: Vec<Row>, wish: Encoding) -> Encoded {
    let rows = RowStream::new(stream::iter(table(names, rows)).boxed(), CancellationToken::new());
    seam::encode(rows, Wish { tool, ..wish.into() }, &Limits::default())
        .now_or_never()
        .expect("a list of events is always ready")
        .expect("the source reports no error")
}

/// Encodes rows that are JSON text.
fn encode_rows(tool: &str, json: &str, wish: Encoding) -> Encoded {
    let rows = payload::events(payload::json::read(json).expect("JSON rows"));
    seam::encode(rows, Wish { tool, ..wish.into() }, &Limits::default())
        .now_or_never()
        .expect("a list of events is always ready")
        .expect("no source")
}

fn cl100k(text: &str) -> usize {
    tiktoken_rs::cl100k_base_singleton().count_ordinary(text)
}

#[test]
fn the_published_example_has_the_published_text_bytes_and_tokens() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/fixtures/gcx-example"));
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let (Some(json), Some(gcx)) = (read("search_symbols.json"), read("search_symbols.gcx")) else {
        println!("skipped: no example at {}", folder.display());
        return;
    };
    assert_eq!((json.len(), cl100k(&json)), (720, 181));
    // The generic rule of GCX1 sorts the fields, where ours keeps the order of the columns.
    let mut rows: Vec<Map<String, Json>> = serde_json::from_str(&json).expect("rows");
    rows.iter_mut().for_each(Map::sort_keys);
    let sorted = serde_json::to_string(&rows).expect("JSON");
    let encoded = encode_rows("search_symbols", &sorted, Encoding::Gcx);
    assert_eq!(encoded.encoding(), Encoding::Gcx);
    assert_eq!(encoded.blocks(), [gcx.as_str()]);
    assert_eq!((encoded.bytes(), cl100k(&encoded.blocks()[0])), (522, 125));
}

/// The reference program measured the typed and the schema rule, with the name of the shape as the tool and decimals as text;
/// the shapes here have none. Where both are measured, ours must be the smaller one.
#[test]
fn sizes_are_those_of_the_reference_program() {
    for (name, typed, schema) in [
        ("instances_30x7", 3165, 3179),
        ("list_tables_12x3", 18664, 18674),
        ("logs_200x5", 67988, 68000),
        ("tiny_5x3", 109, 119),
        ("sparse_100x12", 4667, 4686),
        ("timeseries_1000x3", 23710, 23720),
        ("unicode_100x4", 7299, 7310),
        ("uuids_200x5", 28077, 28089),
        ("tenant_200x6", 13409, 13422),
        ("payloads_80x4", 7956, 7967),
        ("codes_150x5", 7771, 6991),
    ] {
        let Some((names, rows)) = shape(name) else { return };
        // The reference program spelled whole doubles `1.0`.
        let whole = |cell: &&Value| matches!(cell, Value::Float(value) if value.fract() == 0.0);
        let points = rows.iter().flatten().filter(whole).count();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let encoded = encode_for(name, &names, rows, Encoding::Gcx);
        assert_eq!(encoded.encoding(), Encoding::Gcx, "{name}");
        assert_eq!(encoded.bytes() + 2 * points, typed.min(schema), "{name}");
        assert_eq!(encoded.blocks()[0].contains(" types="), schema < typed, "{name}");
    }
}

/// Encodes rows as GCX1 and expects this text, at most so many percent of the JSON's tokens, and the same rows back.
fn is_written_as(tool: &str, json: &str, expected: &str, percent: usize) {
    let gcx = encode_rows(tool, json, Encoding::Gcx);
    assert_eq!(gcx.blocks(), [expected]);
    let rows = encode_rows(tool, json, Encoding::Json);
    let tokens = |encoded: &Encoded| encoded.blocks().iter().map(|block| cl100k(block)).sum::<usize>();
    assert!(tokens(&gcx) * 100 <= tokens(&rows) * percent, "{} of {}", tokens(&gcx), tokens(&rows));

    let read = payload::gcx::read(expected).expect("our own text");
    assert_eq!(read.first().and_then(|sheet| sheet.tool.as_deref()), Some(tool));
    let row = |(names, row): (&[String], Row)| {
        let json = |cell: &Value| match cell {
            Value::Null => "null".to_owned(),
            Value::Text(text) => serde_json::to_string(text).expect("JSON"),
            Value::Int(value) => value.to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Json(text) => text.clone(),
            other => panic!("{other:?}"),
        };
        let fields: Vec<String> =
            names.iter().zip(&row).map(|(name, cell)| format!("{name:?}:{}", json(cell))).collect();
        format!("{{{}}}", fields.join(","))
    };
    let read: Vec<String> = read
        .into_iter()
        .flat_map(|sheet: Sheet| {
            let names = sheet.names.clone();
            sheet.into_rows().map(move |cells| row((&names, cells))).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(read, rows.blocks());
}

#[test]
fn nodes_of_a_graph() {
    is_written_as(
        "get_nodes",
        r#"[{"id":"src/main.rs::main","label":"main","kind":"function","degree":3,"exported":false,"doc":null},
            {"id":"src/lib.rs::run","label":"run","kind":"function","degree":12,"exported":true,"doc":"Runs it.\nOnce."},
            {"id":"src/lib.rs::Config","label":"Config","kind":"struct","degree":7,"exported":true,"doc":null}]"#,
        "GCX1 tool=get_nodes fields=id,label,kind,degree,exported,doc rows=3\n\
         src/main.rs::main\tmain\tfunction\t3\tfalse\t\n\
         src/lib.rs::run\trun\tfunction\t12\ttrue\tRuns it.\\nOnce.\n\
         src/lib.rs::Config\tConfig\tstruct\t7\ttrue\t\n",
        75,
    );
}

#[test]
fn edges_of_a_graph() {
    is_written_as(
        "get_edges",
        r#"[{"from":"src/main.rs::main","to":"src/lib.rs::run","kind":"calls","weight":1,"line":14},
            {"from":"src/lib.rs::run","to":"src/lib.rs::Config","kind":"uses","weight":0.5,"line":33},
            {"from":"src/lib.rs::run","to":"src/log.rs::start","kind":"calls","weight":0.25,"line":null}]"#,
        "GCX1 tool=get_edges fields=from,to,kind,weight,line rows=3\n\
         src/main.rs::main\tsrc/lib.rs::run\tcalls\t1\t14\n\
         src/lib.rs::run\tsrc/lib.rs::Config\tuses\t0.5\t33\n\
         src/lib.rs::run\tsrc/log.rs::start\tcalls\t0.25\t\n",
        80,
    );
}

#[test]
fn symbols_with_ranges_and_signatures() {
    is_written_as(
        "list_symbols",
        r##"[{"name":"parse","signature":"fn parse<T>(text: &str) -> Result<T, Error>","range":{"start":[3,0],"end":[9,1]},"line":"4"},
            {"name":"\"quoted\"","signature":"const C: &str = \"a\\tb\";","range":{"start":[11,0],"end":[11,24]},"line":"12"},
            {"name":"# macro","signature":"true","range":null,"line":"13"}]"##,
        "GCX1 tool=list_symbols fields=name,signature,range,line rows=3\n\
         parse\tfn parse<T>(text: &str) -> Result<T, Error>\t{\"start\":[3,0],\"end\":[9,1]}\t\"4\"\n\
         \"\\\\\"quoted\\\\\"\"\tconst C: &str = \"a\\\\tb\";\t{\"start\":[11,0],\"end\":[11,24]}\t\"12\"\n\
         \"# macro\"\t\"true\"\t\t\"13\"\n",
        100,
    );
}

#[test]
fn usages_of_a_symbol() {
    is_written_as(
        "find_usages",
        r#"[{"file":"src/a.rs","line":7,"column":12,"text":"let\tx = parse(input)?;","commit":"0081"},
            {"file":"src/a.rs","line":19,"column":5,"text":"parse(&other)","commit":"1234"},
            {"file":"src/b.rs","line":2,"column":9,"text":"use crate::parse;","commit":"77e1"},
            {"file":"src/b.rs","line":90,"column":1,"text":"}","commit":"1e10"},
            {"file":"src/c.rs","line":4,"column":1,"text":"[1]","commit":"9"},
            {"file":"src/c.rs","line":5,"column":1,"text":"[2]","commit":"10"},
            {"file":"src/c.rs","line":6,"column":1,"text":"[3]","commit":"11"}]"#,
        "GCX1 tool=find_usages fields=file,line,column,text,commit rows=7 types=siiss\n\
         src/a.rs\t7\t12\tlet\\tx = parse(input)?;\t0081\n\
         src/a.rs\t19\t5\tparse(&other)\t1234\n\
         src/b.rs\t2\t9\tuse crate::parse;\t77e1\n\
         src/b.rs\t90\t1\t}\t1e10\n\
         src/c.rs\t4\t1\t[1]\t9\n\
         src/c.rs\t5\t1\t[2]\t10\n\
         src/c.rs\t6\t1\t[3]\t11\n",
        75,
    );
}
