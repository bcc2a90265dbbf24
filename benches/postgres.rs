//! What 10,000 rows of 10 mixed cells cost from PostgreSQL to JSON, beside the same query read with plain sqlx into typed
//! Rust values: wall time, and CPU time of this process, in which the goal is at most 1.3 times.
//!
//! `TOOLBOX_TEST_POSTGRES_URL=postgres://… cargo bench --bench postgres`. The typed reading stops at the values: it makes no
//! text of them.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark stops where what it measures fails, and says what it measured"
)]

use std::{
    fs,
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::TryStreamExt as _;
use sqlx::{
    ConnectOptions as _, Connection as _, Row as _,
    postgres::{PgConnectOptions, PgConnection},
    types::{
        Decimal, Uuid,
        chrono::{DateTime, Utc},
    },
};
use tokio_util::sync::CancellationToken;
use toolbox::seam::{Encoding, encode};
use toolbox_postgres::{Options, Postgres};
use toolbox_source::{Access, Limits, Origin, Query, Source as _};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Where the server is.
const URL: &str = "TOOLBOX_TEST_POSTGRES_URL";

const ROWS: usize = 10_000;
const RUNS: u32 = 60;

/// An order listing: ids above 2^53, repeated words, money, ratios, timestamps, nulls, uuids and a little JSON.
const QUERY: &str = "\
SELECT 7960607143101464576 + n AS id, 'Customer ' || n % 5000 AS customer,
  CASE WHEN n % 7 = 0 THEN 'cancelled' ELSE 'delivered' END AS status, n % 12 AS quantity,
  (n % 997 + (n % 100) / 100.0)::numeric(10, 2) AS amount, CASE WHEN n % 3 > 0 THEN (n % 89) / 89.0::float8 END AS discount,
  n % 2 = 0 AS paid, timestamptz '2026-01-01 00:00:00+00' + n * interval '1 hour 15 minutes 0.5 seconds' AS created_at,
  md5(n::text)::uuid AS token, CASE WHEN n % 5 = 0 THEN jsonb_build_object('note', 'left at the door', 'n', n) END AS extra
FROM generate_series(1, 10000) AS n";

/// What a program that knows the types reads a row into.
type Typed = (
    i64,
    String,
    String,
    i32,
    Decimal,
    Option<f64>,
    bool,
    DateTime<Utc>,
    Uuid,
    Option<sqlx::types::JsonValue>,
);

async fn with_sqlx(connection: &mut PgConnection) -> usize {
    let mut rows = sqlx::query(QUERY).fetch(connection);
    let mut count = 0;
    while let Some(row) = rows.try_next().await.expect("the query runs") {
        let typed: Typed = (
            row.get(0),
            row.get(1),
            row.get(2),
            row.get(3),
            row.get(4),
            row.get(5),
            row.get(6),
            row.get(7),
            row.get(8),
            row.get(9),
        );
        black_box(typed);
        count += 1;
    }
    count
}

async fn with_toolbox(source: &Postgres) -> usize {
    let query = Query {
        statement: Arc::from(QUERY),
        arguments: Vec::new(),
        declared: Arc::from([]),
        access: Access::ReadOnly,
        origin: Origin::Configured,
        limits: Limits::default(),
        cancel: CancellationToken::new(),
    };
    let rows = source.query(query).await.expect("the query runs");
    let encoded = encode(rows, Encoding::Json.into(), &Limits::default()).await.expect("the rows come");
    encoded.into_blocks().len()
}

/// The CPU time of this process so far; zero where the system does not say it.
fn cpu() -> Duration {
    let Ok(stat) = fs::read_to_string("/proc/self/schedstat") else { return Duration::ZERO };
    let own = stat.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()).unwrap_or(0);
    Duration::from_nanos(own)
}

struct Cost {
    wall: Vec<Duration>,
    cpu: Vec<Duration>,
}

impl Cost {
    fn median(times: &mut [Duration]) -> Duration {
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    fn print(mut self, name: &str) -> Duration {
        let (wall, cpu) = (Self::median(&mut self.wall), Self::median(&mut self.cpu));
        println!(
            "{name}: wall {wall:.2?}, CPU {cpu:.2?}, {:.0?} a row",
            cpu / u32::try_from(ROWS).unwrap_or(1)
        );
        cpu
    }
}

// One thread, so that its CPU time is all of it.
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let Ok(url) = std::env::var(URL) else {
        println!("skipped: {URL} names no PostgreSQL");
        return;
    };
    let options: PgConnectOptions = url.parse().expect("a URL of PostgreSQL");
    let (user, password) = url
        .split_once("://")
        .and_then(|(_, rest)| rest.rsplit_once('@'))
        .and_then(|(credentials, _)| credentials.split_once(':'))
        .expect("a URL with a user and a password");
    let source = Postgres::open(
        "bench",
        Options {
            host: options.get_host().to_owned(),
            port: options.get_port(),
            database: options.get_database().unwrap_or("postgres").to_owned(),
            user: user.to_owned(),
            password: password.into(),
            query_params: Vec::new(),
            connect_timeout: None,
            statement_timeout: None,
            migrations: None,
            read_only: true,
            max_connections: 1,
            acquire_timeout: Duration::from_secs(10),
        },
    )
    .expect("options that are right");
    let mut connection = options.disable_statement_logging().connect().await.expect("a server");
    let mut costs = [Cost { wall: Vec::new(), cpu: Vec::new() }, Cost { wall: Vec::new(), cpu: Vec::new() }];
    // In turns, so that both see the same machine.
    for _ in 0..RUNS {
        for (index, cost) in costs.iter_mut().enumerate() {
            let (begun, before) = (Instant::now(), cpu());
            let rows =
                if index == 0 { with_sqlx(&mut connection).await } else { with_toolbox(&source).await };
            assert_eq!(rows, ROWS, "both read all rows");
            cost.wall.push(begun.elapsed());
            cost.cpu.push(cpu().saturating_sub(before));
        }
    }
    let [plain, toolbox] = costs;
    let plain = plain.print("plain sqlx, typed values");
    let toolbox = toolbox.print("toolbox, JSON");
    println!("CPU of the toolbox / of plain sqlx: {:.2}", toolbox.as_secs_f64() / plain.as_secs_f64());
    source.close().await;
    connection.close().await.expect("a clean end");
}
