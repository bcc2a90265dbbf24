//! From a stream of events to the text that leaves the server. The sources here are lists of events.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what it skips"
)]

mod auto;
mod comparison;
mod cost;
mod gcf;
mod gcx;
mod json;
mod limits;
mod nested;
mod payload;
pub(crate) mod random;
mod safe;
mod shapes;
mod table;
mod toon;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures::{FutureExt, StreamExt, stream};
use tokio_util::sync::CancellationToken;
use toolbox::seam::{self, Encoded, Encoding};
use toolbox_source::{Column, ColumnKind, Done, Event, Limits, Row, RowStream, SourceError, Value};

/// What a source sends, written down.
type Events = Vec<Result<Event, SourceError>>;

/// Sends a fixed list of events, which is always ready.
fn encode(events: Events, wish: Encoding, limits: &Limits) -> Result<Encoded, SourceError> {
    let rows = RowStream::new(stream::iter(events).boxed(), CancellationToken::new());
    seam::encode(rows, wish.into(), limits).now_or_never().expect("a list of events is always ready")
}

/// Encodes one result set without limits.
fn encode_table(names: &[&str], rows: Vec<Row>, wish: Encoding) -> Encoded {
    encode(table(names, rows), wish, &Limits::default()).expect("the source reports no error")
}

fn columns(names: &[&str]) -> Event {
    Event::Columns(
        names.iter().map(|name| Column { name: (*name).to_owned(), kind: ColumnKind::Any }).collect(),
    )
}

/// The events of a statement that only reads.
fn table(names: &[&str], rows: Vec<Row>) -> Events {
    table_of(names, rows, Done::default())
}

fn table_of(names: &[&str], rows: Vec<Row>, done: Done) -> Events {
    let rows = rows.into_iter().map(Event::Row);
    std::iter::once(columns(names)).chain(rows).chain([Event::Done(done)]).map(Ok).collect()
}

/// What a procedure answers: two result sets of so many rows, and that it changed seven.
fn several(rows: i64) -> Events {
    let note = |id| vec![Value::Int(id), text("the same words")];
    let mut events = table(&["first_number", "note"], (0..rows).map(note).collect());
    events.extend(table(&["second_number", "note"], (100..100 + rows).map(note).collect()));
    events.push(Ok(Event::Done(changed(7))));
    events
}

fn changed(rows: u64) -> Done {
    Done { rows_affected: Some(rows), last_insert_id: None }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn decimal(digits: &str) -> Value {
    Value::Decimal(digits.to_owned())
}

/// A source that obeys [`RowStream::enough`] as the contract says: a read stops, a write sends the rows that it has. Also
/// counts the events that were taken from it.
fn obedient(events: Vec<Event>, stops: bool) -> (RowStream, Arc<AtomicUsize>) {
    let (enough, taken) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
    let (watched, counter) = (enough.clone(), Arc::clone(&taken));
    let events = stream::iter(events)
        .filter(move |event| {
            let stopped = stops && watched.is_cancelled() && matches!(event, Event::Row(_));
            std::future::ready(!stopped)
        })
        .inspect(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        })
        .map(Ok);
    (RowStream::new(events.boxed(), enough), taken)
}

#[test]
fn encodings_have_names_in_any_letter_case_and_json_is_the_default() {
    for encoding in Encoding::ALL {
        assert_eq!(encoding.name(), encoding.name().to_lowercase());
        assert_eq!(encoding.to_string(), encoding.name());
        assert_eq!(encoding.name().parse(), Ok(encoding));
        assert_eq!(encoding.name().to_uppercase().parse(), Ok(encoding));
    }
    assert_eq!("Gcf".parse(), Ok(Encoding::Gcf));
    assert_eq!(Encoding::default(), Encoding::Json);
    for name in ["", "xml", "json ", "gcf2"] {
        let message = name.parse::<Encoding>().map_err(|error| error.to_string());
        assert_eq!(
            message,
            Err(format!("unknown response encoding {name:?}: use json, table, gcf, gcx, toon or auto"))
        );
    }
}
