//! Input that nobody writes on purpose: there is an answer to all of it, and never a panic.

use std::fmt::Write;

use proptest::prelude::*;

use super::{Case, with_source};

#[test]
fn aliases_of_aliases_are_bounded() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let below = format!("*a{}", level - 1);
        writeln!(text, "a{level}: &a{level} [{}]", vec![below; 10].join(", ")).unwrap();
    }
    let report = Case::file(&text).report();
    assert_eq!(report.matches("aliases of this document expand to more than").count(), 1, "{report}");
}

#[test]
fn nesting_is_bounded_with_and_without_aliases() {
    let flow = format!("a: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    assert!(Case::file(&flow).report().contains("nested deeper than 64 levels"));
    let block: Vec<String> = (0..1_000).map(|level| format!("{}a:", " ".repeat(level))).collect();
    assert!(Case::file(&block.join("\n")).report().contains("nested deeper than 64 levels"));
    let mut aliases = String::from("a0: &a0 [x]\n");
    for level in 1..1_000 {
        writeln!(aliases, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert!(Case::file(&aliases).report().contains("or 64 levels"));
}

#[test]
fn an_alias_of_itself_is_a_fault() {
    let report = Case::file("a: &a [*a]\n").report();
    assert!(report.contains("an alias refers to the very value that it stands in"), "{report}");
}

const GOOD: &str = "\
# ${COMMENT}
sources: {shop: &s {kind: sqlite, database: '${A}', queryParams: {a: b}}}
---
kind: tool
name: find
type: sqlite-sql
source: shop
description: \"D\\u00e9 ${B:default}\"
statement: |
  SELECT * FROM t
  WHERE a = ? -- ${A}
parameters:
  - {name: a, type: array, description: A., items: {name: i, type: integer, description: I.}, default: [1, 2]}
---
toolsets: {all: [find], <<: {b: [find]}}
";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Case::new().and("tools.yaml", bytes).load().map_err(|faults| faults.to_string());
    }

    #[test]
    fn yaml_like_text_never_panics(text in "([a-z]{1,3}|: |- |\n|\n  |\\$\\{A\\}|\\$\\{B:|\\}|\\{|\\[|\\]|, |# |'|\"|&a |\\*a|<<: |---\n|\\||>|!x |\t|é|\u{f0000}){0,60}") {
        let _ = Case::file(&text).with("A", "a: b").load().map_err(|faults| faults.to_string());
    }

    #[test]
    fn a_mutated_file_never_panics(
        at in 0..GOOD.len(),
        cut in 0_usize..12,
        put in "([\\x00-\\x7f]|é|🙂|\u{f0000}|\\$\\{A\\}|\n){0,4}",
    ) {
        let mut bytes = GOOD.as_bytes().to_vec();
        bytes.splice(at..(at + cut).min(GOOD.len()), put.into_bytes());
        let _ = Case::new().and("tools.yaml", bytes).with("A", "v").load().map_err(|faults| faults.to_string());
    }

    #[test]
    fn any_value_of_a_variable_arrives_as_it_is(value in "\\PC{0,20}|[ -~\n\t]{0,20}", quoted in any::<bool>()) {
        // The value is leaked so that the case can hold it; a few thousand short texts.
        let value: &'static str = Box::leak(value.into_boxed_str());
        let written = if quoted { "\"a${A}b\"" } else { "a${A}b" };
        let config = Case::file(&with_source(&format!(
            "tools: {{t: {{kind: sqlite-execute-sql, source: shop, description: {written}}}}}\n"
        ))).with("A", value).good();
        prop_assert_eq!(&config.tools["t"].description, &format!("a{value}b"));
    }
}
