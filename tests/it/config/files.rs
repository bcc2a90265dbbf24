//! Several files, folders, and files that are no text.

use insta::assert_snapshot;
use toolbox::config::Files;

use super::Case;

const SOURCE: &str = "sources: {shop: {kind: sqlite, database: shop.db}}\n";
const TOOL: &str = "tools: {find: {kind: sqlite-sql, source: shop, description: D., statement: SELECT 1}}\n";
const GROUP: &str = "kind: group\nname: sales\ntools: [find]\n";

#[test]
fn references_reach_across_files_in_any_order() {
    let config = Case::new().and("c.yaml", GROUP).and("b.yaml", TOOL).and("a.yaml", SOURCE).good();
    assert_eq!(config.tools["find"].source, "shop");
    assert_eq!(config.toolsets["sales"].tools, ["find"]);
}

#[test]
fn the_same_source_in_two_files_is_one_source() {
    let flat = "database: shop.db\ntype: sqlite\nname: shop\nkind: source\n";
    let config = Case::new().and("a.yaml", SOURCE).and("b.yaml", flat).good();
    assert_eq!(config.sources.len(), 1);
}

#[test]
fn a_folder_is_read_yaml_first_then_yml_each_sorted_and_nothing_else() {
    let source = |name: &str| format!("sources: {{{name}: {{kind: sqlite, database: x}}}}\n");
    let case = Case::new()
        .and("2.yml", source("fourth"))
        .and("b.yaml", source("second"))
        .and("1.yml", source("third"))
        .and("a.yaml", source("first"))
        .and("notes.txt", "not: yaml: at: all")
        .and("yaml", "nor this: one: either");
    std::fs::create_dir(case.folder.path().join("deeper.yaml")).unwrap();
    let config = case.load_folder().unwrap();
    assert_eq!(config.sources.keys().collect::<Vec<_>>(), ["first", "second", "third", "fourth"]);
}

#[test]
fn an_empty_folder_is_a_fault() {
    let case = Case::new();
    assert_snapshot!(case.readable(case.load_folder()));
}

#[test]
fn paths_that_cannot_be_read_are_faults() {
    let case = Case::file("sources: {a: {kind: sqlit}}\n");
    let folder = case.folder.path();
    let named = Files::Named(vec![folder.join("missing.yaml"), folder.join("tools.yaml"), folder.to_owned()]);
    assert_snapshot!(case.readable(case.load_files(named)));
}

#[test]
fn a_folder_that_is_missing_or_a_file_is_a_fault() {
    let case = Case::file("");
    let folder = case.folder.path();
    let missing = case.readable(case.load_files(Files::Folder(folder.join("missing"))));
    let file = case.readable(case.load_files(Files::Folder(folder.join("tools.yaml"))));
    assert_snapshot!(format!("{missing}\n\n{file}"));
}

#[test]
fn other_encodings_than_utf8_are_named() {
    let utf16: Vec<u8> = SOURCE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut marked = vec![0xfe, 0xff];
    marked.extend(SOURCE.encode_utf16().flat_map(u16::to_be_bytes));
    let case = Case::new()
        .and("utf16.yaml", utf16)
        .and("marked.yaml", marked)
        .and("latin1.yaml", b"sources: # caf\xe9\n  shop: {kind: sqlite, database: shop.db}\n");
    assert_snapshot!(case.report());
}

#[test]
fn a_byte_order_mark_and_any_line_breaks_are_fine() {
    for breaks in ["\n", "\r\n", "\r"] {
        let text = format!("\u{feff}# comment\n{SOURCE}{TOOL}---\n{GROUP}").replace('\n', breaks);
        let config = Case::file(&text).good();
        assert_eq!(config.toolsets["sales"].tools, ["find"]);
    }
}

#[test]
fn lines_are_counted_the_same_with_any_line_breaks() {
    let report =
        |breaks: &str| Case::file(&"sources:\n  a:\n    kind: sqlit\n".replace('\n', breaks)).report();
    assert!(report("\n").contains("tools.yaml:3:11"), "{}", report("\n"));
    assert_eq!(report("\r\n"), report("\n"));
    assert_eq!(report("\r"), report("\n"));
}

#[test]
fn carets_inside_blocks_stand_right_with_any_line_breaks() {
    let text = "\
sources: {shop: {kind: sqlite, database: x}}
tools:
  t:
    kind: sqlite-sql
    source: shop
    description: D.
    statement: |2

        -- a comment

        SELECT 1; SELECT 2
";
    for breaks in ["\n", "\r\n", "\r"] {
        let report = Case::file(&text.replace('\n', breaks)).report();
        assert!(report.contains("tools.yaml:11:19"), "{breaks:?}: {report}");
    }
}

#[test]
fn json_is_yaml() {
    let text = r#"{
	"sources": {"shop": {"kind": "sqlite", "database": "shop.db"}},
	"tools": {"find": {"kind": "sqlite-sql", "source": "shop", "description": "D.\u00e9", "statement": "SELECT 1"}}
}"#;
    let config = Case::new().and("tools.yaml", text).good();
    assert_eq!(config.tools["find"].description, "D.é");
}

#[test]
fn empty_files_and_empty_documents_are_skipped_and_the_rest_is_read() {
    assert!(Case::file("").good().sources.is_empty());
    assert!(Case::file("# nothing\n\n# here\n").good().sources.is_empty());
    let text = format!("---\n# a\n---\n{SOURCE}---\n---\n# b\n---\n{TOOL}...\n---\n{GROUP}---\n");
    let config = Case::file(&text).good();
    assert_eq!(config.toolsets["sales"].tools, ["find"]);
}

#[test]
fn a_syntax_error_does_not_raise_faults_about_what_it_hides() {
    let case =
        Case::new().and("a.yaml", "sources: {shop: {kind: sqlite\n").and("b.yaml", TOOL).and("c.yaml", GROUP);
    let faults = case.load().unwrap_err();
    assert_eq!(faults.len(), 1, "{faults}");
}
