//! `${NAME}` and `${NAME:default}`, case by case.

use toolbox::config::Database;

use super::Case;

/// The database of a SQLite source that is written like this, with `A` set as given.
#[track_caller]
fn database(written: &str, a: Option<&'static str>) -> String {
    let case = Case::file(&format!("sources:\n  s:\n    kind: sqlite\n    database: {written}\n"));
    let case = match a {
        Some(value) => case.with("A", value),
        None => case,
    };
    let config = case.good();
    let Database::Sqlite { database } = &config.sources["s"].database else { panic!("no SQLite") };
    database.clone()
}

#[test]
fn references_follow_the_table_of_mcp_toolbox() {
    for (written, a, expected) in [
        ("${A}", Some("value"), "value"),
        ("x${A}y${A}z", Some("value"), "xvalueyvaluez"),
        ("${A:d}", None, "d"),
        ("${A:d}", Some("value"), "value"),
        ("x${A:d}", Some(""), "x"),
        ("x${A:}", None, "x"),
        ("${A:a:b://c}", None, "a:b://c"),
        ("${A:-d}", None, "-d"),
        ("${A:x}y}", None, "xy}"),
        ("'${A:${B}}'", None, "${B}"),
        ("'${ A }'", Some("value"), "${ A }"),
        ("${A-B}", Some("value"), "${A-B}"),
        ("$A", Some("value"), "$A"),
        ("${Ä}", Some("value"), "${Ä}"),
        ("$${A}", Some("value"), "$value"),
        ("${A}", Some("${B}"), "${B}"),
        ("${A}", Some("${A}"), "${A}"),
        ("${A} # ${UNSET}", Some("value"), "value"),
        ("'a # ${A}'", Some("value"), "a # value"),
        ("\"a # ${A}\"", Some("value"), "a # value"),
        ("${A:two\n      lines}", None, "two lines"),
        ("'${A:two\n      lines}'", None, "two lines"),
        ("|-\n      ${A:two\n      lines}", None, "two\nlines"),
        (">-\n      ${A:two\n      lines}", None, "two lines"),
        ("|-\n      # ${A}", Some("value"), "# value"),
        ("${A:\"quoted\"}", None, "quoted"),
        ("${A:'it''s'}", None, "it's"),
        ("x${A:\"quoted\"}", None, "x\"quoted\""),
        ("${A:ends here} # comment}", None, "ends here"),
        ("${A:\u{f0000}}\u{f0001}\u{e000}", None, "\u{f0000}\u{f0001}\u{e000}"),
        ("\"${A}\\U000F0000\\U000F0001\"", Some("value"), "value\u{f0000}\u{f0001}"),
    ] {
        assert_eq!(database(written, a), expected, "{written} with {a:?}");
    }
}

#[test]
fn the_value_of_a_variable_is_always_text_and_never_structure() {
    for hostile in [
        "!a: \"b\" #c\n'd' {e}",
        "a\n    readOnly: true",
        "a\n---\nkind: source",
        " #comment",
        "*alias",
        "&anchor x",
        "@at",
        "%percent",
        "- item",
        "? key",
        "{a: b}",
        "[a, b]",
        "a: b",
        "\"",
        "'",
        "\\n\t",
        "|",
        "> x",
        "~",
        "null",
        "0123",
        "1.10",
        "\u{f0000}xxx",
        "\u{feff}bom",
        "\u{1b}[31m",
        "日本 🙂",
    ] {
        for (written, around) in
            [("${A}", ["", ""]), ("x${A}y", ["x", "y"]), ("'${A}'", ["", ""]), ("\"${A}\"", ["", ""])]
        {
            assert_eq!(database(written, Some(hostile)), format!("{}{hostile}{}", around[0], around[1]));
        }
        let flow =
            Case::file("sources: {s: {kind: sqlite, database: ${A}, readOnly: false}}\n").with("A", hostile);
        let config = flow.good();
        assert!(
            matches!(&config.sources["s"].database, Database::Sqlite { database } if database == hostile),
            "{hostile:?}"
        );
        assert!(!config.sources["s"].read_only);
    }
}

#[test]
fn a_reference_may_be_a_key_or_part_of_one() {
    let text =
        "sources:\n  ${A}:\n    ${TYPE}: sqlite\n    database: x\n  b-${A}: {kind: sqlite, database: y}\n";
    let config = Case::file(text).with("A", "a: {b}").with("TYPE", "type").good();
    assert_eq!(config.sources.keys().collect::<Vec<_>>(), ["a: {b}", "b-a: {b}"]);
}

#[test]
fn a_reference_in_a_comment_is_nothing_even_when_its_default_would_span_lines() {
    let text = "\
# ${UNSET} and ${UNSET:open
sources: # ${UNSET:
  s: # } ${UNSET:
    kind: sqlite
    # password: ${UNSET:never closed here
    database: ${A}
    # ${UNSET
    readOnly: ${B:true}
";
    let config = Case::file(text).with("A", "value").good();
    assert!(matches!(&config.sources["s"].database, Database::Sqlite { database } if database == "value"));
    assert!(config.sources["s"].read_only);
}

#[test]
fn hundreds_of_comment_lines_are_fine() {
    let comments = "# a line of ${UNSET}\n".repeat(500);
    let text = format!(
        "{comments}sources:\n{comments}  s:\n{comments}    kind: sqlite\n    database: x\n{comments}"
    );
    assert_eq!(Case::file(&text).good().sources.len(), 1);
}

#[test]
fn a_value_takes_the_type_of_its_field() {
    let text = "\
sources:
  s:
    kind: sqlite
    database: x
    readOnly: ${FLAG}
    maxRows: ${ROWS:25}
    statementTimeout: ${TIMEOUT:2s}
";
    let config = Case::file(text).with("FLAG", "true").good();
    let source = &config.sources["s"];
    assert!(source.read_only);
    assert_eq!(source.limits.max_rows, toolbox::config::source::LimitSetting::At(25));
}

#[test]
fn positions_stay_where_they_are_in_the_file() {
    let text = "sources: {é-${A:日本}: {kind: sqlit}, ${LONG_NAME}: {kind: sqlit}}\n";
    let report = Case::file(text).with("LONG_NAME", "b").report();
    let column = |before: &str| before.chars().count() + 1;
    assert!(report.contains(&format!(":1:{}]", column("sources: {é-${A:日本}: {kind: "))), "{report}");
    assert!(
        report.contains(&format!(":1:{}]", column(text.trim_end().trim_end_matches("sqlit}}")))),
        "{report}"
    );
}
