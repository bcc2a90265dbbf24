"""The example on a database server: the client libraries load its tools and call them, in JSON and in GCF, over HTTP and stdio.

`tests/it/sdk/databases.rs` starts the servers and says in the environment where they are. What a tool must answer is what SQLite
says about the same rows, which the example keeps there in other types: money in cents, times and JSON as text.
"""

import json
import os
import sqlite3
import unittest
from decimal import Decimal
from pathlib import Path

from mcp import Client, StdioServerParameters
from toolbox_core import ToolboxClient

JSON = os.environ["TOOLBOX_JSON_URL"]
GCF = os.environ["TOOLBOX_GCF_URL"]
STDIO = StdioServerParameters(
    command=os.environ["TOOLBOX_BINARY"],
    args=["--stdio", "--config", os.environ["TOOLBOX_CONFIG"]],
    cwd=Path(os.environ["TOOLBOX_FOLDER"]),
    env={name: value for name, value in os.environ.items() if name.startswith(("POSTGRES_", "MYSQL_"))},
)
SHOP = ["find_customers", "list_orders", "get_order_lines", "sales_by_country", "add_order", "add_order_line"]
INSTANCES = "SELECT name, version, region, tier, state, address, created FROM instances ORDER BY name"

# Two customers whose ids are equal when read as doubles, and two orders.
MISAKI = 7960607143101464576
ELENI = 7960607143101464577
ORDERS = [9007199254740993, 9007199254740994]


def expected(sql, *arguments):
    """SQLite's rows as dictionaries."""
    connection = sqlite3.connect(f"file:{os.environ['TOOLBOX_EXPECTED_DATABASE']}?mode=ro", uri=True)
    try:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql, arguments)]
    finally:
        connection.close()


def euros(cents):
    """An amount with the two digits that the databases keep."""
    return Decimal(cents).scaleb(-2)


def exact(text):
    """JSON with all digits."""
    return json.loads(text, parse_float=Decimal)


def read(text):
    """Rows: the library joins those of an answer into one text of JSON, which for no rows is null."""
    rows = exact(text)
    return rows if isinstance(rows, list) else [] if rows is None else [rows]


class Databases(unittest.IsolatedAsyncioTestCase):
    async def test_toolbox_core_calls_every_tool(self):
        async with ToolboxClient(JSON) as client:
            self.assertEqual([tool.__name__ for tool in await client.load_toolset("shop")], SHOP)
            tools = {tool.__name__: tool for tool in await client.load_toolset()}
            self.assertEqual(len(tools), 9)

            self.assertEqual(read(await tools["list_instances"]()), expected(INSTANCES))
            answer = read(await tools["list_instances"](region="europe-west4", state="RUNNING"))
            some = [row for row in expected(INSTANCES) if (row["region"], row["state"]) == ("europe-west4", "RUNNING")]
            self.assertEqual(answer, some)

            answer = read(await tools["count_instances"](property="state"))
            counts = "SELECT state AS value, count(*) AS instances FROM instances GROUP BY 1 ORDER BY 2 DESC, 1"
            self.assertEqual(
                {row["value"]: row["instances"] for row in answer},
                {row["value"]: row["instances"] for row in expected(counts)},
            )

            answer = read(await tools["find_customers"](text="", limit=50))
            customers = expected("SELECT id, name, email, phone, country, preferences, created FROM customers ORDER BY id")
            for row in customers:
                row["preferences"] = row["preferences"] and exact(row["preferences"])
            for row in answer:
                # MariaDB keeps JSON as text.
                if isinstance(row["preferences"], str):
                    row["preferences"] = exact(row["preferences"])
            self.assertEqual(answer, customers)
            self.assertEqual(read(await tools["find_customers"](text="x' OR '1'='1")), [])

            for customer in (MISAKI, ELENI):
                answer = read(await tools["list_orders"](customer_id=customer, statuses=["delivered", "open"]))
                orders = expected(
                    "SELECT id, placed, (SELECT coalesce(sum(quantity * unit_price_cents), 0) FROM order_lines"
                    " WHERE order_id = orders.id) AS cents FROM orders"
                    " WHERE customer_id = ? AND status IN ('delivered', 'open') ORDER BY placed",
                    customer,
                )
                self.assertEqual(
                    [(row["id"], row["placed"], row["total"]) for row in answer],
                    [(row["id"], row["placed"], euros(row["cents"])) for row in orders],
                )

            answer = read(await tools["get_order_lines"](order_ids=ORDERS))
            lines = expected("SELECT * FROM order_lines WHERE order_id IN (?, ?) ORDER BY order_id, line", *ORDERS)
            self.assertEqual(
                [(row["order_id"], row["line"], row["sku"], row["unit_price"]) for row in answer],
                [(row["order_id"], row["line"], row["sku"], euros(row["unit_price_cents"])) for row in lines],
            )

            every = read(await tools["sales_by_country"](minimum=0.0, include_cancelled=True))
            some = read(await tools["sales_by_country"](minimum=1500.5))
            total = expected("SELECT sum(quantity * unit_price_cents) AS cents FROM order_lines")[0]["cents"]
            self.assertEqual(sum(row["total"] for row in every), euros(total))
            self.assertLess(len(some), len(every))

            [answer] = read(await tools["run_sql"](sql="SELECT count(*) AS customers FROM customers"))
            self.assertEqual(answer, {"customers": len(customers)})
            # The library hands the text of an error on as it hands on rows.
            self.assertIn("DELETE", await tools["run_sql"](sql="DELETE FROM order_lines"))
            [answer] = read(await tools["run_sql"](sql="SELECT count(*) AS n FROM order_lines"))
            self.assertEqual([answer], expected("SELECT count(*) AS n FROM order_lines"))

            note = "'; DROP TABLE orders; -- 🎁"
            written = read(await tools["add_order"](customer_id=ELENI, shipping={"city": "Αθήνα"}, note=note))
            made = next(row.get("id") or row.get("last_insert_id") for row in written)
            self.assertGreater(made, 2**53)
            [answer] = read(await tools["add_order_line"](order_id=made, sku="007100", quantity=2))
            self.assertEqual(answer["rows_affected"], 1)
            [answer] = [row for row in read(await tools["list_orders"](customer_id=ELENI)) if row["id"] == made]
            price = expected("SELECT price_cents FROM products WHERE sku = '007100'")[0]["price_cents"]
            self.assertEqual((answer["note"], answer["lines"], answer["total"]), (note, 1, euros(2 * price)))

    async def test_gcf_is_one_block_with_every_row(self):
        async with ToolboxClient(GCF) as client:
            text = await (await client.load_tool("list_instances"))()
            self.assertTrue(text.startswith("GCF profile=generic"), text)
            places = [text.index(row["name"]) for row in expected(INSTANCES)]
            self.assertEqual((len(places), places), (30, sorted(places)))

    async def test_mcp_over_stdio(self):
        async with Client(STDIO, read_timeout_seconds=60) as client:
            self.assertEqual(len((await client.list_tools()).tools), 9)
            result = await client.call_tool("list_instances", {})
            self.assertFalse(result.is_error, result.content)
            self.assertEqual([json.loads(block.text) for block in result.content], expected(INSTANCES))


if __name__ == "__main__":
    unittest.main()
