//! Cells: what comes out is what the server itself writes as text.

use toolbox_mysql::{MySql, Options};
use toolbox_source::{SourceError, Value};

use crate::support::{Database, Server, ask, on_each, text};

/// The server's text of an expression, with the zeros at the end of a fraction left out where it is a time.
async fn server_text(database: &Database, expression: &str, is_time: bool) -> String {
    let shown = database.text(&format!("SELECT CAST(({expression}) AS CHAR)")).await;
    if is_time && shown.contains('.') {
        shown.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        shown
    }
}

#[tokio::test]
async fn numbers_have_all_digits_of_the_server() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE n (t TINYINT, tu TINYINT UNSIGNED, b TINYINT(1), bu TINYINT(1) UNSIGNED, s SMALLINT, \
                 su SMALLINT UNSIGNED, m MEDIUMINT, mu MEDIUMINT UNSIGNED, i INT, iu INT UNSIGNED, l BIGINT, \
                 lu BIGINT UNSIGNED, z INT(8) ZEROFILL, d DECIMAL(30,10), dz DECIMAL(10,2) ZEROFILL, y YEAR); \
                 INSERT INTO n VALUES (-128, 255, 1, 200, -32768, 65535, -8388608, 16777215, -2147483648, 4294967295, \
                 -9223372036854775808, 18446744073709551615, 42, 12345678901234567890.1234567891, 1.1, 2024)",
            )
            .await;
        let source = database.source();
        let row = ask("SELECT * FROM n").rows(&source).await.remove(0);
        let expected = [
            Value::Int(-128),
            Value::Int(255),
            Value::Int(1),
            Value::Int(200),
            Value::Int(-32_768),
            Value::Int(65_535),
            Value::Int(-8_388_608),
            Value::Int(16_777_215),
            Value::Int(-2_147_483_648),
            Value::Int(4_294_967_295),
            Value::Int(i64::MIN),
            Value::UInt(u64::MAX),
            Value::Int(42),
            Value::Decimal("12345678901234567890.1234567891".to_owned()),
            Value::Decimal("1.10".to_owned()),
            Value::Int(2024),
        ];
        assert_eq!(row, expected);
    })
    .await;
}

#[tokio::test]
async fn aggregates_and_literals_have_the_servers_own_scale() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE a (i INT, d DECIMAL(10,2)); INSERT INTO a VALUES (1, 1.10), (2, 2.20)")
            .await;
        let source = database.source();
        for expression in
            ["SUM(i)", "AVG(i)", "SUM(d)", "AVG(d)", "COUNT(*)", "1.50", "-0.5", "MAX(d) * 1.000"]
        {
            let value = ask(&format!("SELECT {expression} FROM a LIMIT 1")).cell(&source).await;
            let shown = database.text(&format!("SELECT CAST({expression} AS CHAR) FROM a LIMIT 1")).await;
            let digits = match value {
                Value::Decimal(digits) => digits,
                Value::Int(integer) => integer.to_string(),
                other => panic!("{expression}: {other:?}"),
            };
            assert_eq!(digits, shown, "{expression}");
        }
        assert_eq!(ask("SELECT 1/0").cell(&source).await, Value::Null);
    })
    .await;
}

#[tokio::test]
async fn floats_have_the_shortest_digits_of_their_own_width() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE f (f FLOAT, d DOUBLE); \
                 INSERT INTO f VALUES (0.1, 0.1), (16777217, 1e300), (-3.4e38, -2.5e-308), (1.5, 9007199254740993)",
            )
            .await;
        let source = database.source();
        let rows = ask("SELECT f, d FROM f").rows(&source).await;
        let expected = [
            [Value::Float(0.1), Value::Float(0.1)],
            [Value::Float(16_777_216.0), Value::Float(1e300)],
            [Value::Float(-3.4e38), Value::Float(-2.5e-308)],
            [Value::Float(1.5), Value::Float(9_007_199_254_740_992.0)],
        ];
        assert_eq!(rows, expected);
    })
    .await;
}

#[tokio::test]
async fn bits_are_integers() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE b (a BIT(1), b BIT(8), c BIT(64)); INSERT INTO b VALUES (1, 129, ~0), (0, 0, 1)")
            .await;
        let source = database.source();
        let rows = ask("SELECT * FROM b").rows(&source).await;
        assert_eq!(rows[0], [Value::Int(1), Value::Int(129), Value::UInt(u64::MAX)]);
        assert_eq!(rows[1], [Value::Int(0), Value::Int(0), Value::Int(1)]);
    })
    .await;
}

#[tokio::test]
async fn dates_and_times_are_the_servers_text_in_iso_form() {
    on_each(|database| async move {
        database
            .script(
                "SET sql_mode = ''; SET time_zone = '+00:00'; \
                 CREATE TABLE m (id INT, d DATE, dt DATETIME(6), ts TIMESTAMP(6) NULL, t TIME(6)); \
                 INSERT INTO m VALUES \
                 (1, '2024-02-29', '2024-01-02 03:04:05.123456', '2024-01-02 01:04:05.5', '04:05:06.789'), \
                 (2, '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '-838:59:58.000001'), \
                 (3, '2024-00-00', '2024-02-00 10:00:00', '1970-01-01 00:00:01', '838:59:59'), \
                 (4, '9999-12-31', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07', '00:00:00'), \
                 (5, '1000-01-01', '1000-01-01 00:00:00', NULL, '-00:00:01'), \
                 (6, NULL, NULL, NULL, NULL)",
            )
            .await;
        let source = database.source();
        for id in 1..=5 {
            for (column, zone) in [("d", ""), ("dt", ""), ("ts", "Z"), ("t", "")] {
                let value = ask(&format!("SELECT {column} FROM m WHERE id = ?"))
                    .with([Value::Int(id)])
                    .cell(&source)
                    .await;
                if value == Value::Null {
                    assert_eq!((id, column), (5, "ts"));
                    continue;
                }
                let shown =
                    server_text(&database, &format!("SELECT {column} FROM m WHERE id = {id}"), column != "d")
                        .await;
                let partial = shown.contains("-00") && column != "t";
                let expected = if partial || matches!(column, "d" | "t") {
                    shown
                } else {
                    format!("{}{zone}", shown.replace(' ', "T"))
                };
                assert_eq!(value, Value::Text(expected), "row {id}, column {column}");
            }
        }
        let nulls = ask("SELECT d, dt, ts, t FROM m WHERE id = 6").rows(&source).await;
        assert_eq!(nulls, [[Value::Null, Value::Null, Value::Null, Value::Null]]);
    })
    .await;
}

#[tokio::test]
async fn text_is_text_and_bytes_are_bytes_whatever_the_collation() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE s (c CHAR(5), v VARCHAR(20), vb VARCHAR(20) COLLATE utf8mb4_bin, t TEXT, \
                 l VARCHAR(20) CHARACTER SET latin1, e ENUM('x','y'), st SET('a','b','c'), b BINARY(4), \
                 vy VARBINARY(4), bl BLOB, g POINT); \
                 INSERT INTO s VALUES ('ab', 'Grüße 🦊', 'b', 'line\n', 'é', 'y', 'a,c', 'A', X'FF00', X'00', \
                 ST_GeomFromText('POINT(1 2)'))",
            )
            .await;
        let source = database.source();
        let row = ask("SELECT * FROM s").rows(&source).await.remove(0);
        let geometry = database.text("SELECT HEX(g) FROM s").await;
        let expected = [
            text("ab"),
            text("Grüße 🦊"),
            text("b"),
            text("line\n"),
            text("é"),
            text("y"),
            text("a,c"),
            Value::Bytes(b"A\0\0\0".to_vec()),
            Value::Bytes(vec![0xff, 0]),
            Value::Bytes(vec![0]),
        ];
        assert_eq!(row[..10], expected);
        let Value::Bytes(bytes) = &row[10] else { panic!("{:?}", row[10]) };
        let stored = geometry.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        let stored: Vec<u8> = stored.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
        assert_eq!(*bytes, stored);
    })
    .await;
}

#[tokio::test]
async fn json_is_inline_on_mysql_and_text_on_mariadb() {
    on_each(|database| async move {
        let json = r#"{"b": 1, "a": [1, 2.50, 9007199254740993], "s": "x \" , y"}"#;
        database.script("CREATE TABLE j (j JSON)").await;
        let source = database.source();
        ask("INSERT INTO j VALUES (?)").with([text(json)]).done(&source).await;
        let value = ask("SELECT j FROM j").cell(&source).await;
        match database.server {
            Server::MariaDb => assert_eq!(value, text(json)),
            Server::MySql => {
                // MySQL orders keys by length and keeps numbers as doubles and integers: its own text, without blanks.
                let shown = database.text("SELECT CAST(j AS CHAR) FROM j").await;
                let expected = r#"{"a":[1,2.5,9007199254740993],"b":1,"s":"x \" , y"}"#;
                assert_eq!(value, Value::Json(expected.to_owned()), "the server says {shown}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn types_of_mariadb_alone_are_text() {
    on_each(|database| async move {
        // They are younger than MariaDB 10.6.
        if database.server != Server::MariaDb
            || !database.knows("UUID").await
            || !database.knows("INET4").await
        {
            return;
        }
        database
            .script(
                "CREATE TABLE u (u UUID, i INET6, f INET4); \
                 INSERT INTO u VALUES ('123e4567-e89b-12d3-a456-426655440000', '2001:db8::1', '192.0.2.7')",
            )
            .await;
        let row = ask("SELECT * FROM u").rows(&database.source()).await.remove(0);
        let expected = ["123e4567-e89b-12d3-a456-426655440000", "2001:db8::1", "192.0.2.7"].map(text);
        assert_eq!(row, expected);
    })
    .await;
}

/// Random values that the server makes, and beside each its own text.
const RANDOM: &str = "SET SESSION cte_max_recursion_depth = 1000; \
    CREATE TABLE r (i BIGINT, u BIGINT UNSIGNED, b BIT(64), d DECIMAL(40,12), x DOUBLE, f FLOAT, dt DATETIME(6), \
    da DATE, t TIME(6)); \
    INSERT INTO r WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 500), \
    h AS (SELECT k, CAST(CONV(SUBSTRING(SHA2(CONCAT(k, RAND()), 256), 1, 16), 16, 10) AS UNSIGNED) AS u FROM n) \
    SELECT CAST(u >> 1 AS SIGNED) * IF(k % 2, 1, -1), u, u, (RAND() - 0.5) * POW(10, FLOOR(RAND() * 24)), \
    (RAND() - 0.5) * POW(10, RAND() * 600 - 300), (RAND() - 0.5) * POW(10, RAND() * 60 - 30), \
    TIMESTAMPADD(MICROSECOND, FLOOR(RAND() * 86400e6), DATE_ADD('1000-01-01', INTERVAL FLOOR(RAND() * 3280000) DAY)), \
    DATE_ADD('0001-01-01', INTERVAL FLOOR(RAND() * 3650000) DAY), SEC_TO_TIME((RAND() - 0.5) * 6039998) FROM h";

#[tokio::test]
async fn random_values_are_those_of_the_servers_text() {
    on_each(|database| async move {
        let script = if database.server == Server::MySql {
            RANDOM.to_owned()
        } else {
            RANDOM.replace("SET SESSION cte_max_recursion_depth = 1000; ", "")
        };
        database.script(&script).await;
        let statement = "SELECT i, CAST(i AS CHAR), u, CAST(u AS CHAR), b, CAST(b + 0 AS CHAR), d, CAST(d AS CHAR), \
                         x, CAST(x AS CHAR), dt, CAST(dt AS CHAR), da, CAST(da AS CHAR), t, CAST(t AS CHAR), f, f + 0.0e0 \
                         FROM r";
        let rows = ask(statement).rows(&database.source()).await;
        assert_eq!(rows.len(), 500);
        for row in rows {
            for pair in row[..16].chunks(2) {
                let Value::Text(shown) = &pair[1] else { panic!("{pair:?}") };
                let without_zeros = || match shown.split_once('.') {
                    Some((whole, fraction)) if fraction.trim_end_matches('0').is_empty() => whole.to_owned(),
                    _ if shown.contains('.') => shown.trim_end_matches('0').to_owned(),
                    _ => shown.clone(),
                };
                match &pair[0] {
                    Value::Int(value) => assert_eq!(value.to_string(), *shown),
                    Value::UInt(value) => assert_eq!(value.to_string(), *shown),
                    Value::Decimal(value) => assert_eq!(value, shown),
                    Value::Float(value) => assert_eq!(Ok(*value), shown.parse()),
                    Value::Text(value) => assert_eq!(*value, without_zeros().replace(' ', "T")),
                    other => panic!("{other:?}"),
                }
            }
            // As text the server rounds FLOAT to six digits; as a double it shows the number itself.
            let [Value::Float(value), Value::Float(double)] = &row[16..] else { panic!("{row:?}") };
            #[expect(clippy::cast_possible_truncation, reason = "both stand for a single-precision number")]
            let (value, single) = (*value as f32, *double as f32);
            assert_eq!(value.to_bits(), single.to_bits());
        }
    })
    .await;
}

#[tokio::test]
async fn char_is_padded_where_the_server_pads_it() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE c (c CHAR(4), b BINARY(4)); INSERT INTO c VALUES ('ä', 'x'), ('', '')")
            .await;
        for (mode, padded) in [("''", ["ä", ""]), ("'PAD_CHAR_TO_FULL_LENGTH'", ["ä   ", "    "])] {
            let query_params = vec![("sql_mode".to_owned(), mode.to_owned())];
            let source = MySql::open("test", Options { query_params, ..database.options() }).unwrap();
            let rows = ask("SELECT c, b FROM c").rows(&source).await;
            let bytes = [Value::Bytes(b"x\0\0\0".to_vec()), Value::Bytes(vec![0; 4])];
            let expected: Vec<_> =
                padded.into_iter().zip(bytes).map(|(padded, bytes)| vec![text(padded), bytes]).collect();
            assert_eq!(rows, expected, "{mode}");
        }
    })
    .await;
}

/// Of an expression the servers send bits or digits, as the function is.
#[tokio::test]
async fn bits_in_expressions_are_the_numbers_that_the_server_computes_with() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE b (id INT, w1 BIT(1), w5 BIT(5), w9 BIT(9), w64 BIT(64)); \
                 INSERT INTO b VALUES (1, 1, 9, 257, ~0), (2, 0, 0, 7, 12), (3, NULL, NULL, NULL, NULL), (4, 1, 31, 511, 9); \
                 CREATE VIEW v AS SELECT id, COALESCE(w1, w1) AS w1, COALESCE(w5, w5) AS w5, COALESCE(w9, w9) AS w9, \
                   IFNULL(w64, w64) AS w64 FROM b; \
                 CREATE PROCEDURE wide(OUT x BIT(9)) SET x = 257; CREATE PROCEDURE long_one(OUT x BIT(64)) SET x = ~0",
            )
            .await;
        let source = database.source();
        let mut compared = 0;
        for (width, table) in ["w1", "w5", "w9", "w64"].into_iter().flat_map(|width| [(width, "b"), (width, "v")]) {
            for expression in [
                "@", "COALESCE(@, @)", "IFNULL(@, @)", "LEAST(@, @)", "GREATEST(@, @)", "IF(id > 0, @, @)",
                "(SELECT @)", "CASE WHEN id > 0 THEN @ ELSE @ END", "NULLIF(@, NULL)", "MAX(@)", "MIN(@)",
            ] {
                let of = expression.replace('@', width);
                let grouped = if of.starts_with('M') { "GROUP BY id" } else { "" };
                let statement =
                    format!("SELECT {of}, CAST(CAST({of} + 0 AS UNSIGNED) AS CHAR) FROM {table} {grouped}");
                let rows = match ask(&statement).answer(&source).await {
                    Ok(answer) => answer.rows,
                    // MySQL sends the bits as if they were text of latin1.
                    Err(SourceError::Column { message, .. }) if database.server == Server::MySql => {
                        assert!(of.starts_with("IF(") || of.starts_with("CASE"), "{of}");
                        assert!(message.contains("+ 0"), "{message}");
                        continue;
                    }
                    Err(error) => panic!("{statement}: {error}"),
                };
                for row in rows {
                    let shown = match &row[0] {
                        Value::Null => Value::Null,
                        Value::Int(number) => text(&number.to_string()),
                        Value::UInt(number) => text(&number.to_string()),
                        other => panic!("{statement}: {other:?}"),
                    };
                    assert_eq!(shown, row[1], "{statement}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 300, "{compared}");
        let sets = ask("CALL wide(?)").with([Value::Null]).sets(&source).await.unwrap();
        assert_eq!(sets[0].rows, [[Value::Int(257)]]);
        // MySQL sends the digits of -1.
        match (ask("CALL long_one(?)").with([Value::Null]).sets(&source).await, database.server) {
            (Ok(sets), Server::MariaDb) => assert_eq!(sets[0].rows, [[Value::UInt(u64::MAX)]]),
            (Err(SourceError::Column { message, .. }), Server::MySql) => {
                assert!(message.contains("BIGINT UNSIGNED"), "{message}");
            }
            (other, _) => panic!("{other:?}"),
        }
        // What may be bits or digits is told by its column.
        database.script("CREATE TABLE a (w BIT(8)); INSERT INTO a VALUES (55)").await;
        assert_eq!(ask("SELECT w FROM a").cell(&source).await, Value::Int(55));
        // The bits of 55 and the digits of 7 are one byte.
        let number = if database.server == Server::MySql { 55 } else { 7 };
        database.script(&format!("UPDATE a SET w = {number}")).await;
        let error = ask("SELECT MAX(w) AS m FROM a").fails(&source).await;
        let is_named = matches!(&error, SourceError::Column { column, message } if column == "m" && message.contains("+ 0"));
        assert!(is_named, "{error:?}");
        assert_eq!(ask("SELECT MAX(w) + 0 FROM a").cell(&source).await, Value::Int(number));
    })
    .await;
}

#[tokio::test]
async fn out_arguments_are_texts_or_bytes_as_they_are_declared() {
    on_each(|database| async move {
        database
            .script(
                "CREATE PROCEDURE outs(OUT a VARCHAR(20) CHARACTER SET utf8mb4, OUT b TEXT CHARACTER SET utf8mb4, \
                   OUT c CHAR(5) CHARACTER SET utf8mb4, OUT d VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, \
                   OUT e VARBINARY(20), OUT f BLOB, OUT g ENUM('x', 'ü') CHARACTER SET utf8mb4, INOUT h DATETIME, \
                   OUT i VARCHAR(9) CHARACTER SET latin1, OUT n VARCHAR(9) CHARACTER SET utf8mb4) \
                 SET a = 'ü🦊', b = 'ö', c = 'ä', d = 'é', e = 'ab', f = 'cd', g = 'ü', i = 'plain'; \
                 CREATE PROCEDURE some(IN x INT, OUT y VARCHAR(20) CHARACTER SET utf8mb4) \
                   BEGIN SET y = 'ü'; SELECT x'6162' AS y, 'ä' AS t; END; \
                 CREATE PROCEDURE bytes(OUT y VARCHAR(20) CHARACTER SET latin1) SET y = 'Ã¼'",
            )
            .await;
        let source = database.source();
        let moment = "2024-01-02T03:04:05";
        let mut arguments = vec![Value::Null; 10];
        arguments[7] = text(moment);
        let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
        for call in ["CALL outs(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)".to_owned(), format!("CALL `{}`.outs(?,?,?,?,?,?,?,?,?,?)", database.name)] {
            let sets = ask(&call).with(arguments.clone()).sets(&source).await.unwrap();
            assert_eq!(
                sets[0].rows,
                [[
                    text("ü🦊"), text("ö"), text("ä"), text("é"), bytes(b"ab"), bytes(b"cd"), text("ü"), text(moment),
                    text("plain"), Value::Null
                ]],
                "{call}"
            );
        }
        let sets = ask("CALL some(?, ?)").with([Value::Int(1), Value::Null]).sets(&source).await.unwrap();
        assert_eq!(sets[0].rows, [[bytes(b"ab"), text("ä")]]);
        assert_eq!(sets[1].rows, [[text("ü")]]);
        let sets = ask("CALL bytes(?)").with([Value::Null]).sets(&source).await.unwrap();
        match database.server {
            // As it is sent, which would be ü.
            Server::MySql => assert_eq!(sets[0].rows, [[bytes("ü".as_bytes())]]),
            Server::MariaDb => assert_eq!(sets[0].rows, [[text("Ã¼")]]),
        }
    })
    .await;
}
