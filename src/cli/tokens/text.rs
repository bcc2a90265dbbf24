//! The scorecard as an aligned table.

use std::fmt::Write as _;

use super::scorecard::{Cost, Line, Scorecard, tenths_of_percent};

/// The name of the last line.
const FLOOR: &str = "values alone";

pub(super) fn write(scorecard: &Scorecard) -> String {
    let mut out = String::new();
    let (rows, columns) = (counted(scorecard.rows, "row"), counted(scorecard.columns, "column"));
    let _ = writeln!(out, "{}: {rows}, {columns}\n", scorecard.name);
    write_line(
        &mut out,
        ' ',
        "form",
        ["bytes", "o200k", "cl100k"].map(|name| (name.to_owned(), String::new())),
    );
    let json = scorecard.json();
    for line in &scorecard.forms {
        let mark = if line.encoding == scorecard.winner { '*' } else { ' ' };
        let refused = if line.refusal.is_some() { " (!)" } else { "" };
        let name = format!("{}{refused}", line.encoding);
        write_costs(&mut out, mark, &name, line.cost, json);
    }
    write_costs(&mut out, ' ', FLOOR, Some(scorecard.floor), json);

    let _ =
        writeln!(out, "\n* the fewest o200k tokens; percent is against json; auto sends {}", scorecard.auto);
    for Line { encoding, refusal, .. } in &scorecard.forms {
        if let Some(reason) = refusal {
            let _ = writeln!(out, "! {encoding} is not sent, json goes out: {reason}");
        }
    }
    out
}

fn write_costs(out: &mut String, mark: char, name: &str, cost: Option<Cost>, json: Cost) {
    let none = || (String::from("-"), String::new());
    let figures = cost.map_or_else(
        || std::array::from_fn(|_| none()),
        |cost| {
            [(cost.bytes, json.bytes), (cost.o200k, json.o200k), (cost.cl100k, json.cl100k)].map(
                |(cost, json)| {
                    let percent = if name == "json" { None } else { tenths_of_percent(cost, json) };
                    (grouped(cost), percent.map(percent_text).unwrap_or_default())
                },
            )
        },
    );
    write_line(out, mark, name, figures);
}

/// Writes a mark, a name, and figures with something beside each.
fn write_line(out: &mut String, mark: char, name: &str, figures: [(String, String); 3]) {
    let _ = write!(out, "{mark} {name:12}");
    for (figure, beside) in figures {
        let _ = write!(out, " {figure:>12} {beside:>8}");
    }
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

/// `1 row`, `2 rows`.
fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn percent_text(tenths: i64) -> String {
    let sign = if tenths < 0 { '-' } else { '+' };
    format!("{sign}{}.{}%", tenths.abs() / 10, tenths.abs() % 10)
}

/// Digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::Encoding;

    #[test]
    fn figures_are_aligned_the_winner_is_marked_and_a_refusal_has_its_reason() {
        let cost = |bytes, o200k, cl100k| Some(Cost { bytes, o200k, cl100k });
        let line = |encoding, cost, refusal: Option<&str>| Line {
            encoding,
            cost,
            refusal: refusal.map(str::to_owned),
        };
        let scorecard = Scorecard {
            name: "list_orders".to_owned(),
            rows: 500,
            columns: 8,
            forms: vec![
                line(Encoding::Json, cost(1_083_534, 28_393, 28_527), None),
                line(Encoding::Gcf, cost(34_126, 17_909, 18_018), None),
                line(Encoding::Gcx, cost(34_147, 17_304, 17_483), None),
                line(Encoding::Toon, None, Some("it holds one result set, and there are several")),
            ],
            floor: Cost { bytes: 34_033, o200k: 17_270, cl100k: 17_449 },
            winner: Encoding::Gcx,
            auto: Encoding::Gcx,
        };
        let expected = "list_orders: 500 rows, 8 columns

  form                bytes                 o200k                cl100k
  json            1,083,534                28,393                28,527
  gcf                34,126   -96.9%       17,909   -36.9%       18,018   -36.8%
* gcx                34,147   -96.8%       17,304   -39.1%       17,483   -38.7%
  toon (!)                -                     -                     -
  values alone       34,033   -96.9%       17,270   -39.2%       17,449   -38.8%

* the fewest o200k tokens; percent is against json; auto sends gcx
! toon is not sent, json goes out: it holds one result set, and there are several
";
        assert_eq!(write(&scorecard), expected);
    }
}
