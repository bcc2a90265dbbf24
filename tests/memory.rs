//! How much memory a result takes while it is encoded: its rows once, the text once, and little beside them.
//!
//! A program of its own, with one test, since the allocator counts whatever the process allocates. It moves a block that grows
//! and holds it twice meanwhile, which the allocator of the program can often avoid, so the numbers are the worst case.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it measured"
)]

use futures::{FutureExt as _, StreamExt as _, stream};
use peak_alloc::PeakAlloc;
use tokio_util::sync::CancellationToken;
use toolbox::seam::{Encoded, Encoding, encode};
use toolbox_source::{Column, ColumnKind, Done, Event, Limits, Row, RowStream, SourceError, Value};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const NAMES: [&str; 10] =
    ["id", "customer", "email", "region", "status", "quantity", "amount", "discount", "created_at", "note"];

/// What may be taken beside the rows, in parts of the text: the text, a sixteenth of it as room for a wrong guess, the list of the
/// rows, and what a check notes of each row.
const MOST: f64 = 1.5;

/// A row of an order listing.
fn row(index: u32) -> Row {
    let text = |text: String| Value::Text(text);
    vec![
        Value::Int(7_960_607_143_101_464_576 + i64::from(index)),
        text(format!("Customer {}", index.wrapping_mul(2_654_435_761) % 5000)),
        text(format!("customer{}@example.com", index % 5000)),
        text("eu-west-1".to_owned()),
        text(if index.is_multiple_of(7) { "cancelled" } else { "delivered" }.to_owned()),
        Value::Int(i64::from(index % 12) + 1),
        Value::Decimal(format!("{}.{:02}", index % 997, index % 100)),
        if index.is_multiple_of(3) { Value::Null } else { Value::Float(f64::from(index % 89) / 89.0) },
        text(format!("2026-{:02}-{:02}T{:02}:15:00Z", index % 12 + 1, index % 28 + 1, index % 24)),
        if index.is_multiple_of(5) { text("left at the door, \"thanks\"".to_owned()) } else { Value::Null },
    ]
}

/// A result of rows that are made when they are asked for, so that only the seam holds them.
fn rows(make: fn(u32) -> Row, count: u32) -> RowStream {
    let column = |name: &str| Column { name: name.to_owned(), kind: ColumnKind::Any };
    let columns = Event::Columns(NAMES.into_iter().map(column).collect());
    let rows = (0..count).map(move |index| Event::Row(make(index)));
    let events = std::iter::once(columns).chain(rows).chain([Event::Done(Done::default())]);
    RowStream::new(stream::iter(events.map(Ok::<_, SourceError>)).boxed(), CancellationToken::new())
}

fn encoded(make: fn(u32) -> Row, count: u32, wish: Encoding) -> Encoded {
    encode(rows(make, count), wish.into(), &Limits::default())
        .now_or_never()
        .expect("a list is always ready")
        .expect("a list has no errors")
}

/// What rows take in memory, all together.
fn held(make: fn(u32) -> Row, count: u32) -> usize {
    let before = MEMORY.current_usage();
    let mut rows: Vec<Row> = (0..count).map(make).collect();
    rows.shrink_to_fit();
    MEMORY.current_usage() - before
}

/// The most memory that was taken at once while a result was encoded, and what came out.
fn peak(make: fn(u32) -> Row, count: u32, wish: Encoding) -> (usize, Encoded) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let encoded = encoded(make, count, wish);
    (MEMORY.peak_usage() - before, encoded)
}

/// The same row without decimals: TOON does not say `1.10`.
fn doubles(index: u32) -> Row {
    let double = |cell| {
        if matches!(cell, Value::Decimal(_)) { Value::Float(f64::from(index % 997) / 4.0) } else { cell }
    };
    row(index).into_iter().map(double).collect()
}

/// The same row with an object in its last cell, whose fields can be columns.
fn nested(index: u32) -> Row {
    let mut row = doubles(index);
    row.pop();
    row.push(Value::Json(format!("{{\"carrier\":\"post\",\"tries\":{}}}", index % 4)));
    row
}

/// The same row with a list of objects in its last cell, which no column holds.
fn listed(index: u32) -> Row {
    let mut row = doubles(index);
    row.pop();
    let item =
        |item| format!("{{\"article\":{},\"quantity\":{item},\"warehouse\":\"north\"}}", index % 997 + item);
    row.push(Value::Json(format!("[{}]", (1..=index % 4 + 1).map(item).collect::<Vec<_>>().join(","))));
    row
}

/// The same row, but one of them late in the result has bytes, which only JSON and tables hold.
fn late_bytes(index: u32) -> Row {
    let mut row = row(index);
    if index == 9_990 {
        row.pop();
        row.push(Value::Bytes(vec![1, 2, 3]));
    }
    row
}

/// Prints what was measured, and gives what was taken beside the rows, in parts of the text.
fn beside(make: fn(u32) -> Row, count: u32, wish: Encoding, expected: Encoding) -> f64 {
    let held = if wish == Encoding::Json { 0 } else { held(make, count) };
    let (peak, encoded) = peak(make, count, wish);
    let (sent, bytes) = (encoded.encoding(), encoded.bytes());
    assert_eq!(sent, expected, "{count} rows as {wish}");
    let beside = peak.saturating_sub(held) as f64 / bytes as f64;
    println!(
        "{count} rows as {wish}: {sent} of {bytes} bytes; at most {peak} bytes, of which {held} are rows; the others are {beside:.2} times \
         the text"
    );
    beside
}

#[test]
fn a_result_is_held_once_as_rows_and_once_as_text() {
    use Encoding::{Auto, Gcf, Gcx, Json, Table, Toon};
    // The vocabulary is loaded once for the process.
    encoded(row, 100, Auto);
    for (wish, sent) in [(Json, Json), (Table, Table), (Gcf, Gcf), (Gcx, Gcx), (Toon, Toon), (Auto, Gcf)] {
        let make = if wish == Toon { doubles } else { row };
        for count in [10_000, 100_000] {
            assert!(beside(make, count, wish, sent) <= MOST, "{count} rows as {wish}");
        }
    }
    // Rows that turn out to be JSON at last go one by one, too.
    for (wish, sent) in [(Gcf, Json), (Gcx, Json), (Toon, Json), (Auto, Table)] {
        assert!(beside(late_bytes, 10_000, wish, sent) <= MOST, "bytes late in rows as {wish}");
    }
    // Of nested cells no more are trees at once than those of a row.
    for count in [10_000, 30_000] {
        for (wish, sent) in [(Gcf, Gcf), (Gcx, Gcx), (Toon, Toon), (Auto, Gcf)] {
            assert!(beside(nested, count, wish, sent) <= MOST, "{count} rows with objects as {wish}");
        }
        // TOON repeats all names here, so it is written and given up.
        for (wish, sent) in [(Gcf, Gcf), (Gcx, Gcx), (Toon, Json), (Auto, Gcf)] {
            assert!(beside(listed, count, wish, sent) <= MOST, "{count} rows with lists as {wish}");
        }
    }
}
