//! Every accepted form, and what it means.

use std::time::Duration;

use toolbox::{
    config::{
        Annotations, CacheScope, Caching, Database, ToolKind, Toolset,
        source::{LimitSetting, LimitSettings},
    },
    tool::parameter::Parameter,
};

use super::{Case, with_source, with_tool};

const FLAT: &str = "\
# The shop.
kind: source
name: shop
type: sqlite
database: shop.db
migrations: migrations/sqlite
readOnly: false
maxRows: 500
maxBytes: 0
maxCellBytes: 4096
statementTimeout: 1m30s
maxConnections: 3
acquireTimeout: 500ms
---
kind: tool
name: find_order
type: sqlite-sql
source: shop
description: Orders of one customer.
statement: SELECT id, total FROM orders WHERE customer = ?
parameters:
  - name: customer
    type: string
    description: customer code
annotations: {readOnlyHint: true, openWorldHint: \"false\"}
maxRows: 10
readOnly: true
---
kind: tool
name: sql
type: sqlite-execute-sql
source: shop
description: Runs SQL.
---
kind: toolset
name: all
tools: [find_order, sql, find_order]
---
kind: group
name: sales
description: What sales needs.
tools:
  - find_order
ttlMs: 60000
cacheScope: private
";

const NESTED: &str = "\
sources:
  shop:
    kind: sqlite
    database: shop.db
    migrations: migrations/sqlite
    readOnly: false
    maxRows: 500
    maxBytes: 0
    maxCellBytes: 4096
    statementTimeout: 1m30s
    maxConnections: 3
    acquireTimeout: 500ms
tools:
  find_order:
    kind: sqlite-sql
    source: shop
    description: Orders of one customer.
    statement: SELECT id, total FROM orders WHERE customer = ?
    parameters:
      - name: customer
        kind: string
        description: customer code
    annotations: {readOnlyHint: true, openWorldHint: \"false\"}
    maxRows: 10
    readOnly: true
  sql:
    type: sqlite-execute-sql
    source: shop
    description: Runs SQL.
toolsets:
  all: [find_order, sql, find_order]
groups:
  sales:
    description: What sales needs.
    tools: [find_order]
    ttlMs: 60000
    cacheScope: private
";

#[test]
fn both_forms_say_the_same() {
    for text in [FLAT, NESTED] {
        let config = Case::file(text).good();
        let source = &config.sources["shop"];
        assert!(matches!(&source.database, Database::Sqlite { database } if database == "shop.db"));
        assert_eq!(source.migrations.as_deref(), Some("migrations/sqlite".as_ref()));
        assert_eq!(source.max_connections, 3);
        assert_eq!(source.acquire_timeout, Duration::from_millis(500));
        assert!(!source.read_only);
        assert_eq!(
            source.limits,
            LimitSettings {
                max_rows: LimitSetting::At(500),
                max_bytes: LimitSetting::Unlimited,
                max_cell_bytes: LimitSetting::At(4096),
                statement_timeout: LimitSetting::At(Duration::from_secs(90)),
            }
        );

        assert_eq!(config.tools.keys().collect::<Vec<_>>(), ["find_order", "sql"]);
        let tool = &config.tools["find_order"];
        assert_eq!(tool.description, "Orders of one customer.");
        assert_eq!(tool.source, "shop");
        assert_eq!(tool.read_only, Some(true));
        assert_eq!(tool.limits.max_rows, LimitSetting::At(10));
        assert_eq!(tool.limits.max_bytes, LimitSetting::Unset);
        assert_eq!(
            tool.annotations,
            Some(Annotations { read_only: Some(true), open_world: Some(false), ..Annotations::default() })
        );
        let ToolKind::Statement { statement, parameters, template_parameters } = &tool.kind else {
            panic!("{:?}", tool.kind)
        };
        assert_eq!(&**statement.text(), "SELECT id, total FROM orders WHERE customer = ?");
        assert_eq!(parameters.iter().map(Parameter::name).collect::<Vec<_>>(), ["customer"]);
        assert!(template_parameters.is_empty());
        assert!(matches!(config.tools["sql"].kind, ToolKind::ExecuteSql));
        assert_eq!(config.tools["sql"].read_only, None);
        assert_eq!(config.tools["sql"].annotations, None);

        let toolset = |name: &str, description: Option<&str>, tools: &[&str], caching| Toolset {
            name: name.to_owned(),
            description: description.map(str::to_owned),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            caching,
            encoding: None,
        };
        assert_eq!(
            config.toolsets.values().cloned().collect::<Vec<_>>(),
            [
                toolset(
                    "all",
                    None,
                    &["find_order", "sql"],
                    Caching { ttl_ms: 300_000, scope: CacheScope::Public }
                ),
                toolset(
                    "sales",
                    Some("What sales needs."),
                    &["find_order"],
                    Caching { ttl_ms: 60_000, scope: CacheScope::Private }
                )
            ]
        );
        assert_eq!(config.warnings, Vec::<String>::new());
    }
}

#[test]
fn what_is_not_written_has_its_default() {
    let config = Case::file("sources: {s: {kind: sqlite, database: ':memory:'}}\n").good();
    let source = &config.sources["s"];
    assert_eq!(source.limits, LimitSettings::default());
    assert_eq!(source.max_connections, 10);
    assert_eq!(source.acquire_timeout, Duration::from_secs(10));
    assert!(!source.read_only && source.migrations.is_none());
    assert!(matches!(&source.database, Database::Sqlite { database } if database == ":memory:"));
}

#[test]
fn servers_are_read_with_their_own_fields() {
    let text = "\
kind: source
name: pg
type: postgres
host: 127.0.0.1
port: '5432'
database: shop
user: app
password: \"\"
queryParams: {sslmode: require}
queryExecMode: exec
connectTimeout: 5
---
sources:
  my: {kind: mysql, host: db.example, port: 3306, queryTimeout: 2m, queryParams: {tls: 'true', charset: }}
";
    let config = Case::file(text).good();
    let Database::Postgres(postgres) = &config.sources["pg"].database else { panic!("no PostgreSQL") };
    assert_eq!((postgres.host.as_str(), postgres.port), ("127.0.0.1", 5432));
    assert_eq!((postgres.database.as_deref(), postgres.user.as_deref()), (Some("shop"), Some("app")));
    assert!(postgres.password.is_some());
    assert_eq!(postgres.query_params["sslmode"], "require");
    assert_eq!(postgres.connect_timeout, Some(Duration::from_secs(5)));
    let Database::MySql(mysql) = &config.sources["my"].database else { panic!("no MySQL") };
    assert!(mysql.database.is_none() && mysql.user.is_none() && mysql.password.is_none());
    assert_eq!(mysql.query_timeout, Some(Duration::from_mins(2)));
    assert_eq!(mysql.query_params.keys().collect::<Vec<_>>(), ["tls"]);
}

#[test]
fn every_field_of_a_parameter_is_read() {
    let text = "\
statement: SELECT ?, ?, ?, ?, ?, ?, ?
parameters:
  - {name: s, type: string, description: S., default: 007, allowedValues: [007, 'a.*'], excludedValues: ['b']}
  - {name: i, type: integer, description: I., required: false, minValue: -5, maxValue: 9007199254740993}
  - {name: f, type: float, description: F., default: 1.10, minValue: 0.5}
  - {name: b, type: boolean, description: B., default: true}
  - {name: a, type: array, description: A., items: {name: i, type: integer, description: I.}, default: [1, 2]}
  - {name: m, type: map, description: M., valueType: string}
  - {name: copy, type: string, description: C., valueFromParam: s}
templateParameters:
  - {name: t, type: string, description: T., escape: double-quotes}
  - {name: any, type: map, description: Any., default: ~}
authRequired: []
scopesRequired: []
";
    let config = Case::file(&with_tool(text)).good();
    let ToolKind::Statement { parameters, template_parameters, .. } = &config.tools["find"].kind else {
        panic!("no statement")
    };
    let names = |parameters: &[Parameter]| {
        parameters.iter().map(|parameter| parameter.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(parameters), ["s", "i", "f", "b", "a", "m", "copy"]);
    assert_eq!(names(template_parameters), ["t", "any"]);
    assert_eq!(
        parameters.iter().map(Parameter::is_required).collect::<Vec<_>>(),
        [false, false, false, false, false, true, false]
    );
}

#[test]
fn numbered_placeholders_and_placeholders_in_strings_are_counted_as_the_database_counts() {
    let text = "\
statement: \"SELECT '?', \\\"?\\\", ?2, ?1, ?2 -- ?\"
parameters:
  - {name: a, type: string, description: A.}
  - {name: b, type: string, description: B.}
";
    assert_eq!(Case::file(&with_tool(text)).good().tools.len(), 1);
}

#[test]
fn tools_of_unknown_types_are_left_out_of_their_toolsets_when_asked() {
    let text = with_source(
        "\
tools:
  find: {kind: sqlite-sql, source: shop, description: D., statement: SELECT 1}
  tables: {kind: postgres-list-tables, source: pg, description: D.}
  nonsense: {kind: nonsense, whatever: 1}
toolsets:
  all: [tables, find, nonsense]
",
    );
    let config = Case::file(&text).ignoring_unknown_tools().good();
    assert_eq!(config.tools.keys().collect::<Vec<_>>(), ["find"]);
    assert_eq!(config.toolsets["all"].tools, ["find"]);
    assert_eq!(
        config.warnings,
        [
            "tool `tables`: tools of type `postgres-list-tables` are not served yet; it is left out",
            "tool `nonsense` has the unknown type `nonsense`; it is left out",
        ]
    );
}

#[test]
fn what_deserves_no_refusal_is_a_warning() {
    let text = with_source(
        "\
tools:
  find:
    kind: sqlite-sql
    source: shop
    description: D.
    statement: SELECT ?
    parameters: [{name: sessionId, type: string, description: D.}]
    maxRows: 0
    statementTimeout: 5s
---
sources: {tight: {kind: sqlite, database: x, maxRows: 5, statementTimeout: 10s}}
tools:
  wide: {kind: sqlite-execute-sql, source: tight, description: D., maxRows: 6, statementTimeout: 10s}
  open: {kind: sqlite-execute-sql, source: tight, description: D., maxRows: 5, statementTimeout: 0}
---
toolsets:
  all: {tools: [find], description: Everything.}
",
    );
    let warnings = Case::file(&text).good().warnings;
    assert_eq!(
        warnings,
        [
            "parameter `sessionId` of tool `find` cannot be given in the query of the URL, where the server keeps this \
             name for itself",
            "`maxRows` of tool `wide` is above that of its source, which holds",
            "`statementTimeout` of tool `open` is above that of its source, which holds",
            "the description of toolset `all` is dropped: a toolset has none; use `kind: group`",
        ]
    );
}

#[test]
fn groups_and_toolsets_may_be_empty_and_may_be_named_default() {
    let config =
        Case::file("groups: {default: {}}\ntoolsets: {none: [], nothing: {tools: []}, null: }\n").good();
    assert_eq!(config.toolsets.keys().collect::<Vec<_>>(), ["default", "none", "nothing", "null"]);
    assert!(config.toolsets.values().all(|toolset| toolset.tools.is_empty()));
}
