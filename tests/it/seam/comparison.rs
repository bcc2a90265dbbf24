//! What the comparison says of each form is what the seam sends, and its reasons are true.

use proptest::prelude::*;
use toolbox::seam::{Comparison, NumberFormat, Refusal, compare};

use super::{random, *};

fn comparison(events: Events) -> Comparison {
    let rows = RowStream::new(stream::iter(events).boxed(), CancellationToken::new());
    compare(rows, "rows", NumberFormat::Digits, &Limits::default())
        .now_or_never()
        .expect("a list of events is always ready")
        .expect("the source reports no error")
}

fn refusal(comparison: &Comparison, wish: Encoding) -> Option<Refusal> {
    let candidate = comparison.candidates.iter().find(|candidate| candidate.encoding == wish);
    candidate.expect("every form is compared").refusal.clone()
}

/// Every form is compared as the seam decides.
fn agrees(events: &Events) -> Comparison {
    let comparison = comparison(events.clone());
    let sent = |wish| encode(events.clone(), wish, &Limits::default()).expect("no error");
    assert_eq!(comparison.candidates.len(), Encoding::ALL.len() - 1);
    for candidate in &comparison.candidates {
        let sent = sent(candidate.encoding);
        if candidate.refusal.is_none() {
            assert_eq!(sent.encoding(), candidate.encoding);
            assert_eq!(candidate.sum(str::len), Some(sent.bytes()));
            assert_eq!(candidate.sum(|_| 1), Some(sent.blocks().len()));
        } else {
            assert_eq!(sent.encoding(), Encoding::Json, "{:?}", candidate.refusal);
        }
    }
    assert_eq!(sent(Encoding::Auto).encoding(), comparison.auto);
    comparison
}

fn numbered(count: i64, cell: &Value) -> Vec<Row> {
    (0..count).map(|index| vec![Value::Int(index), cell.clone()]).collect()
}

#[test]
fn a_table_that_all_forms_hold_has_no_refusal_and_a_floor_of_its_cells() {
    let rows = (0..20).map(|index| vec![Value::Int(index), text("the same words"), Value::Null]).collect();
    let comparison = agrees(&table(&["number", "words", "nothing"], rows));
    assert!(comparison.candidates.iter().all(|candidate| candidate.refusal.is_none()));
    assert_eq!((comparison.rows, comparison.columns), (20, 3));
    // A number, a tab, the words, a tab and a line break in each row.
    let floor: usize = (0..20).map(|index: i32| index.to_string().len() + "\tthe same words\t\n".len()).sum();
    assert_eq!(comparison.floor(str::len), floor);
}

#[test]
fn names_and_cells_that_a_form_cannot_say_are_named() {
    let comparison = agrees(&table(&["id", "a b"], numbered(20, &text("some words"))));
    assert_eq!(refusal(&comparison, Encoding::Gcx), Some(Refusal::Name("a b".to_owned())));
    assert_eq!(refusal(&comparison, Encoding::Gcf), None);

    let comparison = agrees(&table(&["id", "photo"], numbered(20, &Value::Bytes(vec![1; 30]))));
    for wish in [Encoding::Gcf, Encoding::Gcx, Encoding::Toon] {
        let expected = Refusal::Cell { column: "photo".to_owned(), kind: "bytes" };
        assert_eq!(refusal(&comparison, wish), Some(expected), "{wish}");
    }
    assert_eq!(refusal(&comparison, Encoding::Table), None);
}

#[test]
fn small_results_and_results_without_rows_say_so() {
    let comparison = agrees(&table(&["count"], vec![vec![Value::Int(5)]]));
    assert_eq!(refusal(&comparison, Encoding::Gcx), Some(Refusal::NotSmaller));
    let comparison = agrees(&table(&["count"], Vec::new()));
    assert_eq!(refusal(&comparison, Encoding::Gcf), Some(Refusal::NoRows));
    let comparison = agrees(&vec![Ok(Event::Done(changed(3)))]);
    assert_eq!(refusal(&comparison, Encoding::Gcx), Some(Refusal::NoRows));
}

#[test]
fn several_result_sets_are_held_by_some_forms() {
    let comparison = agrees(&several(30));
    assert_eq!(refusal(&comparison, Encoding::Gcx), None);
    for wish in [Encoding::Gcf, Encoding::Toon] {
        assert_eq!(refusal(&comparison, wish), Some(Refusal::SeveralResults));
    }
}

#[test]
fn a_form_that_costs_more_tokens_says_so() {
    // Smaller in bytes, and more tokens: the counterexample of the research about GCF.
    let comparison = agrees(&table(&["status"], vec![vec![text("x")]; 3]));
    assert_eq!(refusal(&comparison, Encoding::Gcf), Some(Refusal::MoreTokens));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_result_is_compared_as_it_is_sent((names, rows) in random::any_result()) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        agrees(&table(&names, rows));
    }
}
