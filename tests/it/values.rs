//! `docs/values.md`, written from the real servers: for every type an example, and what a reader gets for it in each form.
//!
//! Each case is asked of its server through the source and the seam. Its value must be what the contract says, or what the
//! server's own text says in a second column of the same query; the rules are those of [`case::Rule`]. Every form must say
//! the same value to a reader that is not ours. The rows of the page are made of the answers, so a page that differs is out
//! of date. Nothing here knows how a value is decoded.
//!
//! `case`: what is asked and expected. `sqlite`, `postgres`, `mysql`: the tables. `form`: how an answer is shown. `page`: the
//! page itself. The command of [`page::UPDATE`] writes it anew.

mod case;
mod form;
mod mysql;
mod page;
mod postgres;
mod sqlite;

use futures::{FutureExt as _, StreamExt as _, stream};
use tokio_util::sync::CancellationToken;
use toolbox::seam::{self, Encoded, Encoding};
use toolbox_source::{Column, ColumnKind, Done, Event, Limits, Row, RowStream, Source, SourceError, Value};

use crate::{
    contract::{Subject, ask::ask, same},
    support::Engine,
};
use case::{Case, Needs, Rule};
use form::FORMS;

/// So many rows that a form with a header is shorter than JSON.
const ROWS: usize = 40;

macro_rules! pages {
    ($($name:ident: $engine:ident, $cases:expr;)*) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                check(Engine::$engine, $cases).await;
            }
        )*
    };
}
pages! {
    the_page_says_what_sqlite_gives: Sqlite, sqlite::cases();
    the_page_says_what_postgres_gives: Postgres, postgres::cases();
    the_page_says_what_mysql_gives: MySql, mysql::cases(Engine::MySql);
    the_page_says_what_mariadb_gives: MariaDb, mysql::cases(Engine::MariaDb);
}

/// Asks for every case, and compares the page with the answers. A case that is not answered as it should be has no row.
async fn check(engine: Engine, cases: Vec<Case>) {
    let Some(mut subject) = Subject::create(engine).await else { return };
    let page = page::Section::read(engine);
    let mut possible = Vec::new();
    for case in &cases {
        let met = match case.needs {
            Some(needs) => meets(&mut subject, needs).await,
            None => true,
        };
        if !met {
            println!("not compared: {} {} ({:?})", case.kind, case.example, case.needs);
        }
        possible.push(met);
    }
    set_up(&mut subject, &cases, &possible).await;
    let source = subject.source();
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for (place, (case, met)) in cases.iter().zip(possible).enumerate() {
        if !met {
            // What this server does not have stays as a server wrote it that has it.
            rows.extend(page.row_of(case).map(str::to_owned));
            continue;
        }
        match answer(&*source, engine, case, place).await {
            Ok(cells) => rows.push(page::row(case, &cells)),
            Err(fault) => faults.push(format!("{} {}: {fault}", case.kind, case.example)),
        }
    }
    subject.remove().await;
    let stale = page.settle(&rows);
    assert!(faults.is_empty(), "{} of {} cases:\n{}", faults.len(), cases.len(), faults.join("\n"));
    if let Some(difference) = stale {
        panic!("docs/values.md is out of date; {} writes it anew\n{difference}", page::UPDATE);
    }
}

/// Whether the server has what a case needs.
async fn meets(subject: &mut Subject, needs: Needs) -> bool {
    let database = &mut subject.database;
    match (subject.engine, needs) {
        (_, Needs::Extension(name)) => {
            let sql = format!("SELECT count(*) FROM pg_available_extensions WHERE name = '{name}'");
            let there = database.number(&sql).await > 0;
            if there {
                database.run(&format!("CREATE EXTENSION IF NOT EXISTS {name}")).await;
            }
            there
        }
        (Engine::Postgres, Needs::Version(version)) => {
            database.number("SELECT current_setting('server_version_num')").await / 100 >= i64::from(version)
        }
        (_, Needs::Version(version)) => {
            let said = database.texts("SELECT version()").await.remove(0).remove(0).expect("a version");
            let mut parts = said.split(['.', '-']).map(|part| part.parse::<u32>().expect("a number"));
            let (major, minor) = (parts.next().expect("a number"), parts.next().expect("a number"));
            major * 100 + minor >= version
        }
    }
}

/// Makes the types and the table that the cases read from.
async fn set_up(subject: &mut Subject, cases: &[Case], possible: &[bool]) {
    match subject.engine {
        Engine::Postgres => subject.database.run(postgres::TYPES).await,
        Engine::MySql | Engine::MariaDb => subject.database.run(mysql::SESSION).await,
        Engine::Sqlite => {}
    }
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for (place, (case, possible)) in cases.iter().zip(possible).enumerate() {
        if let Some(column) = case.column().filter(|_| *possible) {
            columns.push(format!("{} {column}", Case::column_name(place)));
            values.push(case.example);
        }
    }
    if !columns.is_empty() {
        subject.database.run(&format!("CREATE TABLE cells ({})", columns.join(", "))).await;
        subject.database.run(&format!("INSERT INTO cells VALUES ({})", values.join(", "))).await;
    }
}

/// The cells of a case in every form, once its value is what it should be.
async fn answer(
    source: &dyn Source,
    engine: Engine,
    case: &Case,
    place: usize,
) -> Result<Vec<String>, String> {
    let sql = case.query(engine, place);
    if let Rule::Refused(words) = case.rule {
        let answer = ask(&sql).sets(source).await;
        let said = answer.err().map(|error| error.to_string());
        let refused = said.as_deref().is_some_and(|said| said.contains(words));
        return if refused {
            Ok(vec!["refused".to_owned(); FORMS.len()])
        } else {
            Err(format!("must be refused with {words:?}, and the answer is {said:?}"))
        };
    }
    if engine == Engine::Sqlite {
        let stored = ask(&case.stored_type(place)).cell(source).await;
        if stored != Value::Text(case.kind.to_owned()) {
            return Err(format!("it is stored as {stored:?}"));
        }
    }
    let row = one_row(ask(&sql).sets(source).await)?;
    // SQL from the model takes another road to the same value.
    let model = one_row(ask(&sql).by_the_model().reading().sets(source).await)?;
    let [value, said] = <[Value; 2]>::try_from(row).map_err(|row| format!("not two cells: {row:?}"))?;
    let json = cell_as_json(&value);
    let expected = case.rule.expected(&said).map_err(|fault| format!("{fault}, and we say {json}"))?;
    if json != expected {
        return Err(format!("{json}, and not {expected}; the server says {said:?}"));
    }
    let of_the_model = cell_as_json(model.first().ok_or("no cell")?);
    if json != of_the_model {
        return Err(format!("{json}, and {of_the_model} for SQL from the model"));
    }
    let mut cells = Vec::new();
    for form in FORMS {
        let encoded = encode(&value, form.encoding);
        same::assert_says(&encoded, &json);
        cells.push(form::shown(form, &encoded));
    }
    Ok(cells)
}

fn one_row(sets: Result<Vec<crate::contract::ask::Set>, SourceError>) -> Result<Row, String> {
    let mut rows: Vec<Row> =
        sets.map_err(|error| error.to_string())?.into_iter().flat_map(|set| set.rows).collect();
    match rows.pop() {
        Some(row) if rows.is_empty() => Ok(row),
        _ => Err(format!("{} rows", rows.len())),
    }
}

/// What the seam writes for a value.
fn cell_as_json(value: &Value) -> String {
    form::json_cell(encode(value, Encoding::Json).blocks())
}

/// A table of one column that holds the value in each row, through the seam.
fn encode(value: &Value, encoding: Encoding) -> Encoded {
    let columns = [Column { name: form::COLUMN.to_owned(), kind: ColumnKind::Any }];
    let rows = std::iter::repeat_n(Event::Row(vec![value.clone()]), ROWS);
    let events: Vec<_> = std::iter::once(Event::Columns(columns.into()))
        .chain(rows)
        .chain([Event::Done(Done::default())])
        .map(Ok)
        .collect();
    let rows = RowStream::new(stream::iter(events).boxed(), CancellationToken::new());
    let limits = Limits::default();
    let encoded = seam::encode(rows, encoding.into(), &limits);
    encoded.now_or_never().expect("a list of events is always ready").expect("no limit and no fault")
}
