//! How columns with nested cells are written, which depends on all of their cells (specification 3.6, sections 7.4.4 to 7.4.7).

use indexmap::IndexSet;
use serde_json::{Map, Value as Json};
use toolbox_source::Value;

use super::{super::text, constants};
use crate::seam::{
    answer::Table,
    shape::{self, Fit, Shape},
    tree::{self, Cell},
};

/// Objects of fewer fields than this are attached with their names.
const LEAST_LINE: usize = 3;

/// How a column is written.
pub(super) enum Column {
    /// Once, in the declaration.
    Constant,
    /// As a column for each scalar of its objects.
    Flat(Shape),
    /// As a cell a row. What is nested follows the row.
    Cells(Attached),
}

/// How the nested cells of a column follow their rows.
pub(super) enum Attached {
    /// Each with its own names.
    Alone,
    /// As a line of scalars, named in the first row.
    Line(Vec<String>),
    /// As a list of objects, whose columns are named in the first row.
    Table(Vec<String>),
}

/// How the columns of a table are written. None where a cell cannot be opened.
pub(super) fn of(table: &Table) -> Option<Vec<Column>> {
    let mut surveys: Vec<Survey> = table.names.iter().map(|name| Survey::of(name)).collect();
    for row in &table.rows {
        for (survey, cell) in surveys.iter_mut().zip(row) {
            match tree::opened(cell)? {
                Cell::Scalar(value) => survey.scalar(matches!(*value, Value::Null)),
                Cell::Nested(tree) => survey.nested(&tree),
            }
            survey.is_first = false;
        }
    }
    let mut columns: Vec<Column> = surveys.into_iter().map(Survey::column).collect();
    for index in constants(table) {
        *columns.get_mut(index)? = Column::Constant;
    }
    Some(columns)
}

/// The names of the columns that the scalars of an object become, as they are written.
pub(super) fn paths(name: &str, shape: &Shape) -> Vec<String> {
    let mut paths = Vec::new();
    for (field, nested) in shape.fields() {
        let path = format!("{name}>{field}");
        match nested {
            Some(nested) => paths.extend(self::paths(&path, nested)),
            None => paths.push(path),
        }
    }
    paths
}

/// Names as they are written in a declaration.
pub(super) fn keys(names: &[String]) -> Vec<String> {
    let key = |name: &String| {
        let mut key = String::new();
        text::write_name(&mut key, name);
        key
    };
    names.iter().map(key).collect()
}

/// What holds of all cells so far.
enum Guess<T> {
    /// Nothing was seen that tells.
    Open,
    Is(T),
    Not,
}

/// What was seen of a column.
struct Survey {
    is_first: bool,
    /// The shape of its objects, while they have one.
    flat: Guess<Shape>,
    /// The fields of its objects of scalars, while they are the same.
    line: Guess<Vec<String>>,
    /// The columns of its lists of objects of scalars, while they are the same.
    table: Guess<Vec<String>>,
}

impl Survey {
    fn of(name: &str) -> Self {
        // What begins with `>` would be no path.
        let flat = if name.is_empty() { Guess::Not } else { Guess::Open };
        Self { is_first: true, flat, line: Guess::Open, table: Guess::Open }
    }

    /// A scalar makes the column one of cells, and a null nothing beyond the first row, which has the names.
    fn scalar(&mut self, is_null: bool) {
        if !is_null {
            self.flat = Guess::Not;
        }
        if !is_null || self.is_first {
            self.line = Guess::Not;
            self.table = Guess::Not;
        }
    }

    fn nested(&mut self, tree: &Json) {
        let object = tree.as_object();
        self.flat = match (std::mem::replace(&mut self.flat, Guess::Not), object) {
            (Guess::Open, Some(object)) => {
                let shape = Shape::of(object).filter(|shape| shape.all_names(is_step) && tells_null(object));
                shape.map_or(Guess::Not, Guess::Is)
            }
            (Guess::Is(shape), Some(object)) if shape.fit(object) == Fit::Same && tells_null(object) => {
                Guess::Is(shape)
            }
            _ => Guess::Not,
        };
        self.line.see(object.and_then(fields));
        self.table.see(tree.as_array().and_then(|items| columns(items)));
    }

    fn column(self) -> Column {
        match (self.flat, self.line, self.table) {
            (Guess::Is(shape), _, _) => Column::Flat(shape),
            (_, Guess::Is(names), _) if names.len() >= LEAST_LINE => Column::Cells(Attached::Line(names)),
            (_, _, Guess::Is(names)) => Column::Cells(Attached::Table(names)),
            _ => Column::Cells(Attached::Alone),
        }
    }
}

impl Guess<Vec<String>> {
    fn see(&mut self, found: Option<Vec<String>>) {
        let same = match (&*self, &found) {
            (Self::Open, Some(_)) => true,
            (Self::Is(names), Some(found)) => names == found,
            _ => false,
        };
        *self = found.filter(|_| same).map_or(Self::Not, Self::Is);
    }
}

/// Whether a name can be a step of a path.
fn is_step(name: &str) -> bool {
    !name.is_empty() && !name.contains('>')
}

/// Whether an object is told from a null by its scalars.
fn tells_null(object: &Map<String, Json>) -> bool {
    shape::leaves(object, &mut |leaf| leaf.is_null().then_some(())).is_none()
}

/// The names of an object of scalars.
fn fields(object: &Map<String, Json>) -> Option<Vec<String>> {
    let all_scalars = object.values().all(|value| !value.is_array() && !value.is_object());
    (all_scalars && !object.is_empty()).then(|| object.keys().cloned().collect())
}

/// All names of a list of objects of scalars, in the order of their first appearance.
fn columns(items: &[Json]) -> Option<Vec<String>> {
    let mut names = IndexSet::new();
    for item in items {
        let item = item.as_object()?;
        if item.values().any(|value| value.is_array() || value.is_object()) {
            return None;
        }
        names.extend(item.keys());
    }
    (!names.is_empty()).then(|| names.into_iter().cloned().collect())
}
