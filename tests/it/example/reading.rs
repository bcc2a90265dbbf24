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
    for Case { tool, arguments, expected } in cases() {
        let answer = example.call(tool, &arguments);
        let expected = rows::canonical(&database.objects(&expected));
        assert_eq!(rows::of(&answer, encoding), expected, "{tool} {arguments}");
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |tool, arguments, expected: String| cases.push(Case { tool, arguments, expected });

    let instances = |filter: &str| {
        format!(
            "SELECT json_object('name', name, 'version', version, 'region', region, 'tier', tier, 'state', state,
                                'address', address, 'created', created)
             FROM instances WHERE {filter} ORDER BY name"
        )
    };
    case("list_instances", json!({}), instances("true"));
    case("list_instances", json!({"region": null, "state": null}), instances("true"));
    case("list_instances", json!({"region": "europe-west4"}), instances("region = 'europe-west4'"));
    case("list_instances", json!({"state": "CREATING"}), instances("address IS NULL"));
    case(
        "list_instances",
        json!({"region": "us-central1", "state": "RUNNING"}),
        instances("region = 'us-central1' AND state = 'RUNNING'"),
    );
    case("list_instances", json!({"region": "nowhere"}), instances("false"));

    for property in ["version", "region", "tier", "state"] {
        case(
            "count_instances",
            json!({"property": property}),
            format!(
                "SELECT json_object('value', value, 'instances', instances, 'running', running) FROM (
                     SELECT DISTINCT {property} AS value,
                            (SELECT count(*) FROM instances AS i WHERE i.{property} = o.{property}) AS instances,
                            (SELECT count(*) FROM instances AS i
                             WHERE i.{property} = o.{property} AND i.state = 'RUNNING') AS running
                     FROM instances AS o)
                 ORDER BY instances DESC, value"
            ),
        );
    }

    let customers = |rest: &str| {
        format!(
            "SELECT json_object('id', id, 'name', name, 'email', email, 'phone', phone, 'country', country,
                                'preferences', preferences, 'created', created)
             FROM customers WHERE {rest}"
        )
    };
    case("find_customers", json!({"text": ""}), customers("true ORDER BY id LIMIT 10"));
    case("find_customers", json!({"text": "", "limit": 100}), customers("true ORDER BY id"));
    case("find_customers", json!({"text": "", "limit": 1}), customers("id = 7960607143101464576"));
    case("find_customers", json!({"text": "", "country": "JP"}), customers("id = 7960607143101464576"));
    case("find_customers", json!({"text": "NUNEZ"}), customers("email GLOB '*nunez*' ORDER BY id"));
    case("find_customers", json!({"text": "김서연"}), customers("country = 'KR'"));
    case("find_customers", json!({"text": "fuchs"}), customers("country = 'DE'"));
    case("find_customers", json!({"text": "🦊"}), customers("country = 'DE'"));
    case("find_customers", json!({"text": "Ñ"}), customers("false"));
    case("find_customers", json!({"text": "%"}), customers("false"));
    case("find_customers", json!({"text": "'; DROP TABLE customers; --"}), customers("country = 'GB'"));

    let orders = |filter: &str| {
        format!(
            "SELECT json_object('id', id, 'status', status, 'placed', placed, 'shipped', shipped,
                 'lines', (SELECT count(*) FROM order_lines WHERE order_id = id),
                 'total_cents', (SELECT sum(quantity * unit_price_cents) FROM order_lines WHERE order_id = id),
                 'shipping', shipping, 'note', note)
             FROM orders WHERE {filter} ORDER BY placed"
        )
    };
    // Two customers whose ids are equal when read as doubles.
    for id in [7_960_607_143_101_464_576_i64, 7_960_607_143_101_464_577] {
        let own = orders(&format!("customer_id = {id}"));
        case("list_orders", json!({"customer_id": id}), own.clone());
        case("list_orders", json!({"customer_id": id.to_string()}), own);
        case(
            "list_orders",
            json!({"customer_id": id, "statuses": ["open", "paid"]}),
            orders(&format!("customer_id = {id} AND status IN ('open', 'paid')")),
        );
    }
    case(
        "list_orders",
        json!({"customer_id": 7_960_607_143_101_464_576_i64, "since": "2026-09-01"}),
        orders("customer_id = 7960607143101464576 AND placed > '2026-09'"),
    );
    case(
        "list_orders",
        json!({"customer_id": 7_960_607_143_101_464_576_i64, "statuses": []}),
        orders("false"),
    );
    case("list_orders", json!({"customer_id": 1}), orders("false"));

    let lines = |filter: &str| {
        format!(
            "SELECT json_object('order_id', order_id, 'line', line, 'sku', l.sku, 'product', name, 'quantity', quantity,
                 'unit_price_cents', unit_price_cents, 'total_cents', unit_price_cents * quantity,
                 'weight_kg', weight_kg * quantity)
             FROM products AS p, order_lines AS l WHERE p.sku = l.sku AND {filter} ORDER BY order_id, line"
        )
    };
    case("get_order_lines", json!({"order_ids": []}), lines("false"));
    for id in [9_007_199_254_740_993_i64, 9_007_199_254_740_994] {
        case("get_order_lines", json!({"order_ids": [id]}), lines(&format!("order_id = {id}")));
    }
    let all: Vec<i64> = (9_007_199_254_740_993..9_007_199_254_741_070).collect();
    case("get_order_lines", json!({"order_ids": all}), lines("true"));

    let sales = |orders: &str, having: &str| {
        format!(
            "SELECT json_object('country', country, 'customers', customers, 'orders', orders, 'total_cents', total,
                                'average_cents', average) FROM (
                 SELECT country, count(DISTINCT customer_id) AS customers, count(*) AS orders, sum(cents) AS total,
                        avg(cents) AS average
                 FROM (SELECT country, customer_id,
                              (SELECT sum(quantity * unit_price_cents) FROM order_lines WHERE order_id = o.id) AS cents
                       FROM orders AS o JOIN customers AS c ON c.id = customer_id WHERE {orders})
                 GROUP BY country)
             WHERE {having} ORDER BY total DESC, country"
        )
    };
    let kept = "status IN ('open', 'paid', 'shipped', 'delivered')";
    case("sales_by_country", json!({}), sales(kept, "true"));
    case("sales_by_country", json!({"include_cancelled": true}), sales("true", "true"));
    case("sales_by_country", json!({"minimum": 1500.5}), sales(kept, "total >= 150050"));
    case(
        "sales_by_country",
        json!({"minimum": 900, "include_cancelled": "true"}),
        sales("true", "total >= 90000"),
    );

    case(
        "run_sql",
        json!({"sql": "SELECT sku, name, price_cents, weight_kg FROM products WHERE weight_kg < 1 ORDER BY weight_kg"}),
        "SELECT json_object('sku', sku, 'name', name, 'price_cents', price_cents, 'weight_kg', weight_kg)
         FROM products WHERE weight_kg NOT NULL AND NOT weight_kg >= 1 ORDER BY weight_kg"
            .to_owned(),
    );
    case(
        "run_sql",
        json!({"sql": "WITH n AS (SELECT id, note FROM orders) SELECT * FROM n WHERE note IS NOT NULL ORDER BY id;"}),
        "SELECT json_object('id', id, 'note', note) FROM orders WHERE note <> '' ORDER BY id".to_owned(),
    );
    cases
}
