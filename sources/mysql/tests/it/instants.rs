//! Instants with a zone as arguments: what a column holds then, what is refused, and what it costs.

use toolbox_mysql::{MySql, Options};
use toolbox_source::{SourceError, Value};

use crate::{
    dice::Dice,
    support::{Server, ask, on_each, text},
    wiretap::Wiretap,
};

/// An instant in one of the spellings in which programs write it, and the SQL that computes it in UTC.
fn instant(dice: &mut Dice) -> (String, String) {
    let year = match dice.below(6) {
        0 => 2,
        1 => 9_998,
        _ => 1_971 + dice.below(66),
    };
    let (month, day) = (dice.below(12) + 1, dice.below(28) + 1);
    let day = format!("{year:04}-{month:02}-{day:02}");
    let digits = usize::try_from(dice.below(7)).unwrap();
    let clock = dice.clock(digits);
    let (clock, is_short) = if dice.below(6) == 0 { (clock[..5].to_owned(), true) } else { (clock, false) };
    let (hours, minutes) = (dice.below(24), dice.below(60));
    let minus = dice.below(2) == 0;
    let sign = match (minus, dice.below(6)) {
        (false, _) => "+",
        (true, 0) => "\u{2212}",
        (true, _) => "-",
    };
    let (zone, offset) = match dice.below(5) {
        0 => (["Z", "z"][usize::try_from(dice.below(2)).unwrap()].to_owned(), 0),
        1 => (format!("{sign}{hours:02}"), hours * 60),
        2 => (format!("{sign}{hours:02}{minutes:02}"), hours * 60 + minutes),
        _ => (format!("{sign}{hours:02}:{minutes:02}"), hours * 60 + minutes),
    };
    let mark = ["T", "t", " "][usize::try_from(dice.below(3)).unwrap()];
    let gap = if dice.below(6) == 0 { " " } else { "" };
    let seconds = if is_short { ":00" } else { "" };
    let back = if minus { "+" } else { "-" };
    (
        format!("{day}{mark}{clock}{gap}{zone}"),
        format!("CAST('{day} {clock}{seconds}' AS DATETIME(6)) {back} INTERVAL {offset} MINUTE"),
    )
}

#[tokio::test]
async fn an_instant_in_any_spelling_is_the_same_one_in_a_column() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE i (id INT PRIMARY KEY, d DATETIME(6), t TIMESTAMP(6) NULL, kept VARCHAR(60))")
            .await;
        let source = database.source();
        let mut dice = Dice::new();
        for id in 0..60 {
            let (spelled, utc) = instant(&mut dice);
            let insert = "INSERT INTO i (id, d, kept) VALUES (?, ?, ?)";
            ask(insert).with([Value::Int(id), text(&spelled), text(&spelled)]).done(&source).await;
            if (1_972..2_037).contains(&spelled[..4].parse().unwrap()) {
                ask("UPDATE i SET t = COALESCE(?, t) WHERE id = ?")
                    .with([text(&spelled), Value::Int(id)])
                    .done(&source)
                    .await;
            } else {
                database.script(&format!("UPDATE i SET t = NULL WHERE id = {id}")).await;
            }
            let question = format!(
                "SELECT CONCAT_WS('|', CAST(d = {utc} AS CHAR), CAST(COALESCE(t = d, 1) AS CHAR), kept) FROM i WHERE id = {id}"
            );
            assert_eq!(database.text(&question).await, format!("1|1|{spelled}"), "{utc}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_timestamp_as_it_is_shown_can_be_written_back() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE b (n INT, t TIMESTAMP(3) NULL); INSERT INTO b VALUES (1, '2024-01-02 03:04:05.250')")
            .await;
        let source = database.source();
        let Value::Text(shown) = ask("SELECT t FROM b").cell(&source).await else { panic!("no text") };
        assert!(shown.ends_with('Z'), "{shown}");
        ask("INSERT INTO b VALUES (2, ?)").with([text(&shown)]).done(&source).await;
        ask("INSERT INTO b SELECT 3, ?").with([text(&shown)]).done(&source).await;
        ask("INSERT INTO b VALUES (3, NULL) ON DUPLICATE KEY UPDATE t = ?").with([text(&shown)]).done(&source).await;
        assert_eq!(database.text("SELECT CAST(COUNT(*) AS CHAR) FROM b WHERE t = '2024-01-02 03:04:05.250'").await, "3");
    })
    .await;
}

#[tokio::test]
async fn a_column_that_has_no_place_for_an_instant_refuses_it() {
    on_each(|database| async move {
        database.script("CREATE TABLE p (d DATE, c TIME, t TIMESTAMP NULL, m DATETIME, n INT)").await;
        let source = database.source();
        for (column, instant, reason) in [
            ("d", "2025-01-31T10:00:00+02:00", "the column d holds days"),
            ("d", "2025-01-31T00:00:00+02:00", "the column d holds days"),
            ("d", "2025-01-31T10:00:00Z", "the column d holds days"),
            ("c", "2025-01-31T10:00:00+02:00", "the column c holds times of day"),
            ("c", "2025-01-31 10:00:00Z", "the column c holds times of day"),
            ("m", "2025-02-30T10:00:00+02:00", "no such instant"),
            ("m", "2025-01-31T24:00:00Z", "no such instant"),
            ("m", "9999-12-31T23:00:00-02:00", "no such instant"),
            ("m", "0001-01-01T01:00:00+02:00", "no such instant"),
            ("m", "2025-01-31T10:00:00+25:00", "no such instant"),
            // The server knows the limits of its own types.
            ("t", "1960-01-01T00:00:00+02:00", "SQLSTATE"),
            ("n", "2025-01-31T10:00:00+02:00", ""),
        ] {
            for statement in
                [format!("INSERT INTO p (n, {column}) VALUES (1, ?)"), format!("UPDATE p SET {column} = ?")]
            {
                if statement.starts_with("INSERT") && column == "n" {
                    continue;
                }
                database.script("DELETE FROM p; INSERT INTO p (n) VALUES (7)").await;
                let error = ask(&statement).with([text(instant)]).fails(&source).await;
                let SourceError::Argument { index: 0, message } = &error else {
                    panic!("{statement}: {error:?}")
                };
                assert!(message.contains(reason), "{statement}: {message}");
                assert_eq!(
                    database.text("SELECT GROUP_CONCAT(n) FROM p WHERE d IS NULL AND c IS NULL").await,
                    "7"
                );
            }
        }
        // Midnight in UTC is nothing but its day.
        ask("UPDATE p SET d = ?").with([text("2025-01-31T00:00:00.000Z")]).done(&source).await;
        assert_eq!(database.text("SELECT CAST(d AS CHAR) FROM p").await, "2025-01-31");
    })
    .await;
}

#[tokio::test]
async fn no_spelling_is_read_as_another_instant_in_an_expression() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE e (id INT, t TIMESTAMP(6) NULL, d DATETIME(6), KEY (t)); \
                 INSERT INTO e VALUES (1, '2025-01-31 08:00:00', '2025-01-31 08:00:00')",
            )
            .await;
        let source = database.narrow_source();
        // Each of them is 08:00:00 in UTC.
        for spelled in [
            "2025-01-31T10:00:00+02:00",
            "2025-01-31 10:00:00+02:00",
            "2025-01-31T05:30:00.000-02:30",
            "2025-01-31T10:00:00+0200",
            "2025-01-31T10:00:00+02",
            "2025-01-31t10:00:00+02:00",
            "2025-01-31T10:00+02:00",
            "2025-01-31T10:00:00 +02:00",
            "2025-01-31 10:00+02:00",
            " 2025-01-31T10:00:00+02:00",
            "2025-01-31T09:59:59.9999999+02:00",
            "2025-01-31T06:00:00\u{2212}02:00",
            "2025-01-31T08:00:00Z",
            "2025-01-31 08:00:00z",
            "2025-01-31T08:00Z",
            "2025-01-31t08:00:00Z",
            "2025-01-31T08:00:00+00:00",
            "2025-01-31T08:00:00-00:00",
            "2025-01-31T08:00:00+0000",
        ] {
            // It drops the digits that it has no place for, where MySQL rounds.
            if database.server == Server::MariaDb && spelled.contains(".9999999") {
                continue;
            }
            for (statement, expected) in [
                ("SELECT id FROM e WHERE t = ?", 1),
                ("SELECT id FROM e WHERE d = ?", 1),
                ("SELECT id FROM e WHERE d < ? + INTERVAL 1 SECOND", 1),
                ("SELECT id FROM e WHERE d BETWEEN ? AND '2025-01-31 08:00:01'", 1),
                ("SELECT id FROM e WHERE STR_TO_DATE(?, '%Y-%m-%dT%H:%i:%s') = d", 1),
                ("SELECT CAST(CAST(? AS DATETIME(6)) = '2025-01-31 08:00:00' AS SIGNED)", 1),
                ("SELECT HOUR(?)", 8),
                ("UPDATE e SET id = id WHERE t = ?", 1),
                ("UPDATE e SET d = CONCAT(?, '')", 1),
                ("UPDATE IGNORE e SET d = CONCAT(?, '')", 1),
                ("DELETE FROM e WHERE t < ?", 0),
                ("DELETE FROM e WHERE t > ?", 0),
                ("INSERT IGNORE INTO e (id, d) SELECT 1, IF(1, ?, d) FROM e WHERE d <> ?", 0),
            ] {
                let arguments = vec![text(spelled); statement.matches('?').count()];
                match ask(statement).with(arguments).answer(&source).await {
                    Ok(set) => {
                        let answer = match set.rows.first() {
                            Some(row) => row[0].clone(),
                            None => Value::Int(i64::try_from(set.done.rows_affected.unwrap_or(99)).unwrap()),
                        };
                        let is_right = answer == Value::Int(expected) || statement.contains("STR_TO_DATE");
                        assert!(is_right, "{:?} {spelled}: {statement}: {answer:?}", database.server);
                    }
                    Err(SourceError::Argument { index, .. }) => assert!(index < 2),
                    // MySQL and MariaDB call it a value that the statement cannot have.
                    Err(SourceError::Database(said)) => {
                        assert!(said.message.contains("ncorrect"), "{spelled}: {statement}: {said}");
                    }
                    Err(error) => panic!("{spelled}: {statement}: {error:?}"),
                }
                let kept = database.text("SELECT CONCAT(COUNT(*), '|', MIN(t), '|', MAX(d)) FROM e").await;
                assert_eq!(
                    kept, "1|2025-01-31 08:00:00.000000|2025-01-31 08:00:00.000000",
                    "{spelled}: {statement}"
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn an_instant_costs_one_trip_where_nothing_is_in_doubt() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE w (id INT PRIMARY KEY, t TIMESTAMP NULL, kept TEXT, note JSON); \
                 INSERT INTO w (id, t) VALUES (1, '2025-01-31 08:00:00')",
            )
            .await;
        let wire = Wiretap::new(&database).await;
        let source = wire.source(&database, 1);
        let instant = "2025-01-31T10:00:00+02:00";
        let guarded = |begin: &'static str, end: &'static str| {
            if database.server == Server::MySql {
                vec!["execute"]
            } else {
                vec![begin, "execute", "SHOW WARNINGS", end]
            }
        };
        let undone_write = guarded("START TRANSACTION", "ROLLBACK");
        let kept_write = guarded("START TRANSACTION", "COMMIT");
        let guarded_read = guarded("", "");
        for (statement, expected) in [
            ("UPDATE w SET t = ?", vec!["execute"]),
            ("UPDATE w SET kept = ?", vec!["execute"]),
            ("REPLACE INTO w (id, t, kept) VALUES (1, '2025-01-31 08:00:00', ?)", vec!["execute"]),
            ("DELETE FROM w WHERE t < ? AND t IN (?, ?)", vec!["execute"]),
            ("DELETE FROM w WHERE t NOT BETWEEN ? AND NOW()", vec!["execute"]),
            ("DELETE FROM w WHERE t + INTERVAL 1 DAY < ?", undone_write),
            ("UPDATE w SET note = JSON_OBJECT('at', ?)", kept_write),
            ("SELECT id FROM w WHERE t >= ?", guarded_read),
        ] {
            // The first time it is prepared, and the table is looked at.
            for round in 0..3 {
                wire.take();
                let answer = ask(statement)
                    .with(vec![text(instant); statement.matches('?').count()])
                    .answer(&source)
                    .await;
                let heard = wire.take();
                if let Err(error) = &answer {
                    let by_mariadb =
                        database.server == Server::MariaDb && error.to_string().contains("offset");
                    assert!(by_mariadb, "{statement}: {error:?}");
                }
                let expected: Vec<_> = expected.iter().filter(|said| !said.is_empty()).collect();
                assert!(
                    round == 0 || heard.iter().eq(expected),
                    "{:?} {statement}: {heard:?}",
                    database.server
                );
            }
        }
        assert_eq!(
            database.text("SELECT CONCAT(t, kept) FROM w").await,
            format!("2025-01-31 08:00:00{instant}")
        );
    })
    .await;
}

#[tokio::test]
async fn a_server_that_would_make_the_best_of_it_gets_no_other_instant() {
    on_each(|database| async move {
        database.script("CREATE TABLE l (t TIMESTAMP NULL, d DATETIME, n INT)").await;
        let params = vec![("sql_mode".to_owned(), "''".to_owned())];
        let lenient = MySql::open("test", Options { query_params: params, ..database.options() }).unwrap();
        for (source, statement) in [
            (&lenient, "INSERT INTO l (t, d) VALUES (?, ?)"),
            (&lenient, "UPDATE l SET t = ?, d = ?"),
            (&database.source(), "INSERT IGNORE INTO l (t, d) VALUES (?, ?)"),
            (&database.source(), "UPDATE IGNORE l SET t = ?, d = ?"),
        ] {
            for spelled in ["2025-01-31T10:00:00+02:00", "2025-01-31t10:00:00+0200", "2025-01-31T08:00:00Z"] {
                ask(statement).with([text(spelled), text(spelled)]).done(source).await;
                let kept = database.text("SELECT GROUP_CONCAT(DISTINCT CONCAT(t, '|', d)) FROM l").await;
                assert_eq!(kept, "2025-01-31 08:00:00|2025-01-31 08:00:00", "{statement}: {spelled}");
            }
        }
    })
    .await;
}
#[tokio::test]
async fn an_offset_in_an_expression_that_the_server_does_not_read_is_refused() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE o (t TIMESTAMP NULL, d DATETIME, kept TEXT); \
                 INSERT INTO o VALUES ('2025-01-31 08:00:00', '2025-01-31 08:00:00', '2025-01-31T10:00:00+02:00')",
            )
            .await;
        let source = database.narrow_source();
        let instant = || [text("2025-01-31T10:00:00+02:00")];
        let same = Value::Text("2025-01-31T08:00:00".to_owned());
        for statement in ["SELECT CAST(? AS DATETIME)", "SELECT d FROM o WHERE t = ?", "SELECT d FROM o WHERE d = ?"] {
            if database.server == Server::MySql {
                // It reads offsets, and the session is in UTC.
                assert_eq!(ask(statement).with(instant()).cell(&source).await, same, "{statement}");
                continue;
            }
            let error = ask(statement).with(instant()).fails(&source).await;
            let SourceError::Argument { index: 0, message } = &error else { panic!("{statement}: {error:?}") };
            assert!(message.contains("in UTC") && !message.contains("changes"), "{message}");
        }
        // A form that neither server reads.
        let error = ask("SELECT d FROM o WHERE kept <> ? AND t = ?")
            .with([text("x"), text("2025-01-31T10:00:00+0200")])
            .fails(&source)
            .await;
        assert!(matches!(error, SourceError::Argument { index: 1, .. }), "{error:?}");
        // A text is no instant.
        let loose = text("2025-01-31T10:00+02:00");
        let listed = ask("SELECT JSON_UNQUOTE(JSON_EXTRACT(JSON_OBJECT('at', ?), '$.at'))").with([loose.clone()]);
        assert_eq!(listed.cell(&source).await, loose);
        assert_eq!(ask("SELECT d FROM o WHERE kept = ?").with(instant()).cell(&source).await, same);
        ask("UPDATE o SET t = ?").with(instant()).done(&source).await;
        assert_eq!(ask("SELECT t FROM o").cell(&source).await, text("2025-01-31T08:00:00Z"));
        // Without its offset the instant would be later than the row.
        let later = || [text("2025-01-31T09:30:00+02:00")];
        let delete = ask("DELETE FROM o WHERE t < ?").with(later()).answer(&source).await;
        assert_eq!(delete.map(|set| set.done.rows_affected), Ok(Some(0)));
        let delete = ask("DELETE FROM o WHERE t + INTERVAL 0 DAY < ?").with(later()).answer(&source).await;
        if database.server == Server::MySql {
            assert_eq!(delete.map(|set| set.done.rows_affected), Ok(Some(0)));
        } else {
            let Err(SourceError::Argument { index: 0, message }) = delete else { panic!("{delete:?}") };
            assert!(message.contains("the changes are rolled back"), "{message}");
        }
        assert_eq!(ask("SELECT COUNT(*) FROM o").cell(&source).await, Value::Int(1));
        // What stands is committed.
        let other = "2025-01-31T11:00:00+02:00";
        ask("UPDATE o SET kept = ?").with([text(other)]).done(&source).await;
        assert_eq!(database.text("SELECT kept FROM o").await, other);
    })
    .await;
}

#[tokio::test]
async fn a_warning_about_an_instant_is_found_among_many() {
    on_each(|database| async move {
        let source = database.source();
        for others in [1, 100, 990] {
            // A spelling that neither server reads, in a row behind those that get warnings of their own.
            let statement = format!(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= {others}) SELECT SUM(CASE WHEN \
                 i <= {others} THEN CAST(CONCAT('x', i) AS SIGNED) ELSE HOUR(CONCAT(?, '')) END) FROM n"
            );
            let error = ask(&statement).with([text("2025-01-31T10:00:00+0200")]).fails(&source).await;
            assert!(matches!(error, SourceError::Argument { index: 0, .. }), "{others}: {error:?}");
            let plain = ask(&statement).with([text("2025-01-31 10:00:00")]).cell(&source).await;
            assert_eq!(plain, Value::Decimal("10".to_owned()), "{others}");
        }
        // A session that keeps none does not tell.
        let params = vec![("max_error_count".to_owned(), "0".to_owned())];
        let silent = MySql::open("test", Options { query_params: params, ..database.options() }).unwrap();
        let error = ask("SELECT HOUR(CONCAT(?, ''))").with([text("2025-01-31T10:00:00+0200")]).fails(&silent).await;
        assert!(matches!(error, SourceError::Argument { index: 0, .. }), "{error:?}");
    })
    .await;
}
