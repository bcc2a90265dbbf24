//! What a scan finds, as tables of statements. The lexical rules are those of the databases' manuals: PostgreSQL chapter 4.1,
//! MySQL chapter 11, and the tokenizer that <https://www.sqlite.org/lang.html> describes.

use toolbox_source::scan::{Lexicon, Scan, scan};

const POSTGRES: Lexicon = Lexicon::POSTGRES;
const MYSQL: Lexicon = Lexicon::MYSQL;
const SQLITE: Lexicon = Lexicon::SQLITE;
const ALL: [Lexicon; 3] = [POSTGRES, MYSQL, SQLITE];

fn second<'a>(sql: &'a str, lexicon: &Lexicon) -> Option<&'a str> {
    scan(sql, lexicon).second_statement.map(|start| sql.get(start..).unwrap())
}

#[test]
fn placeholders_count_where_the_dialect_has_them() {
    for (lexicon, sql, count) in [
        (POSTGRES, "SELECT $1, $2, $1", 2),
        (POSTGRES, "SELECT $3", 3),
        (POSTGRES, "SELECT '$1', \"$2\", $$ $3 $$, $a$ $4 $$ $5 $a$ -- $6\n /* $7 /* $8 */ $9 */", 0),
        (POSTGRES, "SELECT data ? 'key', data ?| array['a'], data ?& $1, data @? '$.a' FROM t", 1),
        (POSTGRES, "SELECT 'x'::text, a::int, b[1:2], :name, @name FROM t", 0),
        (POSTGRES, "SELECT a$1, a$b$c$ FROM t WHERE b = $1", 1),
        (POSTGRES, "SELECT E'\\'$1', E'a\\\\', $1", 1),
        (POSTGRES, "SELECT e'it''s \\' $1' || $2", 2),
        (POSTGRES, "SELECT '\\', $1", 1),
        (POSTGRES, "SELECT E'a'\n'\\' $1', $2", 2),
        (POSTGRES, "SELECT E'a' -- note\n  '\\' $1', $2", 2),
        (POSTGRES, "SELECT E'a' , '\\', $2", 2),
        (POSTGRES, "SELECT U&'\\0041', N'a', B'01', X'1F', $1", 1),
        (POSTGRES, "SELECT $1+$2, 1e5, .5, 1_000", 2),
        (POSTGRES, "SELECT $99999999999999999999999", usize::MAX),
        (MYSQL, "SELECT ?, ?, ?", 3),
        (MYSQL, "SELECT '?', \"?\", `?` # ?\n -- ?\n /* ? */", 0),
        (MYSQL, "SELECT 'it\\'s ?', \"a\\\"?\", 'a''?', ?", 1),
        (MYSQL, "SELECT 5--?", 1),
        (MYSQL, "SELECT 5-- ?", 0),
        (MYSQL, "SELECT 5--\t?\n, ?", 1),
        (MYSQL, "SELECT /*!80000 ?, */ ? /*+ hint ? */", 2),
        (MYSQL, "SELECT /*M!100100 ?, */ ?", 2),
        (MYSQL, "SELECT `a\\`, ?", 1),
        (MYSQL, "SELECT @a, @@b, :c, $1 FROM t", 0),
        (SQLITE, "SELECT ?, ?", 2),
        (SQLITE, "SELECT ?2, ?", 3),
        (SQLITE, "SELECT ?007, ?", 8),
        (SQLITE, "SELECT '?', \"?\", `?`, [?] -- ?\n /* ? */", 0),
        (SQLITE, "SELECT '\\', ?", 1),
        (SQLITE, "SELECT a$b, ?", 1),
        (SQLITE, "SELECT x'3f', ?", 1),
    ] {
        assert_eq!(scan(sql, &lexicon).placeholders, count, "{sql}");
    }
}

#[test]
fn named_placeholders_are_reported_for_sqlite_only() {
    for name in [":name", "@name", "$name", "$1", ":ä", "@1"] {
        let sql = format!("SELECT ':x', {name}, :other");
        assert_eq!(scan(&sql, &SQLITE).named_placeholder.as_deref(), Some(name));
        assert_eq!(scan(&sql, &MYSQL).named_placeholder, None);
        assert_eq!(scan(&sql, &POSTGRES).named_placeholder, None);
    }
    assert_eq!(scan("SELECT ': @ $' AS \":a\", [:b], `@c` -- :d\n", &SQLITE).named_placeholder, None);
}

#[test]
fn one_statement_is_one_whatever_stands_around_it() {
    for lexicon in ALL {
        for sql in [
            "SELECT 1",
            "SELECT 1;",
            "SELECT 1;;  -- x",
            "; ; SELECT 1 ;",
            "/* a; b */ SELECT 1; /* c; d */",
            "-- a; b\nSELECT 1 -- c; d",
            "SELECT ';', 'a;''b'",
            "SELECT 1 AS `;`",
            "SELECT 1 AS \";\"",
            "",
            " ;; ",
        ] {
            // PostgreSQL knows no backticks.
            if lexicon == POSTGRES && sql.contains('`') {
                continue;
            }
            assert_eq!(second(sql, &lexicon), None, "{sql}");
        }
    }
    for (lexicon, sql) in [
        (POSTGRES, "SELECT $$a;b$$, $tag$c;$$;d$tag$, E'\\';', U&';'"),
        (POSTGRES, "SELECT /* a /* b; */ c; */ 1"),
        (POSTGRES, "DO $$ BEGIN PERFORM 1; END $$"),
        (POSTGRES, "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END"),
        (MYSQL, "SELECT 'a\\';b', \"c\\\";d\" # e; f"),
        (MYSQL, "CREATE DEFINER = 'a'@'b' PROCEDURE p() BEGIN SELECT 1; IF 1 THEN SELECT 2; END IF; END"),
        (SQLITE, "SELECT 1 AS [;], 2 AS [a\"]"),
        (
            SQLITE,
            "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM u; SELECT CASE 1 WHEN 1 THEN 2 END; END;",
        ),
        (SQLITE, "CREATE TEMP TRIGGER IF NOT EXISTS x AFTER INSERT ON t WHEN new.a > 1 BEGIN SELECT 1; END"),
    ] {
        assert_eq!(second(sql, &lexicon), None, "{sql}");
    }
}

#[test]
fn a_second_statement_is_found_where_it_begins() {
    for lexicon in ALL {
        for sql in
            ["SELECT 1; DROP", "SELECT ';';;/* x */ DROP", "SELECT 1 -- a\n; DROP", "; SELECT 1; -- x\n DROP"]
        {
            assert_eq!(second(sql, &lexicon), Some("DROP"), "{sql}");
        }
    }
    for (lexicon, sql) in [
        (POSTGRES, "SELECT '\\'; DROP -- '"),
        (POSTGRES, "SELECT E'\\\\'; DROP"),
        (POSTGRES, "SELECT /* /* */ */ 1; DROP"),
        (POSTGRES, "SELECT a$1; DROP -- $1;"),
        (POSTGRES, "SELECT 1 -- x\r; DROP"),
        (POSTGRES, "SELECT $1$2; DROP -- $1"),
        (POSTGRES, "CREATE TABLE begin (function int); DROP"),
        (MYSQL, "SELECT 1 -- x\r a\n; DROP"),
        (MYSQL, "SELECT /* /* */ 1; DROP"),
        (MYSQL, "SELECT 1 /*! ; DROP */"),
        (MYSQL, "SELECT 'a\\\\'; DROP"),
        (MYSQL, "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET new.a = 1; DROP"),
        (SQLITE, "SELECT '\\'; DROP -- '"),
        (SQLITE, "SELECT [a]; DROP -- ]"),
        (SQLITE, "SELECT /* /* */ 1; DROP"),
        (SQLITE, "SELECT 1;\u{feff}DROP"),
        (SQLITE, "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END; DROP"),
        (SQLITE, "CREATE TABLE x (trigger, begin); DROP"),
        (SQLITE, "CREATE VIEW trigger AS SELECT 1 AS begin; DROP"),
    ] {
        let found = second(sql, &lexicon).unwrap_or_else(|| panic!("{sql}"));
        assert!(found.starts_with("DROP"), "{sql}: {found}");
    }
}

#[test]
fn the_first_statement_is_cut_out_without_what_stands_around_it() {
    for (sql, text) in [
        ("SELECT 1", "SELECT 1"),
        (" ;\u{feff} -- a\n SELECT /* b */ 1 /* c */ ; DROP", "SELECT /* b */ 1"),
        ("SELECT 'a;b' ;", "SELECT 'a;b'"),
        ("", ""),
        ("-- only a comment", ""),
    ] {
        let Scan { start, end, .. } = scan(sql, &SQLITE);
        assert_eq!(sql.get(start..end), Some(text), "{sql}");
    }
}

#[test]
fn what_is_left_open_is_reported() {
    for (lexicon, sql) in [
        (POSTGRES, "SELECT 'a"),
        (POSTGRES, "SELECT 'a''"),
        (POSTGRES, "SELECT \"a"),
        (POSTGRES, "SELECT $$ a $b$"),
        (POSTGRES, "SELECT /* /* */"),
        (POSTGRES, "SELECT E'a\\'"),
        (MYSQL, "SELECT 'a\\'"),
        (MYSQL, "SELECT 'a\\"),
        (MYSQL, "SELECT `a"),
        (MYSQL, "SELECT 1 /*! + 1"),
        (SQLITE, "SELECT [a"),
        (SQLITE, "SELECT 1 /* a"),
    ] {
        assert!(scan(sql, &lexicon).unterminated, "{sql}");
    }
    for (lexicon, sql) in [
        (POSTGRES, "SELECT '\\'"),
        (POSTGRES, "SELECT $a"),
        (POSTGRES, "SELECT 1 -- a'"),
        (MYSQL, "SELECT 1 # a'"),
        (SQLITE, "SELECT '\\', \"a\"\"\", `b```, [c]"),
    ] {
        assert!(!scan(sql, &lexicon).unterminated, "{sql}");
    }
}

#[test]
fn the_verb_is_the_main_statements() {
    for (sql, first, verb) in [
        ("select 1", "SELECT", "SELECT"),
        ("/* DELETE */ -- UPDATE\n Insert INTO t VALUES (1)", "INSERT", "INSERT"),
        ("((SELECT 1)) UNION SELECT 2", "SELECT", "SELECT"),
        ("WITH a AS (SELECT 1) SELECT * FROM a", "WITH", "SELECT"),
        ("WITH a AS (SELECT 1), b (x, y) AS (SELECT 2, 3) DELETE FROM t", "WITH", "DELETE"),
        (
            "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) UPDATE t SET x = 1",
            "WITH",
            "UPDATE",
        ),
        ("WITH a AS NOT MATERIALIZED (SELECT 1) INSERT INTO t SELECT * FROM a", "WITH", "INSERT"),
        ("WITH a AS (SELECT ')' AS \")\", (SELECT 2)) REPLACE INTO t SELECT 1", "WITH", "REPLACE"),
        ("WITH \"delete\" AS (SELECT 1) (SELECT * FROM \"delete\")", "WITH", "SELECT"),
        ("WITH a AS (WITH b AS (SELECT 1) SELECT * FROM b) MERGE INTO t USING a ON true", "WITH", "MERGE"),
        ("WITH update AS (SELECT 1) SELECT * FROM update", "WITH", "SELECT"),
        ("WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY x, y SET o SELECT 1", "WITH", "SELECT"),
        (
            "WITH RECURSIVE a AS (SELECT 1) CYCLE x SET c TO true DEFAULT false USING p, b AS (SELECT 1) DELETE FROM t",
            "WITH",
            "DELETE",
        ),
        (
            "WITH RECURSIVE a AS (SELECT 1) SEARCH BREADTH FIRST BY x SET o CYCLE x SET c USING p UPDATE t SET x = 1",
            "WITH",
            "UPDATE",
        ),
        ("EXPLAIN DELETE FROM t", "EXPLAIN", "EXPLAIN"),
        ("explain query plan SELECT 1", "EXPLAIN", "EXPLAIN"),
        ("VALUES (1)", "VALUES", "VALUES"),
        ("PRAGMA table_info(t)", "PRAGMA", "PRAGMA"),
        ("", "", ""),
        ("-- nothing", "", ""),
    ] {
        for lexicon in ALL {
            let scan = scan(sql, &lexicon);
            // MySQL reads "…" as text, so such a name is none there.
            if lexicon == MYSQL && sql.contains('"') {
                continue;
            }
            assert_eq!((scan.first.as_str(), scan.verb.as_str()), (first, verb), "{sql}");
        }
    }
    assert_eq!(scan("/*!50000 DELETE FROM t */", &MYSQL).verb, "DELETE");
}

#[test]
fn honest_reads_read() {
    for sql in [
        "SELECT 1",
        "SELECT 'delete from t', update_count, t.delete, insert AS \"drop\" FROM t",
        "SELECT (delete), (update) FROM t",
        "SELECT 1.5, 1., .5, 1e5, 1E+5, 1.5e-5, 0x1F, 1_000, a1.b2 FROM t WHERE a = 1AND b = 2.0OR c = 3",
        "SELECT replace(a, 'x', 'y'), insert(a, 1, 2, 'z') FROM t",
        "SELECT t.into, t.for FROM t",
        "SELECT substring(a FROM 1 FOR 2) FROM t",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a), sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b ROWS 1 PRECEDING)",
        "WITH a AS (SELECT 1), b AS (WITH c AS (VALUES (1)) TABLE c) SELECT * FROM a, b",
        "WITH a AS ((SELECT 1) UNION (SELECT 2)) SELECT * FROM a",
        "(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1 LIMIT 3",
        "VALUES (1), (2)",
        "TABLE t",
        "SHOW TABLES",
        "PRAGMA table_info(t)",
        "DESCRIBE t",
        "DESC t",
        "EXPLAIN DELETE FROM t",
        "EXPLAIN QUERY PLAN UPDATE t SET a = 1",
        "EXPLAIN (VERBOSE, FORMAT JSON) INSERT INTO t VALUES (1)",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN (ANALYZE, BUFFERS) WITH a AS (SELECT 1) SELECT * FROM a",
        "EXPLAIN FORMAT=TREE SELECT 1",
        "SELECT 1; -- DELETE",
        "SELECT 'SELECT 1; DELETE FROM t'",
    ] {
        for lexicon in ALL {
            assert!(scan(sql, &lexicon).reads(), "{sql}");
        }
    }
    assert!(scan("SELECT $$ delete from t $$", &POSTGRES).reads());
    assert!(scan("SELECT `delete` FROM t # delete", &MYSQL).reads());
}

#[test]
fn writes_never_pass_for_reads() {
    for sql in [
        "INSERT INTO t VALUES (1)",
        "UPDATE t SET a = 1",
        "DELETE FROM t",
        "REPLACE INTO t VALUES (1)",
        "MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE",
        "CREATE TABLE t (a int)",
        "DROP TABLE t",
        "ALTER TABLE t ADD a int",
        "TRUNCATE t",
        "VACUUM",
        "PRAGMA user_version = 1",
        "CALL p()",
        "DO 1",
        "SET x = 1",
        "COPY t TO '/tmp/x'",
        "GRANT ALL ON t TO u",
        "BEGIN",
        "COMMIT",
        "WITH a AS (DELETE FROM t RETURNING id) SELECT * FROM a",
        "WITH a AS (SELECT 1), b AS MATERIALIZED (UPDATE t SET a = 1 RETURNING a) SELECT * FROM b",
        "WITH a (x) AS (INSERT INTO t VALUES (1) RETURNING x) TABLE a",
        "WITH a AS (SELECT 1) DELETE FROM t",
        "SELECT * INTO u FROM t",
        "SELECT a FROM t INTO OUTFILE '/tmp/x'",
        // No blank is needed between a number and a keyword.
        "SELECT 1.0INTO OUTFILE '/tmp/x'",
        "SELECT 1.INTO OUTFILE '/tmp/x'",
        "SELECT .5INTO u",
        "SELECT 1e0INTO OUTFILE '/tmp/x'",
        "SELECT 1E-3INTO u",
        "SELECT 1INTO u",
        "SELECT 0x1FINTO u",
        "SELECT * FROM t WHERE a = 1.5FOR UPDATE",
        "WITH a AS (SELECT 1) SELECT * INTO u FROM a",
        "SELECT * FROM t FOR UPDATE",
        "SELECT * FROM t FOR NO KEY UPDATE",
        "SELECT * FROM t FOR SHARE OF t SKIP LOCKED",
        "SELECT * FROM t FOR KEY SHARE",
        "SELECT * FROM t LOCK IN SHARE MODE",
        "(SELECT * FROM t FOR UPDATE)",
        "EXPLAIN ANALYZE DELETE FROM t",
        "EXPLAIN (ANALYZE, VERBOSE) UPDATE t SET a = 1",
        "EXPLAIN (ANALYZE) WITH a AS (DELETE FROM t RETURNING 1) SELECT * FROM a",
        "EXPLAIN ANALYZE CREATE TABLE u AS SELECT 1",
        "EXPLAIN ANALYZE SELECT * INTO u FROM t",
        "EXPLAIN ANALYZE EXECUTE p",
        "SELECT 1; DELETE FROM t",
        "/* SELECT */ DELETE FROM t",
        "",
        "nonsense",
    ] {
        for lexicon in ALL {
            assert!(!scan(sql, &lexicon).reads(), "{sql}");
        }
    }
    for sql in [
        "/*!50000 DELETE FROM t */",
        "SELECT 1 /*! INTO OUTFILE 'x' */",
        "ANALYZE DELETE FROM t",
        "HANDLER t OPEN",
    ] {
        assert!(!scan(sql, &MYSQL).reads(), "{sql}");
    }
}

#[test]
fn any_text_is_scanned_without_a_panic_and_within_its_bounds() {
    const PIECES: [&str; 32] = [
        "'", "\"", "`", "[", "]", "$", "$$", "$a$", "--", "#", "/*", "*/", "/*!", "\\", "E'", ";", "?", "?1",
        "$1", ":a", "(", ")", " ", "\n", "\r", "ä", "🙂", "\u{feff}", "WITH", "SELECT", "AS", "\0",
    ];
    let mut state = 1_u64;
    for _ in 0..20_000 {
        let mut sql = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sql.push_str(PIECES.get(usize::try_from(state >> 59).unwrap()).unwrap());
        }
        for lexicon in ALL {
            let scan = scan(&sql, &lexicon);
            assert!(sql.get(scan.start..scan.end).is_some(), "{sql:?}");
            assert!(
                scan.second_statement.is_none_or(|second| second >= scan.end && sql.get(second..).is_some()),
                "{sql:?}"
            );
        }
    }
}

/// What a statement is by its bounds, which hold the whole of a comment that the server executes.
#[test]
fn a_comment_that_the_server_executes_is_whole() {
    for (sql, statement) in [
        ("SELECT 1 /*!50000 , 2 */", "SELECT 1 /*!50000 , 2 */"),
        (" /* a */ SELECT 1 /*! , 2 */ ; -- b", "SELECT 1 /*! , 2 */"),
        ("/*! SELECT */ 1 /* c */", "/*! SELECT */ 1"),
        ("SELECT 1 /*M!100100 , 2 */ /* d */", "SELECT 1 /*M!100100 , 2 */"),
        ("SELECT 1 /*! , 2 */ + /*! 3 */ 4 ", "SELECT 1 /*! , 2 */ + /*! 3 */ 4"),
        ("SELECT 1 /* , 2 */", "SELECT 1"),
    ] {
        let found = scan(sql, &MYSQL);
        assert_eq!(sql.get(found.start..found.end), Some(statement));
        assert!(!found.unterminated && found.second_statement.is_none(), "{sql}");
    }
    let two = scan("SELECT 1 /*! , 2 */; SELECT 3", &MYSQL);
    assert_eq!((two.end, two.second_statement), (19, Some(21)));
    assert!(scan("SELECT 1 /*! , 2", &MYSQL).unterminated);
}
