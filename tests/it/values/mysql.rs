//! MySQL and MariaDB: columns of every type, and expressions. Where the two differ, the case says so.

use super::case::{
    Case,
    Rule::{Bytes, Digits, Float, Is, Json, Moment, Refused, Text},
    expression, stored, stored_as,
};
use crate::support::Engine;

/// What lets a session store zero dates, and pins the zone in which it writes timestamps.
pub(super) const SESSION: &str = "SET sql_mode = ''; SET time_zone = '+00:00'";

pub(super) fn cases(engine: Engine) -> Vec<Case> {
    let mut cases = numbers();
    cases.extend(moments());
    cases.extend(texts());
    cases.extend(bytes());
    cases.extend(match engine {
        Engine::MariaDb => mariadb(),
        _ => mysql(),
    });
    cases
}

fn numbers() -> Vec<Case> {
    vec![
        expression("NULL", "NULL", Is("null")),
        expression("NULL", "1 / 0", Is("null")),
        stored("TINYINT", "-128", Digits),
        stored("TINYINT UNSIGNED", "255", Digits),
        stored("TINYINT(1)", "2", Digits).remark("a number, since it holds more than 0 and 1"),
        stored("BOOLEAN", "TRUE", Digits).remark("another word for `TINYINT(1)`"),
        stored("SMALLINT", "-32768", Digits),
        stored("SMALLINT UNSIGNED", "65535", Digits),
        stored("MEDIUMINT", "-8388608", Digits),
        stored("MEDIUMINT UNSIGNED", "16777215", Digits),
        stored("INT", "-2147483648", Digits),
        stored("INT UNSIGNED", "4294967295", Digits),
        stored("INT(8) ZEROFILL", "42", Is("42")).remark("the zeros belong to the display"),
        stored("BIGINT", "9007199254740993", Digits),
        stored("BIGINT", "-9223372036854775808", Digits),
        stored("BIGINT UNSIGNED", "18446744073709551615", Digits),
        stored("DECIMAL(12,2)", "12.5", Digits),
        stored("DECIMAL(40,10)", "-12345678901234567890.1234567891", Digits),
        stored("DECIMAL(65,30)", "0.000000000000000000000000000001", Digits),
        stored("DECIMAL(20,0)", "18446744073709551616", Digits),
        stored("FLOAT", "0.1", Float("0.1")),
        stored("FLOAT", "16777217", Is("16777216"))
            .remark("what it holds, not the six digits that the server shows"),
        stored("DOUBLE", "0.1", Float("0.1")),
        stored("DOUBLE", "1e300", Float("1e+300")),
        stored("DOUBLE", "1e10", Float("10000000000")),
        stored("DOUBLE", "-2.5e-308", Float("-2.5e-308")),
        stored("BIT(1)", "b'1'", Is("1")),
        stored("BIT(8)", "b'10000001'", Is("129")),
        stored("BIT(64)", "~0", Is("18446744073709551615")),
        stored("YEAR", "2024", Digits),
        stored("YEAR", "0", Is("0")),
        stored("BIT(12)", "b'000000000001'", Is("1")),
        expression("BIGINT", "-1", Digits),
        expression("BIGINT", "b'11' + 0", Digits),
        expression("BIGINT", "CAST(-9223372036854775807 AS SIGNED)", Digits),
        expression("BIGINT", "TRUE", Digits),
        expression("BIGINT", "1 = 1", Digits),
        expression("BIGINT", "COUNT(*)", Digits),
        expression("BIGINT UNSIGNED", "18446744073709551615", Digits),
        expression("DECIMAL", "1.50", Digits),
        expression("DECIMAL", "18446744073709551616", Digits),
        expression("DECIMAL", "SUM(2)", Digits),
        expression("DECIMAL", "AVG(3)", Digits),
        expression("DECIMAL", "-0.5 * 1.00", Digits),
        expression("DOUBLE", "1e21", Float("1e+21")),
    ]
}

fn moments() -> Vec<Case> {
    vec![
        stored("DATE", "'2024-02-29'", Text),
        stored("DATE", "'9999-12-31'", Text),
        stored("DATE", "'0000-00-00'", Text).remark("as the server writes it"),
        stored("DATE", "'2024-00-00'", Text),
        stored("DATETIME", "'2024-01-02 03:04:05'", Moment).remark("no zone is made up"),
        stored("DATETIME(6)", "'2024-01-02 03:04:05.123456'", Moment),
        stored("DATETIME(6)", "'2024-01-02 03:04:05.5'", Moment)
            .remark("zeros at the end of a fraction are left out"),
        stored("DATETIME", "'0000-00-00 00:00:00'", Text),
        stored("DATETIME", "'2024-02-00 10:00:00'", Text),
        stored_as("TIMESTAMP", "TIMESTAMP NULL", "'2024-01-02 03:04:05'", Is("\"2024-01-02T03:04:05Z\""))
            .remark("the session is in UTC"),
        stored_as(
            "TIMESTAMP(6)",
            "TIMESTAMP(6) NULL",
            "'2024-01-02 03:04:05.25'",
            Is("\"2024-01-02T03:04:05.25Z\""),
        ),
        stored_as("TIMESTAMP", "TIMESTAMP NULL", "'0000-00-00 00:00:00'", Text),
        stored("DATETIME", "'1000-01-01 00:00:00'", Moment),
        stored("DATETIME(6)", "'9999-12-31 23:59:59.999999'", Moment),
        expression("DATE", "DATE '2024-02-29' + INTERVAL 1 DAY", Text),
        expression("DATETIME", "TIMESTAMP '2024-01-02 03:04:05'", Moment),
        expression("TIME", "TIME '10:00:00'", Text),
        expression("TIME", "TIMEDIFF('2024-01-01 00:00:00', '2024-01-02 12:00:00')", Text),
        stored("TIME", "'04:05:06'", Text),
        stored("TIME(6)", "'-838:59:58.123456'", Text),
        stored("TIME(3)", "'26:00:00.250'", Is("\"26:00:00.25\"")),
    ]
}

fn texts() -> Vec<Case> {
    vec![
        stored("CHAR(5)", "'ab'", Text).remark("the server takes the pad off"),
        stored("VARCHAR(20)", "''", Text),
        stored("VARCHAR(20)", "' '", Text),
        stored("VARCHAR(20)", "'naïve 日本 🙂'", Text),
        stored("VARCHAR(20)", "'a,b|\"c\" \\\\ -#'", Text),
        stored("VARCHAR(20)", "'tab\\tline\\n'", Text),
        stored("VARCHAR(20)", "'null'", Text),
        stored("VARCHAR(20)", "'007'", Text),
        stored_as(
            "VARCHAR(20), collation utf8mb4_bin",
            "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "'naïve'",
            Text,
        ),
        stored_as("VARCHAR(20), character set latin1", "VARCHAR(20) CHARACTER SET latin1", "'é'", Text),
        stored("TINYTEXT", "'a'", Text),
        stored("TEXT", "'a'", Text),
        stored("MEDIUMTEXT", "'a'", Text),
        stored("LONGTEXT", "'a'", Text),
        stored("ENUM('x','y')", "'y'", Text),
        stored("SET('a','b','c')", "'a,c'", Text),
        stored("NATIONAL CHAR(5)", "'ab'", Text),
        expression("VARCHAR", "CONCAT('a', 1)", Text),
        expression("VARCHAR", "CONVERT('naïve' USING latin1)", Text),
        expression("VARCHAR", "HEX('é')", Text),
        expression("TEXT", "GROUP_CONCAT('a')", Text),
    ]
}

fn bytes() -> Vec<Case> {
    vec![
        stored("BINARY(4)", "'A'", Bytes).remark("the server fills it up with zeros"),
        stored("VARBINARY(8)", "x'ff00'", Bytes),
        stored("TINYBLOB", "x'00'", Bytes),
        stored("BLOB", "x'deadbeef00'", Bytes),
        stored("BLOB", "''", Bytes).remark("empty, and not null"),
        stored("MEDIUMBLOB", "x'80'", Bytes),
        stored("LONGBLOB", "x'ff'", Bytes),
        expression("VARBINARY", "x'4142'", Bytes),
        expression("VARBINARY", "UNHEX('ff')", Bytes),
        expression("VARBINARY", "INET6_ATON('::1')", Bytes),
        stored("GEOMETRY", "ST_GeomFromText('POINT(1 2)')", Bytes).remark("`ST_AsText(column)` is text"),
        stored("POINT", "POINT(1, 2)", Bytes),
        stored("LINESTRING", "ST_GeomFromText('LINESTRING(0 0, 1 1)')", Bytes),
        stored("MULTIPOINT", "ST_GeomFromText('MULTIPOINT(0 0, 1 1)')", Bytes),
        stored("GEOMETRYCOLLECTION", "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))')", Bytes),
        expression("VARBINARY", "_binary 'abc'", Bytes),
        expression("VARBINARY", "CAST('abc' AS BINARY)", Bytes),
        stored("POLYGON", "ST_GeomFromText('POLYGON((0 0, 1 0, 1 1, 0 0))')", Bytes),
    ]
}

fn mysql() -> Vec<Case> {
    vec![
        stored("JSON", r#"'{"b": 1, "a": [1, 2.50, null]}'"#, Json)
            .remark("inline; MySQL itself orders the keys and drops zeros"),
        stored("JSON", "'[9007199254740993, 1.5, \"x\"]'", Json),
        stored("JSON", "'12345678901234567890'", Json),
        stored("JSON", "'\"text\"'", Json),
        stored("JSON", "'null'", Is("null")).remark("JSON's null looks like SQL's"),
        stored("JSON", "'{}'", Json),
        stored("JSON", "'[-1, 1e300, true, \"\\\\n\"]'", Json),
        expression("JSON", "JSON_ARRAY(DATE '2024-01-02', 1.10)", Json),
        stored("VECTOR(2)", "TO_VECTOR('[1,2]')", Refused("VECTOR_TO_STRING"))
            .remark("the driver cannot read it: write `VECTOR_TO_STRING(column)`")
            .since(900),
        expression("JSON", "JSON_OBJECT('a', 1.50)", Json),
        expression("VARCHAR", "UUID_TO_BIN('018f3a1e-0000-7000-8000-000000000000')", Bytes),
    ]
}

fn mariadb() -> Vec<Case> {
    vec![
        stored("JSON", r#"'{"b": 1, "a": [1, 2.50, 9007199254740993]}'"#, Text)
            .remark("MariaDB's JSON is text"),
        expression("LONGTEXT", "JSON_OBJECT('a', 1.50)", Text),
        stored("UUID", "'018F3A1E-0000-7000-8000-000000000000'", Text).since(1007),
        stored("INET6", "'2001:db8::1'", Text),
        stored("INET4", "'192.0.2.7'", Text).since(1010),
        stored("VECTOR(2)", "VEC_FromText('[1,2]')", Bytes)
            .remark("single-precision numbers; `VEC_ToText(column)` is text")
            .since(1107),
    ]
}
