//! Every accepted form, and what it means.

use std::time::Duration;

use secrecy::ExposeSecret;
use toolbox::config::{
    Annotations, Database, ToolKind, Toolset,
    source::{LimitSetting, LimitSettings},
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
ttlMs: 300000
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
    ttlMs: 300000
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
        assert_eq!(parameters.iter().map(|parameter| parameter.name()).collect::<Vec<_>>(), ["customer"]);
        assert!(template_parameters.is_empty());
        assert!(matches!(config.tools["sql"].kind, ToolKind::ExecuteSql));
        assert_eq!(config.tools["sql"].read_only, None);
        assert_eq!(config.tools["sql"].annotations, None);

        let toolset = |name: &str, description: Option<&str>, tools: &[&str]| Toolset {
            name: name.to_owned(),
            description: description.map(str::to_owned),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        };
        assert_eq!(
            config.toolsets.values().cloned().collect::<Vec<_>>(),
            [
                toolset("all", None, &["find_order", "sql"]),
                toolset("sales", Some("What sales needs."), &["find_order"])
            ]
        );
        assert_eq!(config.warnings, Vec::<String>::new());
    }
}
