//! `encode`, `decode` and `tokens`, as people and scripts use them.

use std::{io::Write as _, process::Stdio};

use super::*;

/// Runs a command on standard input, in a folder without any configuration.
pub(super) fn pipe(arguments: &[&str], input: impl AsRef<[u8]>) -> (Option<i32>, String, String) {
    let workspace = Workspace::empty();
    let mut child = workspace
        .command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.as_ref().to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("written");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// What a command prints, and nothing on standard error.
fn piped(arguments: &[&str], input: &str) -> String {
    let (code, output, log) = pipe(arguments, input);
    assert_eq!((code, log.as_str()), (Some(0), ""), "{arguments:?}");
    output
}

/// Rows that all forms hold, one object a line.
fn orders() -> String {
    let row = |index: i64| {
        format!(
            "{{\"id\":{},\"customer\":\"Customer {}\",\"code\":\"{:04}\",\"price\":{}.5,\"paid\":{},\"note\":{}}}\n",
            7_960_607_143_101_464_576 + index,
            index % 7,
            index,
            index * 3,
            index % 2 == 0,
            if index % 3 == 0 { "null" } else { "\"left, \\\"at\\\" the door\\nrang\\ttwice\"" },
        )
    };
    (0..40).map(row).collect::<Vec<_>>().concat()
}

const FORMS: [&str; 5] = ["json", "table", "gcf", "gcx", "toon"];

#[test]
fn encode_and_decode_give_the_same_rows_in_every_form() {
    for form in FORMS {
        let encoded = piped(&["encode", "--strict", "--to", form], &orders());
        assert_eq!(encoded == orders(), form == "json", "{form}");
        assert_eq!(piped(&["decode", "--from", form], &encoded), orders(), "{form}");
    }
}

#[test]
fn digits_and_nested_values_survive_every_form_that_says_that_it_holds_them() {
    let row = r#"{"big":18446744073709551615,"decimal":1.10,"long":123456789012345678901234567890.5,"exponent":1e400,"json":{"b":[1.50,{}],"a":"\\"}}"#;
    let rows = format!("{row}\n").repeat(30);
    for form in FORMS {
        let (code, encoded, log) = pipe(&["encode", "--to", form], &rows);
        assert_eq!(code, Some(0), "{log}");
        let sent = if log.is_empty() { form } else { "json" };
        assert_eq!(piped(&["decode", "--from", sent], &encoded), rows, "{form}");
    }
    // Two of them do hold it.
    for form in ["table", "gcx"] {
        piped(&["encode", "--strict", "--to", form], &rows);
    }
}

#[test]
fn encode_takes_rows_in_an_array_in_lines_and_as_a_table() {
    let expected = "GCX1 tool=list fields=id,name rows=3\n1\tthe first\n2\tthe second\n3\t\n";
    for input in [
        r#"[{"id":1,"name":"the first"},{"id":2,"name":"the second"},{"name":null,"id":3}]"#,
        "{\"id\":1,\"name\":\"the first\"}\n{\"id\":2,\"name\":\"the second\"}\n{\"id\":3,\"name\":null}\n",
        r#"{"columns":["id","name"],"rows":[[1,"the first"],[2,"the second"],[3,null]]}"#,
    ] {
        assert_eq!(piped(&["encode", "--to", "GCX", "--tool", "list"], input), expected);
    }
}

#[test]
fn encode_says_when_json_stands_in_and_why_and_strict_makes_it_fail() {
    for (form, input, reason) in [
        ("gcx", r#"[{"a b":1}]"#, "it has no spelling for the column name \"a b\""),
        ("gcf", r#"[{"a":1}]"#, "it is not smaller than JSON"),
        ("gcf", r#"[{"status":"x"},{"status":"x"},{"status":"x"}]"#, "it costs more tokens than JSON"),
        ("toon", "[]", "there are no rows"),
    ] {
        let (code, output, log) = pipe(&["encode", "--to", form], input);
        assert_eq!((code, output), (Some(0), piped(&["encode", "--to", "json"], input)));
        assert!(log.contains(&format!("this is JSON, not {form}: {reason}")), "{log}");

        let (code, output, log) = pipe(&["encode", "--strict", "--to", form], input);
        assert_eq!((code, output.as_str()), (Some(1), ""));
        assert_eq!(log, format!("Error: {form} does not stand in for JSON: {reason}\n"));
    }
    assert_eq!(piped(&["encode", "--to", "auto"], r#"[{"a":1}]"#), "{\"a\":1}\n");
}

#[test]
fn rows_with_other_fields_are_another_result_set_and_a_notice_about_a_cut_is_said() {
    let input = "{\"a\":1}\n{\"b\":2}\n{\"toolbox/truncated\":{\"rows\":2,\"hint\":\"…\"}}\n";
    let (code, output, log) = pipe(&["encode", "--to", "table"], input);
    assert_eq!(code, Some(0));
    assert_eq!(output, "[{\"columns\":[\"a\"],\"rows\":[[1]]},{\"columns\":[\"b\"],\"rows\":[[2]]}]\n");
    assert!(log.contains("2 result sets") && log.contains("rows are missing"), "{log}");
    let (code, output, log) =
        pipe(&["decode", "--from", "gcx"], "GCX1 tool=t fields=a rows=1 truncated=true\n1\n");
    assert_eq!((code, output.as_str()), (Some(0), "{\"a\":1}\n"));
    assert!(log.contains("rows are missing"), "{log}");
}

#[test]
fn decode_reads_what_others_wrote() {
    let rows = "{\"id\":1,\"name\":\"Alice\"}\n{\"id\":2,\"name\":null}\n";
    for (form, payload) in [
        ("gcx", "# by hand\nGCX1 tool=t fields=id,name total=9\r\n1\tAlice\r\n2\r\n"),
        ("gcf", "GCF profile=generic tool=t\n## [2]{id,name}\n1|\"Alice\"\n2|-\n"),
        ("toon", "[2\t]{id\tname}:\n  1\tAlice\n  2\tnull\n"),
        ("table", "{ \"columns\": [\"id\", \"name\"],\n  \"rows\": [[1, \"Alice\"], [2, null]] }"),
        ("json", "[{\"id\": 1, \"name\": \"Alice\"}, {\"id\": 2, \"name\": null}]"),
    ] {
        assert_eq!(piped(&["decode", "--from", form], payload), rows, "{form}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place_and_nothing_is_printed() {
    for (arguments, input, reason) in [
        (
            &["decode", "--from", "gcx"][..],
            "GCX2 tool=t fields=a\n",
            "standard input is not read as gcx: line 1: this is version \"2\" of GCX",
        ),
        (&["decode", "--from", "gcx"], "GCX1 tool=t fields=a\n1\t2\n", "line 2: a row of 2 cells"),
        (&["decode", "--from", "gcf"], "GCF profile=generic\n## [2]{a}\n1\n", "line 2: the section says [2]"),
        // The library panics on this one.
        (
            &["decode", "--from", "gcf"],
            "GCF profile=generic\n## [1]{\"a>b\",\"a>b>c\"}\n1|2\n",
            "its reader gave up\n",
        ),
        (
            &["decode", "--from", "toon"],
            "[1]{a}:\n  1.0000000000000000001\n",
            "line 2: the number 1.0000000000000000001",
        ),
        (&["decode", "--from", "json"], "[1]", "row 1: this is a number"),
        (&["decode", "--from", "auto"], "", "name the form of the payload"),
        (&["decode"], "", "--from"),
        (
            &["encode", "--to", "json"],
            "{\"a\":1}\n{",
            "standard input holds no JSON rows: line 2: this is no JSON",
        ),
        (&["encode", "--to", "xml"], "", "json, table, gcf, gcx, toon or auto"),
        (&["encode"], "", "--to"),
        (&["tokens"], "7", "row 1: this is a number"),
        (&["tokens", "--output", "xml"], "", "text, json"),
    ] {
        let (code, output, log) = pipe(arguments, input);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{arguments:?}: {log}");
        assert!(log.contains(reason) && !log.contains("panicked"), "{arguments:?}: {log}");
    }
    let (code, _, log) = pipe(&["encode", "--to", "gcx"], [b'[', 0xff, b']']);
    assert_eq!((code, log.as_str()), (Some(1), "Error: standard input is not UTF-8 text: byte 2\n"));
}

/// The figures of the JSON output are what the printed forms cost, counted here.
#[test]
fn tokens_counts_what_each_form_costs() {
    let scorecard: Json =
        serde_json::from_str(&piped(&["tokens", "--output", "json"], &orders())).expect("JSON");
    assert_eq!((&scorecard["rows"], &scorecard["columns"]), (&json!(40), &json!(6)));
    let count = |text: &str, tokens: &tiktoken_rs::CoreBPE| tokens.count_ordinary(text);
    let costs = |blocks: &[&str]| {
        let sum = |tokens| blocks.iter().map(|block| count(block, tokens)).sum::<usize>();
        let bytes = blocks.iter().map(|block| block.len()).sum::<usize>();
        (bytes, sum(tiktoken_rs::o200k_base_singleton()), sum(tiktoken_rs::cl100k_base_singleton()))
    };
    let forms = scorecard["forms"].as_array().expect("forms");
    assert_eq!(forms.iter().map(|form| form["form"].as_str().expect("a name")).collect::<Vec<_>>(), FORMS);
    let mut best = ("", usize::MAX);
    for (form, name) in forms.iter().zip(FORMS) {
        let printed = piped(&["encode", "--strict", "--to", name], &orders());
        let blocks: Vec<&str> = match name {
            "json" => printed.lines().collect(),
            // The line break at the end is the command's.
            "table" | "toon" => vec![printed.trim_end()],
            _ => vec![&printed],
        };
        let (bytes, o200k, cl100k) = costs(&blocks);
        assert_eq!(
            (&form["bytes"], &form["o200k"], &form["cl100k"]),
            (&json!(bytes), &json!(o200k), &json!(cl100k)),
            "{name}"
        );
        assert_eq!((&form["sent"], &form["reason"]), (&json!(true), &Json::Null));
        if o200k < best.1 {
            best = (name, o200k);
        }
    }
    assert_eq!(scorecard["winner"], best.0);
    assert_eq!(forms[0]["o200kPercent"].to_string(), "0.0");
    assert!(scorecard["valuesAlone"]["bytesPercent"].as_f64().expect("a number") < -40.0);
}

#[test]
fn tokens_prints_a_table_for_people_with_the_winner_and_the_reasons() {
    let rows = r#"{"full name":"the first of them","id":1}"#.repeat(20);
    let text = piped(&["tokens"], &rows);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "standard input: 20 rows, 2 columns");
    assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["form", "bytes", "o200k", "cl100k"]);
    assert!(lines.iter().filter(|line| line.starts_with("* ")).count() == 2, "{text}");
    assert!(text.contains("gcx (!)"), "{text}");
    assert!(
        text.contains(
            "! gcx is not sent, json goes out: it has no spelling for the column name \"full name\"\n"
        ),
        "{text}"
    );
    assert!(lines.iter().all(|line| *line == line.trim_end()), "{text}");
    // Figures stand under each other.
    let ends: Vec<usize> = lines[3..9]
        .iter()
        .filter_map(|line| {
            Some(line.find(char::is_numeric)? + line.get(line.find(char::is_numeric)?..)?.find(' ')?)
        })
        .collect();
    assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
}

#[test]
fn tokens_of_a_tool_are_those_of_its_result() {
    let workspace = served();
    let text = prints(&workspace, &["tokens", "rows", r#"{"count":30}"#]);
    assert!(text.starts_with("rows: 30 rows, 2 columns\n"), "{text}");
    let output = prints(&workspace, &["tokens", "rows", r#"{"count":30}"#, "--output", "json"]);
    let scorecard: Json = serde_json::from_str(&output).expect("JSON");
    let gcf = prints(&workspace, &["invoke", "rows", r#"{"count":30}"#, "--response-encoding", "gcf"]);
    assert_eq!(scorecard["forms"][2]["bytes"], json!(gcf.len()));
    assert!(fails(&workspace, &["tokens", "nothing"]).contains("tool \"nothing\" not found"));
    assert!(fails(&workspace, &["tokens", "rows", "[]"]).contains("the arguments must be a JSON object"));
}

#[test]
fn the_page_about_the_commands_shows_what_they_print() {
    let page = fs::read_to_string(crate::support::repository().join("docs/cli.md")).expect("the page");
    let example = Workspace::example();
    let tokens = prints(&example, &["tokens", "list_instances"]);
    let rows = r#"[{"id":1,"name":"Alice","code":"007"},{"id":2,"name":"Bob","code":"008"},{"id":3,"name":"Eve","code":null}]"#;
    let encoded = piped(&["encode", "--to", "gcx", "--tool", "find_customers"], rows);
    let decoded = piped(&["decode", "--from", "gcx"], "GCX1 tool=t fields=id,name\n1\tAlice\n2\n");
    assert!(page.contains(&format!("echo '{rows}'")), "{rows}");
    for printed in [tokens, encoded, decoded] {
        assert!(page.contains(&printed), "{printed}");
    }
}
