//! PostgreSQL: every built-in type, types that users make, and the extensions that come with the server.

use super::case::{
    Case,
    Rule::{Bytes, Digits, Float, Instant, Is, Moment, Text},
    cast, expression,
};

/// Types that the cases below use.
pub(super) const TYPES: &str = "
    CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE DOMAIN posint AS integer CHECK (VALUE > 0);
    CREATE DOMAIN label AS text;
    CREATE DOMAIN ids AS bigint[];
    CREATE TYPE pair AS (a integer, b text, c numeric);
    CREATE TYPE nest AS (p pair, tags text[]);
    CREATE TABLE item (id bigint, name text, price numeric(8, 2));
    INSERT INTO item VALUES (9007199254740993, 'x', 2.5);";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = numbers();
    cases.extend(texts());
    cases.extend(moments());
    cases.extend(json());
    cases.extend(other_texts());
    cases.extend(arrays());
    cases.extend(users());
    cases.extend(extensions());
    cases
}

fn numbers() -> Vec<Case> {
    vec![
        expression("any", "NULL", Is("null")),
        cast("boolean", "true", Is("true")),
        cast("boolean", "false", Is("false")),
        cast("smallint", "'-32768'", Digits),
        cast("integer", "'2147483647'", Digits),
        cast("bigint", "'9007199254740993'", Digits),
        cast("bigint", "'-9223372036854775808'", Digits),
        cast("oid", "'4294967295'", Digits),
        cast("xid", "'5'", Digits),
        cast("cid", "'7'", Digits),
        cast("xid8", "'18446744073709551615'", Digits),
        cast("numeric", "'1.10'", Digits),
        cast("numeric(12,2)", "'12.5'", Digits),
        cast("numeric", "'100'", Digits),
        cast("numeric", "'0.1234567890123456789'", Digits),
        cast("numeric", "'12345678901234567890.12345678901234567890'", Digits),
        cast("numeric", "'1e-22'", Digits),
        cast("numeric", "'1e30'", Digits),
        cast("numeric", "'-0.000'", Digits),
        cast("numeric", "'NaN'", Is("\"NaN\"")),
        cast("numeric", "'Infinity'", Is("\"Infinity\"")),
        cast("numeric", "'-Infinity'", Is("\"-Infinity\"")),
        cast("real", "'0.1'", Float("0.1")),
        cast("real", "'3.4e38'", Float("3.4e+38")),
        cast("real", "'16777217'", Is("16777216")).remark("what it holds"),
        cast("double precision", "'0.1'", Float("0.1")),
        cast("double precision", "'1'", Float("1")),
        cast("double precision", "'-0'", Float("-0")),
        cast("double precision", "'1e300'", Float("1e+300")),
        cast("double precision", "'1e20'", Float("100000000000000000000")),
        cast("double precision", "'1e-7'", Float("1e-7")),
        cast("double precision", "'NaN'", Is("\"NaN\"")),
        cast("double precision", "'Infinity'", Is("\"Infinity\"")),
        cast("double precision", "'-Infinity'", Is("\"-Infinity\"")),
        cast("money", "'12.34'", Text).remark("as `lc_monetary` of the database says"),
        cast("money", "'-1234567.89'", Text),
    ]
}

fn texts() -> Vec<Case> {
    vec![
        cast("text", "''", Text),
        cast("text", "' '", Text),
        cast("text", "'naïve 日本 🙂'", Text),
        cast("text", "'a,b|\"c\" \\ -#'", Text),
        cast("text", "E'tab\\tline\\n'", Text),
        cast("text", "'null'", Text),
        cast("text", "'007'", Text),
        cast("varchar(5)", "'ab'", Text),
        cast("char(5)", "'ab'", Is("\"ab   \"")).remark("padded, as the server stores it"),
        cast("name", "'ab'", Text),
        cast("\"char\"", "'a'", Text),
        expression("unknown", "'x'", Text),
        cast("varbit(5)", "B'1'", Text),
        cast("xml", "'<a>x</a>'", Text),
        cast("uuid", "'018F3A1E-0000-7000-8000-000000000000'", Text),
        cast("bytea", "'\\xdeadbeef00'", Bytes),
        cast("bytea", "''", Bytes).remark("empty, and not null"),
        cast("bit(4)", "B'1010'", Text),
        cast("varbit", "B'101'", Text),
        cast("refcursor", "'cursor'", Text),
    ]
}

fn moments() -> Vec<Case> {
    vec![
        cast("date", "'2024-02-29'", Text),
        cast("date", "'infinity'", Text),
        cast("date", "'0044-03-15 BC'", Text),
        cast("date", "'12024-01-01'", Text),
        cast("time", "'04:05:06.789'", Text),
        cast("time", "'24:00'", Text),
        cast("timetz", "'04:05:06+02'", Text),
        cast("timestamp", "'2024-01-02 03:04:05.123456'", Moment).remark("no zone is made up"),
        cast("timestamp", "'-infinity'", Moment),
        cast("timestamp", "'0044-03-15 12:00 BC'", Moment),
        cast("timestamptz", "'2024-01-02 03:04:05.5+02'", Instant).remark("the session is in UTC"),
        cast("timestamptz", "'infinity'", Instant),
        cast("timestamptz", "'12024-01-01 00:00+00'", Instant),
        cast("interval", "'1 year 2 mons 3 days 04:05:06.789'", Text),
        cast("interval", "'-1 days +02:03:00'", Text),
        cast("interval", "'0'", Text),
        cast("interval", "'infinity'", Text).since(1700),
    ]
}

fn json() -> Vec<Case> {
    vec![
        cast(
            "json",
            r#"'{"b" : 1.0, "a": [1, 2.50, null], "b": 2}'"#,
            Is(r#"{"b":1.0,"a":[1,2.50,null],"b":2}"#),
        )
        .remark("as stored, without blanks"),
        cast("json", "'[9007199254740993, 1e400]'", Is("[9007199254740993,1e400]")),
        cast("jsonb", r#"'{"b": 1.0, "a": [null]}'"#, Is(r#"{"a":[null],"b":1.0}"#))
            .remark("PostgreSQL itself orders the keys"),
        cast("jsonb", "'\"text\"'", Is("\"text\"")),
        cast("jsonb", "'12345678901234567890.10'", Is("12345678901234567890.10")),
        cast("jsonb", "'null'", Is("null")).remark("JSON's null looks like SQL's"),
        cast("jsonpath", "'$.a[*]'", Text),
    ]
}

fn other_texts() -> Vec<Case> {
    vec![
        cast("inet", "'192.168.1.5'", Is("\"192.168.1.5\""))
            .remark("a host has no mask, as in the server's output"),
        cast("inet", "'192.168.1.5/24'", Text),
        cast("inet", "'::1'", Is("\"::1\"")),
        cast("cidr", "'10.0.0.0/8'", Text),
        cast("macaddr", "'08:00:2b:01:02:03'", Text),
        cast("macaddr8", "'08:00:2b:01:02:03:04:05'", Text),
        cast("point", "'(1,2.5)'", Text),
        cast("line", "'{1,2,3}'", Text),
        cast("lseg", "'[(0,0),(1,1)]'", Text),
        cast("box", "'(1,1),(0,0)'", Text),
        cast("path", "'[(0,0),(1,1)]'", Text),
        cast("path", "'((0,0),(1,1))'", Text),
        cast("polygon", "'((0,0),(1,0),(1,1))'", Text),
        cast("circle", "'<(1,2),3>'", Text),
        cast("int4range", "'[1,5)'", Text),
        cast("int4range", "'(,5]'", Text),
        cast("int4range", "'empty'", Text),
        cast("int8range", "'[1,9007199254740993)'", Text),
        cast("numrange", "'[1.10,2.5]'", Text),
        cast("daterange", "'[2024-01-01,2024-02-01)'", Text),
        cast("tsrange", "'[2024-01-01 10:00,2024-01-01 11:00)'", Text),
        cast("tstzrange", "'[2024-01-01 10:00+02,)'", Text),
        cast("int4multirange", "'{[1,3),[5,8)}'", Text),
        cast("nummultirange", "'{[1.5,2.5)}'", Text),
        cast("datemultirange", "'{[2024-01-01,2024-02-01)}'", Text),
        cast("tsvector", "'a fat cat:3A'", Text),
        cast("tsquery", "'fat & !cat'", Text),
        cast("regclass", "'pg_class'", Text),
        cast("regproc", "'now'", Text),
        cast("regprocedure", "'abs(integer)'", Text),
        cast("regoper", "'||/'", Text),
        cast("regoperator", "'+(integer,integer)'", Text),
        cast("regtype", "'integer'", Text),
        cast("regrole", "'pg_monitor'", Text),
        cast("regnamespace", "'pg_catalog'", Text),
        cast("regconfig", "'english'", Text),
        cast("regdictionary", "'simple'", Text),
        cast("regcollation", "'\"C\"'", Text),
        cast("tid", "'(0,1)'", Text),
        cast("pg_lsn", "'16/B374D848'", Text),
        cast("pg_snapshot", "'10:20:10,14'", Text),
        cast("txid_snapshot", "'10:20:10,14'", Text),
        cast("int2vector", "'1 2'", Is("[1,2]")).remark("an array, to PostgreSQL"),
        cast("oidvector", "'1 2'", Is("[1,2]")),
        cast("aclitem", "'pg_monitor=r/pg_monitor'", Text),
        expression("void", "pg_sleep(0)", Text),
    ]
}

fn arrays() -> Vec<Case> {
    vec![
        cast("integer[]", "'{1,2,NULL}'", Is("[1,2,null]")),
        cast("integer[]", "'{}'", Is("[]")),
        cast("integer[]", "'{{1,2},{3,4}}'", Is("[[1,2],[3,4]]")),
        cast("integer[]", "'[2:3]={5,6}'", Is("[5,6]")).remark("where the indexes begin is not shown"),
        cast("bigint[]", "'{9007199254740993}'", Is("[9007199254740993]")),
        cast("boolean[]", "'{t,f}'", Is("[true,false]")),
        cast("text[]", r#"'{a,"b,c",NULL,"","NULL"}'"#, Is(r#"["a","b,c",null,"","NULL"]"#)),
        cast("text[]", "'{{a},{b}}'", Is(r#"[["a"],["b"]]"#)),
        cast("integer[]", "'[0:1][1:2]={{1,2},{3,NULL}}'", Is("[[1,2],[3,null]]")),
        cast("integer[]", "NULL", Is("null")),
        cast("integer[]", "'{{{1},{2}},{{3},{4}}}'", Is("[[[1],[2]],[[3],[4]]]")),
        cast("numeric[]", "'{1.10,2,NaN,Infinity}'", Is(r#"[1.10,2,"NaN","Infinity"]"#)),
        cast("double precision[]", "'{0.1,NaN}'", Is(r#"[0.1,"NaN"]"#)),
        cast("date[]", "'{2024-02-29,infinity}'", Is(r#"["2024-02-29","infinity"]"#)),
        cast("timestamptz[]", "'{2024-01-02 03:04:05.5+02}'", Is(r#"["2024-01-02T01:04:05.5Z"]"#)),
        cast("timestamp[]", "'{2024-01-02 03:04:05}'", Is(r#"["2024-01-02T03:04:05"]"#)),
        cast("timetz[]", "'{04:05:06+02}'", Is(r#"["04:05:06+02"]"#)),
        cast("json[]", r#"array['{"b" : 1}'::json]"#, Is(r#"[{"b":1}]"#)),
        cast("oid[]", "'{4294967295}'", Is("[4294967295]")),
        cast("real[]", "'{0.1,Infinity}'", Is(r#"[0.1,"Infinity"]"#)),
        cast("varbit[]", "'{101,NULL}'", Is(r#"["101",null]"#)),
        cast("cidr[]", "'{10.0.0.0/8}'", Is(r#"["10.0.0.0/8"]"#)),
        cast("macaddr[]", "'{08:00:2b:01:02:03}'", Is(r#"["08:00:2b:01:02:03"]"#)),
        cast("char(3)[]", "'{a}'", Is(r#"["a  "]"#)),
        cast("box[]", "'{(1,1),(0,0)}'", Is(r#"["(1,1),(0,0)"]"#)),
        cast("tstzrange[]", r#"'{"[2024-01-01 10:00+02,)"}'"#, Is(r#"["[\"2024-01-01 08:00:00+00\",)"]"#)),
        cast("pg_lsn[]", "'{16/B374D848}'", Is(r#"["16/B374D848"]"#)),
        cast("time[]", "'{04:05:06.789}'", Is(r#"["04:05:06.789"]"#)),
        cast("interval[]", "'{1 day}'", Is(r#"["1 day"]"#)),
        cast(
            "uuid[]",
            "'{018f3a1e-0000-7000-8000-000000000000}'",
            Is(r#"["018f3a1e-0000-7000-8000-000000000000"]"#),
        ),
        cast("jsonb[]", r#"array['{"a": 1.0}'::jsonb]"#, Is(r#"[{"a":1.0}]"#)),
        cast("bytea[]", r"array['\xdeadbeef00'::bytea]", Is(r#"["3q2+7wA="]"#)),
        cast("bit(3)[]", "'{101}'", Is(r#"["101"]"#)),
        cast("inet[]", "'{192.168.1.5}'", Is(r#"["192.168.1.5"]"#)),
        cast("int4range[]", r#"'{"[1,5)"}'"#, Is(r#"["[1,5)"]"#)),
        cast("point[]", r#"'{"(1,2)"}'"#, Is(r#"["(1,2)"]"#)),
        cast("money[]", "array['12.34'::money]", Is(r#"["$12.34"]"#)),
        cast("\"char\"[]", "'{a}'", Is(r#"["a"]"#)),
        cast("name[]", "'{a}'", Is(r#"["a"]"#)),
        cast("xml[]", "array['<a/>'::xml]", Is(r#"["<a/>"]"#)),
        cast("tsvector[]", "array['cat:3'::tsvector]", Is(r#"["'cat':3"]"#)),
        cast("regclass[]", "'{pg_class}'", Is(r#"["pg_class"]"#)),
    ]
}

fn users() -> Vec<Case> {
    vec![
        cast("mood", "'ok'", Text).remark("an enum"),
        cast("mood[]", "'{{sad},{ok}}'", Is(r#"[["sad"],["ok"]]"#)),
        cast("label[]", "'{x,NULL}'", Is(r#"["x",null]"#)),
        cast("mood[]", "'{sad,NULL,ok}'", Is(r#"["sad",null,"ok"]"#)),
        cast("posint", "'7'", Digits).remark("a domain is its base type"),
        cast("label", "'x'", Text),
        cast("ids", "'{1,9007199254740993}'", Is("[1,9007199254740993]")).remark("a domain over an array"),
        cast("posint[]", "'{1,2}'", Is("[1,2]")),
        cast("pair", "ROW(1, 'x', 2.50)", Is(r#"{"a":1,"b":"x","c":2.50}"#)).remark("a composite type"),
        cast("pair[]", "array[ROW(1, 'x', NULL)::pair]", Is(r#"[{"a":1,"b":"x","c":null}]"#)),
        cast(
            "nest",
            "ROW(ROW(1, 'x', 2.5)::pair, array['a'])",
            Is(r#"{"p":{"a":1,"b":"x","c":2.5},"tags":["a"]}"#),
        ),
        cast("pair", "ROW(NULL, '', NULL)", Is(r#"{"a":null,"b":"","c":null}"#)),
        cast("pair", "NULL", Is("null")),
        expression("record", "ROW(ROW(1, 2.50), ARRAY[1])", Is(r#"{"f1":{"f1":1,"f2":2.50},"f2":[1]}"#)),
        expression("record[]", "array[ROW(1, 'a')]", Is(r#"[{"f1":1,"f2":"a"}]"#)),
        expression("record", "ROW(1, 'a', NULL)", Is(r#"{"f1":1,"f2":"a","f3":null}"#)),
        expression(
            "record",
            "ROW('\\x00ff'::bytea, '2024-01-02 03:04:05+02'::timestamptz, 'ok'::mood)",
            Is(r#"{"f1":"AP8=","f2":"2024-01-02T01:04:05Z","f3":"ok"}"#),
        )
        .remark(
            "as in columns of their own; a field of a type that is not built in is as `to_json` writes it",
        ),
        expression(
            "a whole row",
            "(SELECT item FROM item)",
            Is(r#"{"id":9007199254740993,"name":"x","price":2.50}"#),
        ),
    ]
}

fn extensions() -> Vec<Case> {
    vec![
        cast("citext", "'Ab'", Text).extension("citext"),
        cast("citext[]", "'{Ab}'", Is(r#"["Ab"]"#)).extension("citext"),
        cast("hstore", "'b=>NULL, a=>1'", Is(r#"{"a":"1","b":null}"#)).extension("hstore"),
        cast("hstore", "''", Is("{}")).extension("hstore"),
        cast("hstore[]", "array['a=>1'::hstore]", Is(r#"[{"a":"1"}]"#)).extension("hstore"),
        cast("ltree[]", "'{top.science}'", Is(r#"["top.science"]"#)).extension("ltree"),
        cast("ltree", "'top.science'", Text).extension("ltree"),
        cast("lquery", "'*.science'", Text).extension("ltree"),
        cast("ltxtquery", "'science & !art'", Text).extension("ltree"),
        cast("cube", "'(1,2),(3,4)'", Text).extension("cube"),
        cast("seg", "'1.5 .. 2.50'", Text).extension("seg"),
        cast("isbn", "'978-0-393-04002-9'", Text).extension("isn"),
        cast("ean13", "'4006381333931'", Text).extension("isn"),
        cast("issn", "'1436-4522'", Text).extension("isn"),
        cast("query_int", "'1&(2|3)'", Text).extension("intarray"),
        cast("lo", "'16384'", Digits).extension("lo").remark("a domain over oid"),
    ]
}
