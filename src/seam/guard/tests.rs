//! Forms that lie, fail and panic: the guard must send none of what they write.

use toolbox_source::Value;

use super::*;
use crate::seam::{
    answer::{Kept, Part, Table},
    form::candidates,
    json::Keys,
};

/// GCF, or another true form, whose writer has a fault.
struct Faulty<F> {
    form: &'static dyn Form,
    fault: F,
}

impl<F: Fn(String) -> Option<String> + Sync + std::panic::RefUnwindSafe> Form for Faulty<F> {
    fn encoding(&self) -> Encoding {
        self.form.encoding()
    }

    fn admits_several(&self) -> bool {
        self.form.admits_several()
    }

    fn admits_names(&self, names: &[String]) -> bool {
        self.form.admits_names(names)
    }

    fn admits_row(&self, row: &[Value]) -> bool {
        self.form.admits_row(row)
    }

    fn write(&self, answer: &Answer<'_>, _: usize) -> Option<String> {
        (self.fault)(self.form.write(answer, usize::MAX)?)
    }

    fn reads_back(&self, text: &str, answer: &Answer<'_>) -> bool {
        self.form.reads_back(text, answer)
    }

    fn margin(&self, text: &str) -> Option<usize> {
        self.form.margin(text)
    }

    fn notice_follows(&self, truncated: &Truncated) -> bool {
        self.form.notice_follows(truncated)
    }
}

/// Result sets as they are kept.
fn kept(tables: Vec<(&[&str], Vec<Vec<Value>>)>) -> Kept {
    let table = |(names, rows): (&[&str], _)| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Table { part: Part::Whole, keys: Keys::new(&names), names, rows }
    };
    Kept { tables: tables.into_iter().map(table).collect(), nested: false }
}

/// Thirty rows `{"id":…,"name":"instance …"}`, large enough for every form to win.
fn listing() -> Kept {
    let row = |id| vec![Value::Int(id), Value::Text(format!("instance {id}"))];
    kept(vec![(&["id", "name"], (0..30).map(row).collect())])
}

fn answer<'a>(kept: &'a Kept, truncated: Option<&'a Truncated>) -> Answer<'a> {
    let answer = Answer { kept, tool: "list", truncated, json_bytes: 0 };
    Answer { json_bytes: answer.json_blocks().map(|block| block.len()).sum(), ..answer }
}

fn form(wish: Encoding) -> &'static dyn Form {
    candidates(wish).into_iter().next().expect("a form")
}

/// What the guard makes of a form whose text was changed.
fn changed(wish: Encoding, answer: &Answer<'_>, from: &str, to: &str) -> Option<Vec<String>> {
    let fault = |text: String| {
        assert!(text.contains(from), "{from:?} is not in {text}");
        Some(text.replacen(from, to, 1))
    };
    judged(&Faulty { form: form(wish), fault }, answer)
}

const GUARDED: [Encoding; 3] = [Encoding::Gcf, Encoding::Gcx, Encoding::Toon];

#[test]
fn honest_forms_pass() {
    let kept = listing();
    for wish in [Encoding::Table, Encoding::Gcf, Encoding::Gcx, Encoding::Toon] {
        let blocks = judged(form(wish), &answer(&kept, None));
        assert!(blocks.is_some_and(|blocks| blocks[0].contains("instance 29")), "{wish}");
    }
}

#[test]
fn a_panic_in_any_step_means_json() {
    struct Panics(&'static str);

    impl Panics {
        fn at(&self, step: &str) {
            assert!(self.0 != step, "a form with a fault");
        }
    }

    impl Form for Panics {
        fn encoding(&self) -> Encoding {
            Encoding::Gcf
        }

        fn admits_several(&self) -> bool {
            true
        }

        fn admits_names(&self, _: &[String]) -> bool {
            true
        }

        fn admits_row(&self, _: &[Value]) -> bool {
            true
        }

        fn write(&self, _: &Answer<'_>, _: usize) -> Option<String> {
            self.at("write");
            Some(String::new())
        }

        fn reads_back(&self, _: &str, _: &Answer<'_>) -> bool {
            self.at("reads_back");
            true
        }

        fn margin(&self, _: &str) -> Option<usize> {
            self.at("margin");
            Some(1)
        }
    }

    let kept = listing();
    assert!(judged(&Panics("none"), &answer(&kept, None)).is_some());
    for step in ["write", "reads_back", "margin"] {
        assert_eq!(judged(&Panics(step), &answer(&kept, None)), None, "{step}");
    }
    assert_eq!(pick(Encoding::Auto, &answer(&kept, None), &[&Panics("write")]), None);
}

#[test]
fn a_writer_that_gives_up_means_json() {
    let kept = listing();
    for wish in GUARDED {
        let gives_up = Faulty { form: form(wish), fault: |_| None };
        assert_eq!(judged(&gives_up, &answer(&kept, None)), None);
    }
}

#[test]
fn one_wrong_cell_means_json() {
    let kept = listing();
    let answer = answer(&kept, None);
    for (wish, right, wrong) in [
        (
            Encoding::Gcf,
            "29|instance 29\n",
            &[
                "28|instance 29\n",
                "29.5|instance 29\n",
                "29|instance  29\n",
                "29|-\n",
                "",
                "29|instance 29\n30|instance 30\n",
            ][..],
        ),
        (Encoding::Gcf, "[30]", &["[31]", "[030]"]),
        (Encoding::Gcf, "{id,name}", &["{name,id}", "{id,title}"]),
        (
            Encoding::Toon,
            "29,instance 29",
            &["28,instance 29", "29.5,instance 29", "29,null", "29,instance 2"],
        ),
        (Encoding::Toon, "{id,name}", &["{name,id}", "{id,title}"]),
        (
            Encoding::Table,
            "[29,\"instance 29\"]",
            &["[28,\"instance 29\"]", "[29.0,\"instance 29\"]", "[29,null]", "[29]"],
        ),
        (Encoding::Table, "[\"id\",\"name\"]", &["[\"name\",\"id\"]", "[\"id\"]"]),
        (Encoding::Gcx, "29\tinstance 29\n", &["28\tinstance 29\n", "29.5\tinstance 29\n", "29\t\n", ""]),
        (Encoding::Gcx, "id,name", &["name,id", "id,title"]),
    ] {
        assert!(changed(wish, &answer, right, right).is_some(), "{wish}: {right:?}");
        for wrong in wrong {
            assert_eq!(changed(wish, &answer, right, wrong), None, "{wish}: {wrong:?}");
        }
    }
}

#[test]
fn an_integer_beyond_two_to_the_53_is_not_its_neighbor() {
    let mut kept = listing();
    kept.tables[0].rows.push(vec![Value::Int(9_007_199_254_740_993), Value::Text("large".to_owned())]);
    let answer = answer(&kept, None);
    for wish in [Encoding::Table, Encoding::Gcf, Encoding::Gcx, Encoding::Toon] {
        let written = |digits| changed(wish, &answer, "9007199254740993", digits);
        assert!(written("9007199254740993").is_some(), "{wish}");
        for neighbor in ["9007199254740992", "9007199254740994", "9.007199254740993e+15"] {
            assert_eq!(written(neighbor), None, "{wish}");
        }
    }
}

#[test]
fn a_form_must_be_smaller_than_the_json() {
    let kept = listing();
    for wish in [Encoding::Table, Encoding::Gcf, Encoding::Gcx, Encoding::Toon] {
        let size = form(wish).write(&answer(&kept, None), usize::MAX).map_or(0, |text| text.len());
        let sized = |json_bytes| judged(form(wish), &Answer { json_bytes, ..answer(&kept, None) });
        assert!(sized(size + 1).is_some(), "{wish}");
        assert_eq!(sized(size), None, "{wish}");
        assert_eq!(sized(0), None, "{wish}");
    }
}

/// Three rows `{"status":"x"}`: 42 bytes and 15 tokens, and 41 bytes and 18 tokens as GCF.
#[test]
fn a_form_that_is_smaller_and_costs_more_tokens_means_json() {
    let kept = kept(vec![(&["status"], vec![vec![Value::Text("x".to_owned())]; 3])]);
    let answer = answer(&kept, None);
    assert_eq!(answer.json_bytes, 42);
    assert_eq!(form(Encoding::Gcf).write(&answer, 41).map(|text| text.len()), Some(41));
    assert_eq!(judged(form(Encoding::Gcf), &answer), None);
}

#[test]
fn the_notice_of_a_cut_counts_on_both_sides() {
    let mut kept = listing();
    kept.tables[0].part = Part::Cut;
    let truncated = Truncated { rows: 30, hint: "there are more".to_owned(), changed: None };
    let answer = answer(&kept, Some(&truncated));
    let gcf = judged(form(Encoding::Gcf), &answer).expect("smaller");
    assert!(gcf[0].ends_with("\n# truncated after 30 rows: there are more\n"), "{gcf:?}");
    let toon = judged(form(Encoding::Toon), &answer).expect("smaller");
    assert_eq!(toon[1..], [truncated.json_block()]);
    let bytes = toon.iter().map(String::len).sum();
    assert_eq!(judged(form(Encoding::Toon), &Answer { json_bytes: bytes, ..answer }), None);
    assert!(judged(form(Encoding::Toon), &Answer { json_bytes: bytes + 1, ..answer }).is_some());
    assert_eq!(changed(Encoding::Gcf, &answer, "# truncated", "truncated"), None);
}
