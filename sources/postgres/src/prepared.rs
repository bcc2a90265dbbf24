//! What a connection knows of the statements that it has prepared.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use sqlx::postgres::PgTypeInfo;
use tokio::time::Instant;
use toolbox_source::{Column, Declared};

use crate::{kind::Kind, places::Shift, told::Told};

/// Statements of one connection. When there are more, all are forgotten.
const MOST: usize = 100;

/// One prepared statement.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The text that runs: the caller's own, or one around it that lets the server render some columns.
    pub(crate) text: Arc<str>,
    /// How it moves places in the caller's own.
    pub(crate) shift: Shift,
    /// Its columns, in order; none if it answers without rows.
    pub(crate) columns: Arc<[Column]>,
    /// How the cells of each column are read.
    pub(crate) kinds: Arc<[Kind]>,
    /// When its columns were learned, if the text that runs lists them: it does not follow a table that gets others.
    pub(crate) listed: Option<Instant>,
    /// Whether one more column says that row types still have the fields that they had.
    pub(crate) checks: bool,
    /// How the rows are rendered after the statement; then `kinds` are bytes as they came.
    pub(crate) rendering: Option<Arc<Rendering>>,
    /// How it runs in the protocol without parameters.
    pub(crate) plain: Option<Arc<Plain>>,
    /// Its parameters, in order.
    pub(crate) parameters: Arc<[Parameter]>,
    /// What the server was told of the types of its parameters. Empty if it could
    /// infer all of them.
    pub(crate) told: Arc<[Told]>,
    /// How it is made sure that these are still their types, for arguments that a cast could change.
    pub(crate) guard: Guard,
    /// When the server last said that these are their types.
    pub(crate) verified: Instant,
}

/// What is known of the guarded text of a statement.
#[derive(Clone, Debug)]
pub(crate) enum Guard {
    /// Nobody has asked for it.
    Unmade,
    /// There is one.
    Made(Arc<Guarded>),
    /// There can be none.
    Impossible,
}

/// A statement that fails before it writes, if the types of some parameters may have changed.
#[derive(Debug)]
pub(crate) struct Guarded {
    /// These parameters, from 0.
    pub(crate) parameters: BTreeSet<usize>,
    pub(crate) text: Arc<str>,
    pub(crate) shift: Shift,
}

/// A statement of the protocol without parameters: the names of types, for casts.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) parameters: Vec<String>,
    pub(crate) columns: Vec<String>,
}

/// A query that renders a row whose cells are its parameters.
#[derive(Debug)]
pub(crate) struct Rendering {
    pub(crate) text: Arc<str>,
    /// The types of the cells.
    pub(crate) types: Vec<PgTypeInfo>,
    /// How the rendered cells are read.
    pub(crate) kinds: Vec<Kind>,
}

/// A parameter, with the type that the server inferred.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// The type in which its argument is sent.
    pub(crate) of: PgTypeInfo,
    /// The number of the inferred type.
    pub(crate) number: u32,
    pub(crate) kind: Kind,
    /// The name of the inferred type in a cast.
    pub(crate) name: Arc<str>,
    /// Whether the statement that runs takes a text and casts it.
    pub(crate) is_cast: bool,
}

/// The statements of one connection, by their texts. A text has several if its parameters are declared in several ways.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    known: HashMap<Arc<str>, Vec<Variant>>,
    count: usize,
}

/// A statement for what its parameters are declared to hold; for any declaration if it has none.
#[derive(Debug)]
struct Variant {
    declared: Option<Arc<[Declared]>>,
    prepared: Prepared,
}

impl Statements {
    pub(crate) fn get(&self, text: &str, declared: &[Declared]) -> Option<Prepared> {
        let mut variants = self.known.get(text)?.iter();
        let fits = |variant: &&Variant| variant.declared.as_ref().is_none_or(|of| **of == *declared);
        variants.find(fits).map(|variant| variant.prepared.clone())
    }

    /// For how many declarations a text is known.
    pub(crate) fn variants(&self, text: &str) -> usize {
        self.known.get(text).map_or(0, Vec::len)
    }

    pub(crate) fn are_many(&self) -> bool {
        self.count >= MOST
    }

    pub(crate) fn insert(&mut self, text: &Arc<str>, declared: &Arc<[Declared]>, prepared: Prepared) {
        let declared = if prepared.parameters.is_empty() { None } else { Some(declared.clone()) };
        let variants = self.known.entry(text.clone()).or_default();
        if let Some(variant) = variants.iter_mut().find(|variant| variant.declared == declared) {
            variant.prepared = prepared;
        } else {
            variants.push(Variant { declared, prepared });
            self.count += 1;
        }
    }

    /// Puts what is known of its guard to a statement whose types the server has just been asked for. A guarded text is one
    /// more statement.
    pub(crate) fn guard(&mut self, text: &str, declared: &[Declared], guard: &Guard) {
        if let Some(prepared) = self.get_mut(text, declared) {
            prepared.guard = guard.clone();
            prepared.verified = Instant::now();
            self.count += usize::from(matches!(guard, Guard::Made(_)));
        }
    }

    /// Notes that the server has just been asked for the types of a statement.
    pub(crate) fn verify(&mut self, text: &str, declared: &[Declared]) {
        if let Some(prepared) = self.get_mut(text, declared) {
            prepared.verified = Instant::now();
        }
    }

    fn get_mut(&mut self, text: &str, declared: &[Declared]) -> Option<&mut Prepared> {
        let mut variants = self.known.get_mut(text)?.iter_mut();
        let fits = |variant: &&mut Variant| variant.declared.as_ref().is_none_or(|of| **of == *declared);
        variants.find(fits).map(|variant| &mut variant.prepared)
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.count = 0;
    }
}
