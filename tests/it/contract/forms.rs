//! Every form says what JSON says, whatever the cells hold.

use toolbox::seam::{Encoded, Encoding};
use toolbox_source::{Source, Value};

use super::{
    Subject,
    ask::{Leaves as _, ask, text},
    on_every_database, same,
};
use crate::{
    seam::random::read,
    support::{Sql, all, only},
};

on_every_database!(
    null_the_empty_text_and_a_blank_are_three_things,
    hostile_texts_read_back_in_every_form,
    what_json_says_every_form_says,
);

/// Every form that is not JSON rows.
const FORMS: [Encoding; 4] = [Encoding::Table, Encoding::Gcf, Encoding::Gcx, Encoding::Toon];

/// Asks for every form, and holds it to the JSON of the same question.
async fn hold_to_json(sql: &str, source: &dyn Source) -> Encoded {
    let json = ask(sql).encoded_as(Encoding::Json, source).await.expect("rows");
    for form in FORMS {
        let encoded = ask(sql).encoded_as(form, source).await.expect("rows");
        // TOON stands back where its quotes cost more than they save.
        assert!(encoded.encoding() == form || form == Encoding::Toon, "{form} stood back: {sql}");
        same::assert_same(&encoded, &json);
    }
    json
}

async fn null_the_empty_text_and_a_blank_are_three_things(subject: &mut Subject) {
    let source = subject.source();
    for (row, expected) in [
        ("NULL AS a, '' AS b, ' ' AS c", r#"{"a":null,"b":"","c":" "}"#),
        ("' ' AS a, NULL AS b, '' AS c", r#"{"a":" ","b":null,"c":""}"#),
        ("'' AS a, ' ' AS b, NULL AS c", r#"{"a":"","b":" ","c":null}"#),
    ] {
        let sql = format!("SELECT {row} FROM numbers WHERE n <= 40");
        assert_eq!(hold_to_json(&sql, &*source).await.blocks(), [expected; 40]);
    }
}

/// Texts that end a cell, a row, a line or a quote in one form or the other, or look like another type there.
const HOSTILE: &[&str] = &[
    "a,b",
    "\"",
    "a\tb",
    "a\nb",
    "a\r\nb",
    "a|b",
    "\\",
    "\\n",
    "-",
    "-x",
    "#",
    "# x",
    "null",
    "true",
    "1",
    "1.0",
    "-0",
    "1e5",
    " x",
    "x ",
    "~",
    "{",
    "[",
    "}",
    "[1]",
    "{\"a\":1}",
    "=",
    "a=b",
    ">",
    "@",
    "^",
    "&",
    "<",
    "日本",
    "ñ",
    "n\u{303}",
    "🙂",
    "\u{200f}",
    "\u{202e}",
    "\u{feff}",
    "\u{2028}",
    "\u{1}",
    "\u{7f}",
    "GCF profile=generic",
    "## [1]{a}",
    "…",
];

async fn hostile_texts_read_back_in_every_form(subject: &mut Subject) {
    let source = subject.source();
    let insert = all("INSERT INTO things (id, name, note) VALUES (?1, ?2, ?3)").of(subject.engine).unwrap();
    for (id, text) in (1..).zip(HOSTILE) {
        let name = self::text(&format!("{id} {text}"));
        ask(&insert).with([Value::Int(id), name, self::text(text)]).changes(&*source).await;
    }
    let sql = "SELECT note, id, note AS last FROM things ORDER BY id";
    let json = hold_to_json(sql, &*source).await;
    for (row, text) in read(&json).iter().zip(HOSTILE) {
        assert_eq!((row[0].1.as_str(), row[2].1.as_str()), (Some(*text), Some(*text)));
    }
}

/// Columns of every kind that a form may write in its own way, with values made from the row's number.
const MIXED: Sql = only()
    .sqlite(
        "SELECT n, n * 9007199254740993 AS big, n / 7.0 AS x, CASE n % 3 WHEN 0 THEN NULL ELSE 'text ' || n END AS t,
         '00' || n AS digits, n % 2 = 0 AS flag, datetime(n * 86400, 'unixepoch') AS at, 1.0 * n AS whole
         FROM numbers ORDER BY n",
    )
    .postgres(
        "SELECT n, n * 9007199254740993 AS big, n / 7.0::double precision AS x, n / 8.0 AS d,
         CASE n % 3 WHEN 0 THEN NULL ELSE 'text ' || n END AS t, '00' || n AS digits, n % 2 = 0 AS flag,
         timestamptz '2024-01-01' + n * interval '1 hour' AS at, 1.0::real * n AS whole, md5(n::text)::uuid AS u
         FROM numbers ORDER BY n",
    )
    .mysql(
        "SELECT n, n * 9007199254740993 AS big, n / 7e0 AS x, n / 8.0 AS d,
         CASE n % 3 WHEN 0 THEN NULL ELSE CONCAT('text ', n) END AS t, CONCAT('00', n) AS digits, n % 2 = 0 AS flag,
         TIMESTAMP('2024-01-01') + INTERVAL n HOUR AS at, 1e0 * n AS whole
         FROM numbers ORDER BY n",
    );

async fn what_json_says_every_form_says(subject: &mut Subject) {
    let source = subject.source();
    let sql = MIXED.of(subject.engine).expect("every database has rows");
    let json = hold_to_json(&sql, &*source).await;
    assert_eq!(json.blocks().len(), 1000);
}
