//! The whole report for each kind of fault. Read the snapshots as a user would: file, line, caret, what to do.

use insta::assert_snapshot;

use super::{Case, with_source, with_tool};

#[test]
fn a_source_says_what_is_missing_unknown_or_of_the_wrong_type() {
    let text = "\
sources:
  nothing:
  no_fields: {kind: sqlite}
  not_a_map: sqlite
  no_type: {database: a.db}
  empty_database:
    kind: sqlite
    database: ~
  misspelt_keys:
    kind: sqlite
    databse: a.db
    database: a.db
    max_rows: 5
    something: else
  wrong_types:
    kind: sqlite
    database: [a.db]
    maxRows: -1
    maxBytes: 1_000
    statementTimeout: 30
    acquireTimeout: soon
    maxConnections: 0
    readOnly: no
  unknown_type: {kind: sqlit, database: a.db}
  mariadb: {kind: mariadb, host: h, port: 3306}
  of_the_peer: {kind: cloud-sql-postgres, project: p}
  both_words: {kind: sqlite, type: sqlite, database: a.db}
";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn a_server_says_what_is_missing_or_of_the_wrong_type() {
    let text = "\
kind: source
name: pg
type: postgres
port: 70000
queryExecMode: simple
queryParams: {TimeZone: Europe/Paris}
connectTimeout: 0
---
kind: source
name: my
type: mysql
host: db.example
port: seven
queryTimeout: 5
queryParams: sslmode
sqlCommenter: on
connectTimeout: 5
---
kind: source
name: my2
type: mysql
host: db.example
port: 3306
queryParams: 'time_zone=%2B02:00&tls=true'
";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn a_tool_says_what_is_missing_unknown_or_of_the_wrong_type() {
    let text = "\
kind: source
name: shop
type: sqlite
database: shop.db
---
kind: tool
name: bare
type: sqlite-sql
---
kind: tool
name: of an unknown source
type: sqlite-execute-sql
source: shp
description: Runs SQL.
---
kind: tool
name: of_another_database
type: postgres-sql
source: shop
description: Runs SQL.
statement: SELECT 1
---
kind: tool
name: unknown_type
type: sqlite-sq
source: shop
---
kind: tool
name: catalog_type
type: postgres-list-tables
source: shop
---
kind: tool
name: type_of_another_source
type: bigquery-sql
source: shop
---
kind: tool
name: fields
type: sqlite-execute-sql
source: shop
description: Runs SQL.
statement: SELECT 1
authRequired: [google]
scopesRequired: [read]
ui: {resourceUri: ui://a}
annotations: {readOnlyHint: maybe, title: T}
readonly: true
";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn a_parameter_says_what_is_missing_unknown_or_of_the_wrong_type() {
    let text = "\
statement: SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?
parameters:
  - name: untyped
    description: No type.
  - {name: undescribed, type: string}
  - {type: string, description: No name.}
  - {name: a, type: int, description: A.}
  - {name: a, type: array, description: No items.}
  - {name: b, type: map, valueType: text, description: B.}
  - {name: c, type: string, description: C., minValue: 1, items: {}, embeddedBy: m}
  - {name: d, type: integer, description: D., minValue: one, escape: single-quotes}
  - not a map
templateParameters:
  - {name: a, type: string, description: A., escape: quotes, valueFromParam: a}
  - {name: e, type: string, description: E., valueFromParam: undescribd}
  - {name: f, type: string, description: F., authServices: [{name: g, field: sub}], requierd: false}
  - {name: g, type: array, description: G., items: {name: h, type: string, kind: x}}
";
    assert_snapshot!(Case::file(&with_tool(text)).report());
}

#[test]
fn a_statement_is_one_statement_with_a_placeholder_for_each_parameter() {
    let text = "\
kind: source
name: shop
type: sqlite
database: shop.db
---
kind: tool
name: too_few
type: sqlite-sql
source: shop
description: D.
statement: SELECT * FROM orders WHERE customer = ? AND total > ?
parameters: [{name: customer, type: string, description: D.}]
---
kind: tool
name: too_many
type: sqlite-sql
source: shop
description: D.
statement: |
  SELECT *
  FROM orders
parameters: [{name: customer, type: string, description: D.}]
---
kind: tool
name: named
type: sqlite-sql
source: shop
description: D.
statement: |
  SELECT *
  FROM orders
  WHERE customer = :customer
parameters: [{name: customer, type: string, description: D.}]
---
kind: tool
name: two
type: sqlite-sql
source: shop
description: D.
statement: |-
  SELECT 1;

  DELETE FROM orders
---
kind: tool
name: two_on_a_line
type: sqlite-sql
source: shop
description: D.
statement: \"SELECT 1; DROP TABLE orders\"
---
kind: tool
name: open
type: sqlite-sql
source: shop
description: D.
statement: SELECT 'it''s
---
kind: tool
name: blank
type: sqlite-sql
source: shop
description: D.
statement: '-- nothing'
---
kind: tool
name: empty
type: sqlite-sql
source: shop
description: D.
statement: ''
";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn a_write_is_refused_where_only_reading_is_allowed() {
    let text = "\
sources:
  frozen: {kind: sqlite, database: a.db, readOnly: true}
  open: {kind: sqlite, database: a.db}
tools:
  write_on_frozen:
    kind: sqlite-sql
    source: frozen
    description: D.
    statement: DELETE FROM orders
  loosened:
    kind: sqlite-sql
    source: frozen
    description: D.
    readOnly: false
    statement: SELECT 1
  write_in_read_only_tool:
    kind: sqlite-sql
    source: open
    description: D.
    readOnly: true
    statement: >
      WITH a AS (SELECT 1)
      INSERT INTO orders SELECT * FROM a
  write: {kind: sqlite-sql, source: open, description: D., statement: DELETE FROM orders}
";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn a_toolset_names_tools_that_exist() {
    let text = "\
toolsets:
  a: [find, fnd]
  b: find
  c: {tools: [fin], prompts: [p], description: Dropped.}
  d.e: [find]
  dup: [find]
groups:
  dup: {tools: [find]}
  list: [find]
  full: {tools: [find], prompts: [p], resources: [], ttlMs: -1, cacheScope: shared, tols: []}
";
    let tool = "tools: {find: {kind: sqlite-sql, source: shop, description: D., statement: SELECT 1}}\n";
    assert_snapshot!(Case::file(&with_source(&format!("{tool}{text}"))).report());
}

#[test]
fn an_encoding_is_one_of_the_known_and_its_argument_has_a_name_of_its_own() {
    let text = "\
tools:
  find: {kind: sqlite-sql, source: shop, description: D., statement: SELECT 1, responseEncoding: tron}
  list: {kind: sqlite-execute-sql, source: shop, description: D., responseEncoding: [gcf], encodingArgument: maybe}
  both:
    kind: sqlite-sql
    source: shop
    description: D.
    encodingArgument: true
    parameters:
      - {name: format, type: string, description: A form.}
    statement: SELECT ?
toolsets:
  a: {tools: [], responseEncoding: csv}
";
    assert_snapshot!(Case::file(&with_source(text)).report());
}

#[test]
fn a_name_is_no_value_and_needs_a_template_parameter() {
    let text = "\
tools:
  find:
    kind: sqlite-sql
    source: shop
    description: D.
    parameters: [{name: table, type: string, description: A table.}]
    statement: SELECT * FROM ?
  add:
    kind: sqlite-sql
    source: shop
    description: D.
    parameters: [{name: table, type: string, description: A table.}]
    statement: insert into ?1 values (1)
";
    assert_snapshot!(Case::file(&with_source(text)).report());
}

#[test]
fn a_number_format_is_one_of_the_known() {
    let text = "\
tools:
  find: {kind: sqlite-sql, source: shop, description: D., statement: SELECT 1, numberFormat: save}
  list: {kind: sqlite-execute-sql, source: shop, description: D., numberFormat: 15}
  show: {kind: sqlite-execute-sql, source: shop, description: D., number_format: safe}
";
    assert_snapshot!(Case::file(&with_source(text)).report());
}

#[test]
fn kinds_that_are_not_served_yet_and_unknown_ones_are_told_apart() {
    let text = "\
prompts: {greet: {messages: []}}
authServices: {google: {kind: google}}
embeddingModels: {gemini: {kind: gemini}}
resources: {a: {kind: text}}
resourceTemplates: {b: {kind: file}}
authSources: {old: {}}
tolls: {}
tool: {}
sources: [a]
---
kind: prompt
name: hello
---
kind: Source
name: a
---
kind: promptset
name: b
---
kind: tool
---
name: c
type: sqlite
---
kind: group
name: d
tools: []
toolsets: {}
";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn a_document_that_is_no_map_is_refused_and_the_rest_is_read() {
    let text = "just a text\n---\n- a list\n---\nnull\n---\nsources: {a: {kind: sqlit}}\n";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn a_name_declared_twice_is_reported_with_both_places() {
    let first = "\
sources:
  a: {kind: sqlite, database: a.db}
  b: {kind: sqlite, database: b.db}
  b: {kind: sqlite, database: b.db}
tools:
  t: {kind: sqlite-execute-sql, source: a, description: D.}
";
    let second = "\
kind: source
name: a
type: sqlite
database: other.db
---
kind: tool
name: t
type: sqlite-execute-sql
source: a
description: D.
---
kind: tool
name: t
type: sqlite-execute-sql
source: a
description: D.
";
    assert_snapshot!(Case::new().and("one.yaml", first).and("two.yaml", second).report());
}

#[test]
fn faults_of_the_yaml_itself_point_at_their_character() {
    let text = "\
sources:
\ta: {kind: sqlite}
---
sources: {a: {kind: sqlite
---
sources:
  a: 'never closed
---
kind: source
name: @at
---
kind: source
description: a: b
---
kind: *nowhere
name: !custom x
---
a: 1
? [complex]
: 2
a: 3
<<: text
---
kind: tool
name: \"a\\qb\"
";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn an_unset_variable_is_named_wherever_it_stands() {
    let text = "\
sources:
  a:
    kind: postgres
    host: ${HOST} # ${NOT_HERE}
    port: ${PORT}
    database: 'db-${NAME}-${SUFFIX}'
    user: ${USER:app}
    password: ${PASSWORD}
    ${KEY}: x
tools:
  # ${NOR_HERE}
  t:
    kind: postgres-sql
    source: a
    description: D.
    statement: |
      -- ${HERE}
      SELECT 1
";
    assert_snapshot!(Case::file(text).report());
}

#[test]
fn values_of_variables_and_passwords_stay_out_of_the_report() {
    let text = "\
sources:
  a:
    kind: postgres
    host: h
    port: ${PORT}
    database: d
    user: u
    password: hunter2
    pasword: hunter2
    maxRows: ${ROWS}
    readOnly: ${SECRET}
    queryExecMode: ${SECRET}
    connectTimeout: ${SECRET}
  b:
    kind: mysql
    host: h
    port: 1
    password: |
      hunter2
      ${UNSET:}hunter2-${UNSET}
    passphrase: \"hunter2
      hunter2 ${UNSET} hunter2\"
---
password: @hunter2
";
    let report =
        Case::file(text).with("PORT", "s3cret").with("ROWS", "s3cret").with("SECRET", "s3cret").report();
    assert!(!report.contains("s3cret") && !report.contains("hunter2"), "{report}");
    assert_snapshot!(report);
}

#[test]
fn names_that_come_from_variables_are_shown_as_references() {
    let text = "\
sources:
  ${SECRET}: {kind: '${SECRET}', database: x, '${SECRET}': y, 'a-${SECRET}': z}
  good: {kind: sqlite, database: x}
tools:
  t: {kind: '${SECRET}', source: good}
  u:
    kind: sqlite-sql
    source: x-${SECRET}
    description: D.
    statement: SELECT :${SECRET}
    parameters:
      - {name: '${SECRET}', type: '${SECRET}', description: D.}
      - {name: i, type: integer, description: D., default: '${SECRET}', escape: '${SECRET}'}
  v: {kind: sqlite-sql, source: good, description: D., statement: 'SELECT {{.${SECRET}}} {{end}}'}
  ${SECRET}: {kind: sqlite-execute-sql, source: good, description: D., authRequired: ['${SECRET}']}
toolsets: {all: ['${SECRET}x', u]}
---
kind: ${SECRET}
name: ${SECRET}
---
? a-${SECRET}
: {}
";
    let report = Case::file(text).with("SECRET", "s3cret").report();
    assert!(!report.contains("s3cret"), "{report}");
    assert_snapshot!(report);
}

#[test]
fn a_parameter_obeys_its_own_rules() {
    let text = "\
statement: SELECT ?, ?, ?, ?, ?, ?
parameters:
  - {name: a, type: integer, description: A., minValue: 5, maxValue: 1}
  - {name: b, type: integer, description: B., default: many}
  - {name: c, type: integer, description: C., default: 7, maxValue: 5}
  - {name: d, type: string, description: D., default: z, allowedValues: [x, y]}
  - {name: e, type: boolean, description: E., default: yes, minValue: 0, escape: backticks}
  - {name: f, type: array, description: F., items: {name: i, type: integer, description: I., allowedValues: [1, [2]]}}
";
    assert_snapshot!(Case::file(&with_tool(text)).report());
}

#[test]
fn a_template_is_parsed_when_the_file_is_read() {
    let tool = |name: &str, statement: &str| {
        format!(
            "  {name}:\n    kind: sqlite-sql\n    source: shop\n    description: D.\n    statement: {statement}\n"
        )
    };
    let text = format!(
        "tools:\n{}{}{}{}",
        tool("open", "SELECT {{.a"),
        tool("undeclared", "|\n      SELECT 1,\n        {{.b}}"),
        tool("unknown_function", "\"SELECT {{upper .a}}\""),
        tool(
            "good",
            "SELECT '?' {{if .a}} {{.a}} {{end}}\n    templateParameters: [{name: a, type: string, description: A.}]"
        ),
    );
    assert_snapshot!(Case::file(&with_source(&text)).report());
}

#[test]
fn colors_are_added_only_when_asked_for() {
    let faults = Case::file("sources: {a: {kind: sqlit}, b: {kind: sqlit}}\n").load().unwrap_err();
    assert_eq!(faults.len(), 2);
    assert!(!format!("{faults}").contains('\u{1b}') && !format!("{faults:?}").contains('\u{1b}'));
    assert!(format!("{faults:#}").contains('\u{1b}'));
}

#[test]
fn a_very_long_line_is_cut_around_the_caret() {
    let long = "x".repeat(5_000);
    let text = format!(
        "sources: {{a: {{kind: sqlite, database: {long}, readOnly: perhaps, migrations: {long}}}}}\n"
    );
    assert_snapshot!(Case::file(&text).report());
}
