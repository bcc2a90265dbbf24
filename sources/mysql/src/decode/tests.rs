//! A cell is the same in both protocols, on real servers. The values of the prepared one are held to the server's own text by
//! the tests of the crate; only a few statements, which answer little, still come in the text protocol.

use std::env;

use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, MySqlConnection,
    mysql::{MySqlConnectOptions, MySqlRow},
};
use toolbox_source::{Row, SourceError};

use super::{row, shapes};
use crate::prepared::Wire;

/// Column types, each with literals of its lowest, its highest and its odd values.
const CASES: [(&str, &[&str]); 34] = [
    ("TINYINT", &["-128", "127", "0"]),
    ("TINYINT UNSIGNED", &["255", "0"]),
    ("TINYINT(1)", &["-1", "2", "1"]),
    ("SMALLINT", &["-32768", "32767"]),
    ("MEDIUMINT UNSIGNED ZEROFILL", &["16777215", "7"]),
    ("INT", &["-2147483648", "2147483647"]),
    ("BIGINT", &["-9223372036854775808", "9223372036854775807", "9007199254740993"]),
    ("BIGINT UNSIGNED", &["18446744073709551615", "9223372036854775808", "0"]),
    ("YEAR", &["1901", "2155", "0"]),
    ("BIT(1)", &["b'1'", "b'0'"]),
    ("BIT(64)", &["18446744073709551615", "1"]),
    ("DECIMAL(65,30)", &["-12345678901234567890123456789012345.123456789012345678901234567890", "0", "1.10"]),
    ("DECIMAL(10,2) UNSIGNED ZEROFILL", &["0.5", "12345678.90"]),
    ("DOUBLE", &["0.1", "-1.7976931348623157e308", "5e-324", "1e22", "16777217", "0.1234567890123456"]),
    ("DATE", &["'2024-02-29'", "'0000-00-00'", "'2024-00-00'", "'9999-12-31'", "'0001-01-01'"]),
    ("DATETIME", &["'2024-02-29 23:59:59'", "'0000-00-00 00:00:00'", "'2024-01-00 00:00:00'"]),
    (
        "DATETIME(6)",
        &["'9999-12-31 23:59:59.999999'", "'2024-01-02 00:00:00.000001'", "'2024-01-02 00:00:00'"],
    ),
    ("TIMESTAMP NULL", &["'1970-01-01 00:00:01'", "'2038-01-19 03:14:07'", "'0000-00-00 00:00:00'"]),
    ("TIMESTAMP(3) NULL", &["'2024-01-02 03:04:05.120'"]),
    ("TIME", &["'-838:59:59'", "'838:59:59'", "'00:00:00'", "'24:00:00'", "'-00:00:01'"]),
    ("TIME(6)", &["'-00:00:00.000001'", "'838:59:58.999999'", "'12:00:00.5'"]),
    ("CHAR(5)", &["'ab   '", "''", "'日本🙂'"]),
    ("VARCHAR(20) COLLATE utf8mb4_bin", &["'x\\0y'", "'1.0'", "'null'"]),
    ("VARCHAR(20) CHARACTER SET latin1", &["'Größe'"]),
    ("TEXT CHARACTER SET utf16", &["'日本'"]),
    ("BINARY(4)", &["x'00ff'", "''"]),
    ("VARBINARY(20)", &["x'00ff80'", "''"]),
    ("BLOB", &["x'C3A9'", "''"]),
    ("ENUM('a','ä','')", &["'a'", "'ä'", "''"]),
    ("SET('a','ä')", &["'a,ä'", "''"]),
    ("JSON", &["'{\"b\": [1.10, null], \"a\": \"é\"}'", "'\"x\"'", "'1'"]),
    ("POINT", &["ST_GeomFromText('POINT(1 -2.5)')"]),
    ("TINYTEXT", &["REPEAT('x', 255)"]),
    ("LONGTEXT", &["REPEAT('é', 40000)"]),
];

async fn connect(variable: &str) -> Option<MySqlConnection> {
    let Ok(url) = env::var(variable) else {
        eprintln!("skipped: {variable} is not set");
        return None;
    };
    let driver: MySqlConnectOptions = url.parse().unwrap();
    let mut driver =
        MySqlConnection::connect_with(&driver.pipes_as_concat(false).no_engine_substitution(false))
            .await
            .unwrap();
    driver.execute("SET SESSION sql_mode = '', time_zone = '+00:00'").await.unwrap();
    Some(driver)
}

/// The cells of rows, each row read as it came.
fn cells(rows: &[MySqlRow], wire: Wire) -> Result<Vec<Row>, SourceError> {
    rows.iter().map(|cells| row(cells, &shapes(sqlx::Row::columns(cells)), wire)).collect()
}

async fn both(driver: &mut MySqlConnection, query: &str) -> [Result<Vec<Row>, SourceError>; 2] {
    let prepared = driver.fetch_all(sqlx::query(AssertSqlSafe(query.to_owned()))).await.unwrap();
    let text = driver.fetch_all(sqlx::raw_sql(AssertSqlSafe(query.to_owned()))).await.unwrap();
    [cells(&prepared, Wire::Binary), cells(&text, Wire::Text)]
}

async fn compare(driver: &mut MySqlConnection) {
    let mut expected = 0;
    for (of, literals) in CASES {
        let values = literals.iter().map(|literal| format!("({literal})")).collect::<Vec<_>>().join(", ");
        let script = format!(
            "DROP TEMPORARY TABLE IF EXISTS cells; CREATE TEMPORARY TABLE cells (c {of}); INSERT INTO cells VALUES {values}, (NULL)"
        );
        driver.execute(AssertSqlSafe(script)).await.unwrap();
        let [prepared, text] = both(driver, "SELECT c FROM cells").await;
        let prepared = prepared.unwrap();
        assert_eq!(prepared.len(), literals.len() + 1, "{of}");
        assert_eq!(text.unwrap(), prepared, "{of}");
        expected += prepared.len();
    }
    assert!(expected > 100);
    for expression in ["SUM(1.50)", "AVG(2)", "COUNT(*)", "1 / 3", "1e0 / 3", "NOW() > '2020-01-01'", "NULL"]
    {
        let [prepared, text] = both(driver, &format!("SELECT {expression}")).await;
        assert_eq!(text.unwrap(), prepared.unwrap(), "{expression}");
    }
    driver
        .execute("DROP TEMPORARY TABLE cells; CREATE TEMPORARY TABLE cells (f FLOAT); INSERT INTO cells VALUES (16777216)")
        .await
        .unwrap();
    let [prepared, text] = both(driver, "SELECT f FROM cells").await;
    assert_eq!(prepared.unwrap(), [[toolbox_source::Value::Float(16_777_216.0)]]);
    assert!(
        matches!(&text, Err(SourceError::Column { column, message }) if column == "f" && message.contains("DOUBLE")),
        "{text:?}"
    );
}

#[tokio::test]
async fn mysql_cells_are_the_same_in_both_protocols() {
    if let Some(mut driver) = connect("TOOLBOX_TEST_MYSQL_URL").await {
        compare(&mut driver).await;
    }
}

#[tokio::test]
async fn mariadb_cells_are_the_same_in_both_protocols() {
    if let Some(mut driver) = connect("TOOLBOX_TEST_MARIADB_URL").await {
        compare(&mut driver).await;
    }
}
