//! The scorecard as one JSON object.

use serde_json::{Map, Number, Value as Json, json};

use super::scorecard::{Cost, Scorecard, tenths_of_percent};

pub(super) fn write(scorecard: &Scorecard) -> anyhow::Result<String> {
    let json_cost = scorecard.json();
    let forms: Vec<Json> = scorecard
        .forms
        .iter()
        .map(|line| {
            let mut form = Map::new();
            form.insert("form".to_owned(), line.encoding.name().into());
            form.insert("sent".to_owned(), line.refusal.is_none().into());
            form.insert("reason".to_owned(), line.refusal.clone().into());
            put_cost(&mut form, line.cost, json_cost);
            Json::Object(form)
        })
        .collect();
    let mut floor = Map::new();
    put_cost(&mut floor, Some(scorecard.floor), json_cost);
    let mut text = serde_json::to_string_pretty(&json!({
        "name": scorecard.name,
        "rows": scorecard.rows,
        "columns": scorecard.columns,
        "winner": scorecard.winner.name(),
        "auto": scorecard.auto.name(),
        "forms": forms,
        "valuesAlone": floor,
    }))?;
    text.push('\n');
    Ok(text)
}

fn put_cost(object: &mut Map<String, Json>, cost: Option<Cost>, json: Cost) {
    let figures = |cost: Cost| [cost.bytes, cost.o200k, cost.cl100k];
    for ((key, cost), json) in ["bytes", "o200k", "cl100k"]
        .into_iter()
        .zip(cost.map_or([None; 3], |cost| figures(cost).map(Some)))
        .zip(figures(json))
    {
        let percent = cost.and_then(|cost| tenths_of_percent(cost, json)).and_then(tenths);
        object.insert(key.to_owned(), cost.into());
        object.insert(format!("{key}Percent"), percent.map_or(Json::Null, Json::Number));
    }
}

/// A number with one digit after the point.
fn tenths(tenths: i64) -> Option<Number> {
    let sign = if tenths < 0 { "-" } else { "" };
    format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10).parse().ok()
}
