//! How fast rows become text: 10,000 rows of 10 cells, scalars or with JSON, in MB/s of the JSON that goes out or is replaced.
//!
//! `cargo bench --bench seam`. A form includes everything that the guard does: the size of the JSON, the text, reading the text back
//! cell by cell, and for TOON counting tokens; `auto` also its samples. Rows for TOON have doubles in place of decimals. What it
//! takes to make the rows is left out; what it takes to drop them is in. Beside them stands `serde_json::to_string` of the same
//! rows as a tree, made before the clock starts.

#![expect(clippy::expect_used, reason = "a benchmark stops where what it measures fails")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use futures::{FutureExt, StreamExt, stream};
use tokio_util::sync::CancellationToken;
use toolbox::seam::{Encoded, Encoding, encode};
use toolbox_source::{Column, ColumnKind, Done, Event, Limits, Row, RowStream, SourceError, Value};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: u32 = 10_000;

const NAMES: [&str; 10] =
    ["id", "customer", "email", "region", "status", "quantity", "amount", "discount", "created_at", "note"];

/// A row of an order listing: ids above 2^53, repeated words, money, ratios, timestamps, nulls and a little that needs
/// quotes.
fn row(index: u32) -> Row {
    let text = |text: String| Value::Text(text);
    let region = ["eu-west-1", "us-east-1", "ap-south-2"]
        .into_iter()
        .cycle()
        .nth(index as usize % 3)
        .unwrap_or_default();
    vec![
        Value::Int(7_960_607_143_101_464_576 + i64::from(index)),
        text(format!("Customer {}", index.wrapping_mul(2_654_435_761) % 5000)),
        text(format!("customer{}@example.com", index % 5000)),
        text(region.to_owned()),
        text(if index.is_multiple_of(7) { "cancelled" } else { "delivered" }.to_owned()),
        Value::Int(i64::from(index % 12) + 1),
        Value::Decimal(format!("{}.{:02}", index % 997, index % 100)),
        if index.is_multiple_of(3) { Value::Null } else { Value::Float(f64::from(index % 89) / 89.0) },
        text(format!(
            "2026-{:02}-{:02}T{:02}:15:{:02}Z",
            index % 12 + 1,
            index % 28 + 1,
            index % 24,
            index % 60
        )),
        if index.is_multiple_of(5) { text("left at the door, \"thanks\"".to_owned()) } else { Value::Null },
    ]
}

/// The same row without decimals, of which TOON does not say those like `1.10`.
fn doubles(index: u32) -> Row {
    let double =
        |cell| if matches!(cell, Value::Decimal(_)) { Value::Float(f64::from(index) / 4.0) } else { cell };
    row(index).into_iter().map(double).collect()
}

/// The same row with an object as its last cell, whose fields become columns.
fn objects(index: u32) -> Row {
    nested(index, format!("{{\"carrier\":\"post\",\"tries\":{}}}", index % 4))
}

/// The same row with a list of objects as its last cell, which follows its row in GCF.
fn lists(index: u32) -> Row {
    let item =
        |item| format!("{{\"article\":{},\"quantity\":{item},\"warehouse\":\"north\"}}", index % 997 + item);
    nested(index, format!("[{}]", (1..=index % 4 + 1).map(item).collect::<Vec<_>>().join(",")))
}

fn nested(index: u32, json: String) -> Row {
    let mut row = doubles(index);
    row.pop();
    row.push(Value::Json(json));
    row
}

fn events(row: fn(u32) -> Row) -> Vec<Result<Event, SourceError>> {
    let column = |name: &str| Column { name: name.to_owned(), kind: ColumnKind::Any };
    let columns = Event::Columns(NAMES.into_iter().map(column).collect());
    let rows = (0..ROWS).map(|index| Event::Row(row(index)));
    std::iter::once(columns).chain(rows).chain([Event::Done(Done::default())]).map(Ok).collect()
}

fn run(events: Vec<Result<Event, SourceError>>, wish: Encoding) -> Encoded {
    let rows = RowStream::new(stream::iter(events).boxed(), CancellationToken::new());
    encode(rows, wish.into(), &Limits::default())
        .now_or_never()
        .expect("a list is always ready")
        .expect("a list has no errors")
}

fn seam(criterion: &mut Criterion) {
    let (events, without_decimals) = (events(row), events(doubles));
    let json = run(events.clone(), Encoding::Json);
    let json_bytes = json.json_bytes();
    let of = |wish| if wish == Encoding::Toon { without_decimals.clone() } else { events.clone() };
    for wish in [Encoding::Table, Encoding::Gcf, Encoding::Gcx, Encoding::Toon] {
        let sent = run(of(wish), wish).encoding();
        assert_eq!(sent, wish, "the guard must let the form through, or JSON is measured twice");
    }
    let sent = run(events.clone(), Encoding::Auto).encoding();
    assert_ne!(sent, Encoding::Json, "auto must find a better form");
    let tree: Vec<serde_json::Value> =
        json.blocks().iter().map(|block| serde_json::from_str(block).expect("valid JSON")).collect();

    let mut group = criterion.benchmark_group(format!("{ROWS} rows x 10 cells, {json_bytes} bytes of JSON"));
    group.throughput(Throughput::BytesDecimal(json_bytes as u64));
    group.bench_function("serde_json::to_string", |bencher| {
        bencher.iter(|| black_box(serde_json::to_string(&tree)));
    });
    for wish in Encoding::ALL {
        group.bench_function(wish.name(), |bencher| {
            bencher.iter_batched(|| of(wish), |events| black_box(run(events, wish)), BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// Nested cells go through a crate one by one, and where they are attached their tokens are counted.
fn seam_with_json(criterion: &mut Criterion) {
    for (name, row) in [("objects", objects as fn(u32) -> Row), ("lists", lists)] {
        let events = events(row);
        let sent = run(events.clone(), Encoding::Gcf);
        assert_eq!(
            sent.encoding(),
            Encoding::Gcf,
            "the guard must let the form through, or JSON is measured twice"
        );
        let mut group = criterion.benchmark_group(format!("{ROWS} rows with {name} in a cell"));
        group.throughput(Throughput::BytesDecimal(sent.json_bytes() as u64)).sample_size(10);
        group.bench_function("gcf", |bencher| {
            bencher.iter_batched(
                || events.clone(),
                |events| black_box(run(events, Encoding::Gcf)),
                BatchSize::PerIteration,
            );
        });
        group.finish();
    }
}

criterion_group!(benches, seam, seam_with_json);
criterion_main!(benches);
