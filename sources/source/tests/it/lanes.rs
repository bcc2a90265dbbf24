//! Pooling, with connections that only count. Time is tokio's own, so nothing here waits in earnest.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, DatabaseError, SourceError,
    lanes::{Bounds, Connector, Lanes},
};

/// What all connections of a test have in common.
#[derive(Default)]
struct Count {
    open: AtomicUsize,
    most: AtomicUsize,
    opened: AtomicUsize,
    checked: AtomicUsize,
    politely: AtomicUsize,
    /// Checks fail.
    broken: AtomicBool,
    /// Connecting fails.
    down: AtomicBool,
}

struct Counting(Arc<Count>);

struct Connection {
    count: Arc<Count>,
    number: usize,
    access: Access,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.count.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Connector for Counting {
    type Connection = Connection;

    async fn connect(&self, access: Access) -> Result<Connection, SourceError> {
        if self.0.down.load(Ordering::SeqCst) {
            return Err(SourceError::Connect(DatabaseError {
                message: "down".to_owned(),
                ..DatabaseError::default()
            }));
        }
        let open = self.0.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.most.fetch_max(open, Ordering::SeqCst);
        let connection = Connection {
            count: self.0.clone(),
            number: self.0.opened.fetch_add(1, Ordering::SeqCst),
            access,
        };
        // Others come in between.
        tokio::task::yield_now().await;
        Ok(connection)
    }

    async fn check(&self, _: &mut Connection) -> Result<(), SourceError> {
        self.0.checked.fetch_add(1, Ordering::SeqCst);
        if self.0.broken.load(Ordering::SeqCst) { Err(SourceError::Cancelled) } else { Ok(()) }
    }

    async fn close(&self, connection: Connection) {
        self.0.politely.fetch_add(1, Ordering::SeqCst);
        drop(connection);
    }
}

fn lanes(max_connections: usize) -> (Lanes<Counting>, Arc<Count>) {
    let count = Arc::new(Count::default());
    let bounds = Bounds::new(max_connections, Duration::from_secs(10));
    (Lanes::new(Counting(count.clone()), bounds).unwrap(), count)
}

fn never() -> CancellationToken {
    CancellationToken::new()
}

async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_came_back_is_used_again_unchecked_within_a_second() {
    let (lanes, count) = lanes(3);
    for _ in 0..5 {
        let lease = lanes.acquire(Access::ReadWrite, &never()).await.unwrap();
        assert_eq!((lease.number, lease.access), (0, Access::ReadWrite));
        lease.give_back();
        tokio::time::advance(Duration::from_millis(900)).await;
    }
    assert_eq!((count.opened.load(Ordering::SeqCst), count.checked.load(Ordering::SeqCst)), (1, 0));
    tokio::time::advance(Duration::from_millis(200)).await;
    lanes.acquire(Access::ReadWrite, &never()).await.unwrap().give_back();
    assert_eq!((count.opened.load(Ordering::SeqCst), count.checked.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_fails_its_check_is_replaced() {
    let (lanes, count) = lanes(1);
    lanes.acquire(Access::ReadOnly, &never()).await.unwrap().give_back();
    count.broken.store(true, Ordering::SeqCst);
    tokio::time::advance(Duration::from_secs(2)).await;
    let lease = lanes.acquire(Access::ReadOnly, &never()).await.unwrap();
    assert_eq!((lease.number, count.open.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_dropped_or_discarded_closes_its_connection() {
    let (lanes, count) = lanes(1);
    drop(lanes.acquire(Access::ReadOnly, &never()).await.unwrap());
    assert_eq!((count.open.load(Ordering::SeqCst), count.politely.load(Ordering::SeqCst)), (0, 0));
    lanes.acquire(Access::ReadOnly, &never()).await.unwrap().discard().await;
    assert_eq!((count.open.load(Ordering::SeqCst), count.politely.load(Ordering::SeqCst)), (0, 1));
    assert_eq!(lanes.acquire(Access::ReadOnly, &never()).await.unwrap().number, 2);
}

#[tokio::test(start_paused = true)]
async fn both_lanes_keep_to_one_bound() {
    let (lanes, count) = lanes(3);
    let mut held = Vec::new();
    for access in [Access::ReadOnly, Access::ReadOnly, Access::ReadWrite] {
        held.push(lanes.acquire(access, &never()).await.unwrap());
    }
    held.drain(..).for_each(toolbox_source::lanes::Lease::give_back);
    assert_eq!(count.open.load(Ordering::SeqCst), 3);
    // Three writers: the idle readers make room.
    for _ in 0..3 {
        held.push(lanes.acquire(Access::ReadWrite, &never()).await.unwrap());
    }
    settle().await;
    assert_eq!((count.open.load(Ordering::SeqCst), count.politely.load(Ordering::SeqCst)), (3, 2));
    assert!(held.iter().all(|lease| lease.access == Access::ReadWrite));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bound_holds_under_load_and_everyone_is_served() {
    let (lanes, count) = lanes(4);
    let call = |number: usize| {
        let lanes = lanes.clone();
        async move {
            let access = if number.is_multiple_of(3) { Access::ReadWrite } else { Access::ReadOnly };
            let lease = lanes.acquire(access, &never()).await.unwrap();
            assert_eq!(lease.access, access);
            tokio::task::yield_now().await;
            if number.is_multiple_of(7) { drop(lease) } else { lease.give_back() }
        }
    };
    let calls = join_all((0..2000).map(|number| tokio::spawn(call(number)))).await;
    assert!(calls.iter().all(Result::is_ok));
    let most = count.most.load(Ordering::SeqCst);
    assert!(most <= 4, "{most} connections at once");
    lanes.close().await;
    tokio::time::timeout(Duration::from_secs(5), async {
        while count.open.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test(start_paused = true)]
async fn waiting_is_fair_bounded_and_says_how_many_there_are() {
    let (lanes, _) = lanes(1);
    let held = lanes.acquire(Access::ReadOnly, &never()).await.unwrap();
    let error = lanes.acquire(Access::ReadWrite, &never()).await.unwrap_err();
    assert_eq!(error, SourceError::Busy { connections: 1, waited: Duration::from_secs(10) });
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut tasks = Vec::new();
    for number in 0..5 {
        let (lanes, order) = (lanes.clone(), order.clone());
        tasks.push(tokio::spawn(async move {
            let access = if number % 2 == 0 { Access::ReadWrite } else { Access::ReadOnly };
            let lease = lanes.acquire(access, &never()).await.unwrap();
            order.lock().unwrap().push(number);
            lease.give_back();
        }));
        settle().await;
    }
    held.give_back();
    join_all(tasks).await;
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_wait_ends_and_takes_nothing() {
    let (lanes, _) = lanes(1);
    let held = lanes.acquire(Access::ReadOnly, &never()).await.unwrap();
    let cancel = never();
    let (waited, ()) = tokio::join!(lanes.acquire(Access::ReadOnly, &cancel), async { cancel.cancel() });
    assert_eq!(waited.unwrap_err(), SourceError::Cancelled);
    held.give_back();
    assert_eq!(lanes.acquire(Access::ReadOnly, &cancel).await.unwrap_err(), SourceError::Cancelled);
    lanes.acquire(Access::ReadOnly, &never()).await.unwrap().give_back();
}

#[tokio::test(start_paused = true)]
async fn an_error_of_connecting_is_the_callers_and_leaves_room() {
    let (lanes, count) = lanes(1);
    count.down.store(true, Ordering::SeqCst);
    for _ in 0..100 {
        assert!(matches!(lanes.acquire(Access::ReadOnly, &never()).await, Err(SourceError::Connect(_))));
    }
    count.down.store(false, Ordering::SeqCst);
    lanes.acquire(Access::ReadOnly, &never()).await.unwrap().give_back();
}

#[tokio::test(start_paused = true)]
async fn connections_are_closed_when_they_are_idle_or_old() {
    let (lanes, count) = lanes(2);
    lanes.acquire(Access::ReadOnly, &never()).await.unwrap().give_back();
    settle().await;
    // Nobody asks for it; the sweep closes it.
    for _ in 0..4 {
        tokio::time::advance(Duration::from_mins(5)).await;
        settle().await;
    }
    assert_eq!((count.open.load(Ordering::SeqCst), count.politely.load(Ordering::SeqCst)), (0, 1));
    let begun = tokio::time::Instant::now();
    while begun.elapsed() < Duration::from_hours(1) {
        lanes.acquire(Access::ReadOnly, &never()).await.unwrap().give_back();
        assert_eq!(count.opened.load(Ordering::SeqCst), 2);
        tokio::time::advance(Duration::from_mins(4)).await;
    }
    tokio::time::advance(Duration::from_mins(1)).await;
    lanes.acquire(Access::ReadOnly, &never()).await.unwrap().give_back();
    assert_eq!(count.opened.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn closing_waits_for_leases_and_refuses_calls() {
    let (lanes, count) = lanes(2);
    let held = lanes.acquire(Access::ReadWrite, &never()).await.unwrap();
    lanes.acquire(Access::ReadOnly, &never()).await.unwrap().give_back();
    let closing = tokio::spawn({
        let lanes = lanes.clone();
        async move { lanes.close().await }
    });
    settle().await;
    assert!(lanes.closed().is_cancelled() && !closing.is_finished());
    assert_eq!(lanes.acquire(Access::ReadOnly, &never()).await.unwrap_err(), SourceError::Cancelled);
    held.give_back();
    closing.await.unwrap();
    assert_eq!((count.open.load(Ordering::SeqCst), count.politely.load(Ordering::SeqCst)), (0, 2));
}
