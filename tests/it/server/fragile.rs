//! A source, served in-process, that misbehaves as no database would.

use std::sync::Arc;

use futures::{
    StreamExt,
    future::{BoxFuture, FutureExt, ready},
    stream,
};
use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;
use toolbox::{
    catalog::Catalog,
    config::Annotations,
    seam::{Encoding, NumberFormat},
    server::Shared,
    tool::{Action, Form, Tool},
};
use toolbox_source::{
    Access, Column, ColumnKind, Done, Event, Limits, Query, RowStream, Source, SourceError, Value,
};

/// Characters of the text that the statement `long` gives.
pub(crate) const LONG: usize = 1 << 20;

/// A source that does what the statement says.
#[derive(Debug)]
struct Fragile;

impl Source for Fragile {
    fn query(&self, query: Query) -> BoxFuture<'_, Result<RowStream, SourceError>> {
        let statement = query.statement.to_string();
        assert_ne!(statement, "panic at once", "as a defect would");
        async move {
            assert_ne!(statement, "panic later", "as a defect would");
            let columns: Arc<[Column]> = [Column { name: "n".to_owned(), kind: ColumnKind::Any }].into();
            let cell = if statement == "long" { Value::Text("x".repeat(LONG)) } else { Value::Int(1) };
            let rows = [Ok(Event::Columns(columns)), Ok(Event::Row(vec![cell]))];
            let end = stream::once(async move {
                assert_ne!(statement, "panic in the rows", "as a defect would");
                Ok(Event::Done(Done::default()))
            });
            Ok(RowStream::new(stream::iter(rows).chain(end).boxed(), CancellationToken::new()))
        }
        .boxed()
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), SourceError>> {
        ready(Ok(())).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

/// A server whose only tool, `run`, runs statements on it.
pub(crate) fn shared() -> Arc<Shared> {
    let source: Arc<dyn Source> = Arc::new(Fragile);
    let tool = Tool::new(
        ("run".to_owned(), "Runs.".to_owned(), Annotations::default()),
        Action::ExecuteSql,
        Form::default(),
        source.clone(),
        (Access::ReadOnly, Limits::default()),
    );
    let sources = IndexMap::from([("fragile".to_owned(), source)]);
    Arc::new(Shared::new(Catalog::new(sources, [tool], []), Encoding::Json, NumberFormat::Digits))
}
