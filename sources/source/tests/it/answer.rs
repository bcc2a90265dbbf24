//! The road from the task of a call to its reader.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolbox_source::{
    DatabaseError, Done, Event, RowStream, SourceError, Value,
    answer::{Events, answer},
    ready::Ready,
};

fn error(message: &str) -> SourceError {
    SourceError::Database(DatabaseError::new(message))
}

fn row(number: i64) -> Event {
    Event::Row(vec![Value::Int(number)])
}

async fn start<T>(task: impl FnOnce(Events) -> T) -> Result<RowStream, SourceError>
where
    T: Future<Output = ()> + Send + 'static,
{
    answer(CancellationToken::new(), task).await
}

async fn all(mut stream: RowStream) -> Vec<Result<Event, SourceError>> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    events
}

#[tokio::test]
async fn everything_arrives_in_order_and_the_last_word_ends_it() {
    let stream = start(|events| async move {
        let _ = events.send(Event::Columns([].into())).await;
        for number in 0..40 {
            let _ = events.send(row(number)).await;
        }
        let _ = events.send_rows(Vec::new()).await;
        let _ = events.send_rows((40..100).map(|number| vec![Value::Int(number)]).collect()).await;
        let _ = events.send(Event::Done(Done::default())).await;
        events.finish(Ok(Done { rows_affected: Some(7), last_insert_id: None })).await;
        // What a task does after its last word delays nobody.
        std::future::pending::<()>().await;
    });
    let events = all(stream.await.expect("an answer")).await;
    assert_eq!(events.len(), 103);
    assert!(
        events.iter().skip(1).take(100).eq((0..100).map(|number| Ok(row(number))).collect::<Vec<_>>().iter())
    );
    assert_eq!(events[102], Ok(Event::Done(Done { rows_affected: Some(7), last_insert_id: None })));
}

#[tokio::test]
async fn an_error_before_the_first_event_is_no_stream() {
    let outcome = start(|events| async move { events.finish(Err(error("no such table"))).await }).await;
    assert_eq!(outcome.map(|_| ()), Err(error("no such table")));
}

#[tokio::test]
async fn a_task_that_panics_ends_its_answer_with_an_error() {
    let stream = start(|events| async move {
        let _ = events.send(row(1)).await;
        let _ = events.send(Event::Done(Done::default())).await;
        panic!("as a defect would");
    });
    let events = all(stream.await.expect("an answer")).await;
    assert_eq!(events.len(), 3);
    assert!(
        matches!(&events[2], Err(SourceError::Database(said)) if said.message.contains("defect")),
        "{events:?}"
    );
    let silent = start(|_events| async { panic!("as a defect would") }).await;
    assert!(matches!(silent, Err(SourceError::Database(_))));
}

#[tokio::test(start_paused = true)]
async fn a_task_learns_the_first_reason_to_stop() {
    let never = CancellationToken::new();
    let set = CancellationToken::new();
    set.cancel();
    let limit = Duration::from_secs(30);
    for (cancel, closed, timeout, expected) in [
        (&set, &never, None, SourceError::Cancelled),
        (&never, &set, Some(limit), SourceError::Cancelled),
        (&never, &never, Some(limit), SourceError::Timeout(limit)),
    ] {
        let (cancel, closed) = (cancel.clone(), closed.clone());
        let outcome = start(|events| async move {
            let reason = events.halted(&cancel, &closed, timeout).await;
            events.finish(Err(reason)).await;
        });
        assert_eq!(outcome.await.map(|_| ()), Err(expected));
    }
    let (tell, told) = tokio::sync::oneshot::channel();
    let stream = start(|events| async move {
        let _ = events.send(row(1)).await;
        let reason = events.halted(&CancellationToken::new(), &CancellationToken::new(), None).await;
        let _ = tell.send((reason, events.send(row(2)).await));
    });
    drop(stream.await.expect("an answer"));
    assert_eq!(told.await, Ok((SourceError::Cancelled, Err(SourceError::Cancelled))));
}

#[tokio::test]
async fn work_is_done_once_goes_on_without_its_caller_and_is_tried_again_after_a_failure() {
    let ready = Ready::default();
    let never = CancellationToken::new();
    let failed = ready.ensure(&never, || async { Err(error("not yet")) }).await;
    assert_eq!(failed, Err(error("not yet")));

    let (go, may_go) = tokio::sync::oneshot::channel::<()>();
    let (end, ended) = tokio::sync::oneshot::channel();
    let set = CancellationToken::new();
    set.cancel();
    let work = move || async move {
        may_go.await.expect("a start");
        let _ = end.send(());
        Ok(())
    };
    assert_eq!(ready.ensure(&set, work).await, Err(SourceError::Cancelled));
    go.send(()).expect("the work waits");
    ended.await.expect("the work went on");
    let again = ready.ensure(&never, || async { panic!("a second time") }).await;
    assert_eq!(again, Ok(()));
}
