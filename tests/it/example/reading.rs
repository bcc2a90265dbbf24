//! Calls of the tools that read, and SQLite's own answer to each.

use serde_json::{Value as Json, json};

use super::{Example, rows};

/// One call.
struct Case {
    tool: &'static str,
    arguments: Json,
    /// A query whose only column is the expected row as a JSON object. It says the same as the tool in other words.
    expected: String,
}

/// Calls each tool that reads, and compares.
pub(crate) fn check(example: &mut Example, encoding: &str) {
    // The first call creates the database.
    assert_eq!(rows::of(&example.call("list_instances", &json!({})), encoding).len(), 30);
    let mut database = example.database();
    let all = [instances(), counts(), customers(), orders(), lines(), sales(), statements()];
    for Case { tool, arguments, expected } in all.into_iter().flatten() {
        let answer = example.call(tool, &arguments);
        let expected = rows::canonical(&database.objects(&expected));
        assert_eq!(rows::of(&answer, encoding), expected, "{tool} {arguments}");
    }
}

fn case(tool: &'static str, arguments: Json, expected: impl Into<String>) -> Case {
    Case { tool, arguments, expected: expected.into() }
}

fn instances() -> Vec<Case> {
    let case = |arguments, filter: &str| {
        let expected = format!(
            "SELECT json_object('name', name, 'version', version, 'region', region, 'tier', tier, 'state', state,
                                'address', address, 'created', created)
             FROM instances WHERE {filter} ORDER BY name"
        );
        case("list_instances", arguments, expected)
    };
    vec![
        case(json!({}), "true"),
        case(json!({"region": null, "state": null}), "true"),
        case(json!({"region": "europe-west4"}), "region = 'europe-west4'"),
        case(json!({"state": "CREATING"}), "address IS NULL"),
        case(
            json!({"region": "us-central1", "state": "RUNNING"}),
            "region = 'us-central1' AND state = 'RUNNING'",
        ),
        case(json!({"region": "nowhere"}), "false"),
    ]
}

fn counts() -> Vec<Case> {
    let case = |property: &str| {
        let expected = format!(
            "SELECT json_object('value', value, 'instances', instances, 'running', running) FROM (
                 SELECT DISTINCT {property} AS value,
                        (SELECT count(*) FROM instances AS i WHERE i.{property} = o.{property}) AS instances,
                        (SELECT count(*) FROM instances AS i
                         WHERE i.{property} = o.{property} AND i.state = 'RUNNING') AS running
                 FROM instances AS o)
             ORDER BY instances DESC, value"
        );
        case("count_instances", json!({"property": property}), expected)
    };
    ["version", "region", "tier", "state"].map(case).into()
}

fn customers() -> Vec<Case> {
    let case = |arguments, rest: &str| {
        let expected = format!(
            "SELECT json_object('id', id, 'name', name, 'email', email, 'phone', phone, 'country', country,
                                'preferences', preferences, 'created', created)
             FROM customers WHERE {rest}"
        );
        case("find_customers", arguments, expected)
    };
    vec![
        case(json!({"text": ""}), "true ORDER BY id LIMIT 10"),
        case(json!({"text": "", "limit": 100}), "true ORDER BY id"),
        case(json!({"text": "", "limit": 1}), "id = 7960607143101464576"),
        case(json!({"text": "", "country": "JP"}), "id = 7960607143101464576"),
        case(json!({"text": "NUNEZ"}), "email GLOB '*nunez*' ORDER BY id"),
        case(json!({"text": "김서연"}), "country = 'KR'"),
        case(json!({"text": "fuchs"}), "country = 'DE'"),
        case(json!({"text": "🦊"}), "country = 'DE'"),
        // Composed letters do not match the same letters made of combining marks.
        case(json!({"text": "\u{ed}\u{f1}igo"}), "false"),
        case(json!({"text": "N\u{fa}\u{f1}ez"}), "id = 7960627245848049149"),
        case(json!({"text": "Nu\u{301}n\u{303}ez"}), "id = 7960637343566033501"),
        case(json!({"text": "%"}), "false"),
        case(json!({"text": "'; DROP TABLE customers; --"}), "country = 'GB'"),
    ]
}

fn orders() -> Vec<Case> {
    const MISAKI: i64 = 7_960_607_143_101_464_576;
    let case = |arguments, filter: &str| {
        let expected = format!(
            "SELECT json_object('id', id, 'status', status, 'placed', placed, 'shipped', shipped,
                 'lines', (SELECT count(*) FROM order_lines WHERE order_id = id),
                 'total_cents', (SELECT sum(quantity * unit_price_cents) FROM order_lines WHERE order_id = id),
                 'shipping', shipping, 'note', note)
             FROM orders WHERE {filter} ORDER BY placed"
        );
        case("list_orders", arguments, expected)
    };
    let mut cases = vec![
        case(
            json!({"customer_id": MISAKI, "since": "2026-09-01"}),
            "customer_id = 7960607143101464576 AND placed > '2026-09'",
        ),
        case(json!({"customer_id": MISAKI, "statuses": []}), "false"),
        case(json!({"customer_id": 1}), "false"),
    ];
    // Two customers whose ids are equal when read as doubles.
    for id in [MISAKI, MISAKI + 1] {
        let own = format!("customer_id = {id}");
        cases.push(case(json!({"customer_id": id}), &own));
        cases.push(case(json!({"customer_id": id.to_string()}), &own));
        cases.push(case(
            json!({"customer_id": id, "statuses": ["open", "paid"]}),
            &format!("{own} AND status IN ('open', 'paid')"),
        ));
    }
    cases
}

fn lines() -> Vec<Case> {
    let case = |ids: &[i64], filter: &str| {
        let expected = format!(
            "SELECT json_object('order_id', order_id, 'line', line, 'sku', l.sku, 'product', name,
                 'quantity', quantity, 'unit_price_cents', unit_price_cents,
                 'total_cents', unit_price_cents * quantity, 'weight_kg', round(weight_kg * quantity, 3))
             FROM products AS p, order_lines AS l WHERE p.sku = l.sku AND {filter} ORDER BY order_id, line"
        );
        case("get_order_lines", json!({"order_ids": ids}), expected)
    };
    let all: Vec<i64> = (9_007_199_254_740_993..9_007_199_254_741_070).collect();
    vec![
        case(&[], "false"),
        case(&[9_007_199_254_740_993], "order_id = 9007199254740993"),
        case(&[9_007_199_254_740_994], "order_id = 9007199254740994"),
        case(&all, "true"),
    ]
}

fn sales() -> Vec<Case> {
    let case = |arguments, orders: &str, having: &str| {
        let expected = format!(
            "SELECT json_object('country', country, 'customers', customers, 'orders', orders, 'total_cents', total,
                                'average_cents', average) FROM (
                 SELECT country, count(DISTINCT customer_id) AS customers, count(*) AS orders, sum(cents) AS total,
                        round(avg(cents), 2) AS average
                 FROM (SELECT country, customer_id,
                              (SELECT sum(quantity * unit_price_cents) FROM order_lines WHERE order_id = o.id) AS cents
                       FROM orders AS o JOIN customers AS c ON c.id = customer_id WHERE {orders})
                 GROUP BY country)
             WHERE {having} ORDER BY total DESC, country"
        );
        case("sales_by_country", arguments, expected)
    };
    let kept = "status IN ('open', 'paid', 'shipped', 'delivered')";
    vec![
        case(json!({}), kept, "true"),
        case(json!({"include_cancelled": true}), "true", "true"),
        case(json!({"minimum": 1500.5}), kept, "total >= 150050"),
        case(json!({"minimum": 900, "include_cancelled": "true"}), "true", "total >= 90000"),
    ]
}

fn statements() -> Vec<Case> {
    vec![
        case(
            "run_sql",
            json!({"sql": "SELECT sku, name, weight_kg FROM products WHERE weight_kg < 1 ORDER BY weight_kg"}),
            "SELECT json_object('sku', sku, 'name', name, 'weight_kg', weight_kg)
             FROM products WHERE weight_kg NOT NULL AND NOT weight_kg >= 1 ORDER BY weight_kg",
        ),
        case(
            "run_sql",
            json!({"sql": "WITH n AS (SELECT id, note FROM orders) SELECT * FROM n WHERE note NOTNULL ORDER BY id;"}),
            "SELECT json_object('id', id, 'note', note) FROM orders WHERE note <> '' ORDER BY id",
        ),
    ]
}
