"""toolbox-core, the client library of MCP Toolbox, loads our toolsets and calls our tools as it does the peer's."""

import json
import unittest

from served import ELENI, GCF, JSON, MISAKI
from toolbox_core import ToolboxClient
from toolbox_core.protocol import Protocol

INSTANCES = "SELECT name, version, region, tier, state, address, created FROM instances ORDER BY name"
SHOP = ["find_customers", "list_orders", "get_order_lines", "sales_by_country", "add_order", "add_order_line"]


async def toolset(client, name=None):
    """The tools of a toolset by name, in the order of the server."""
    return {tool.__name__: tool for tool in await client.load_toolset(name)}


class ToolboxCore(unittest.IsolatedAsyncioTestCase):
    async def test_a_toolset_loads_with_its_tools_in_order(self):
        async with ToolboxClient(JSON.url) as client:
            self.assertEqual(list(await toolset(client, "shop")), SHOP)
            self.assertEqual(list(await toolset(client, "operations")), ["list_instances", "count_instances", "run_sql"])
            self.assertEqual(len(await toolset(client)), 9)

    async def test_every_protocol_version_of_the_library_gives_the_same_rows(self):
        versions = sorted({version.value for version in Protocol})
        self.assertEqual(len(versions), 5)
        for version in versions:
            with self.subTest(version):
                async with ToolboxClient(JSON.url, protocol=Protocol(version)) as client:
                    tool = await client.load_tool("list_instances")
                    self.assertEqual(json.loads(await tool()), JSON.rows(INSTANCES))

    async def test_every_kind_of_parameter_reaches_the_database(self):
        async with ToolboxClient(JSON.url) as client:
            tools = await toolset(client)

            answer = json.loads(await tools["list_instances"](region="europe-west4", state="RUNNING"))
            expected = [
                row for row in JSON.rows(INSTANCES) if (row["region"], row["state"]) == ("europe-west4", "RUNNING")
            ]
            self.assertEqual(answer, expected)

            answer = json.loads(await tools["count_instances"](property="state"))
            self.assertEqual({row["value"]: row["instances"] for row in answer}["CREATING"], 2)

            answer = json.loads(await tools["find_customers"](text="", limit=3))
            self.assertEqual([row["id"] for row in answer][:2], [MISAKI, ELENI])
            self.assertEqual([row["name"] for row in answer], ["佐藤 美咲", "Ελένη Παπαδοπούλου", "ليلى حسن"])

            for customer in (MISAKI, ELENI):
                answer = json.loads(await tools["list_orders"](customer_id=customer, statuses=["delivered", "open"]))
                expected = JSON.rows(
                    "SELECT id FROM orders WHERE customer_id = ? AND status IN ('delivered', 'open') ORDER BY placed",
                    customer,
                )
                self.assertEqual([row["id"] for row in answer], [row["id"] for row in expected])

            orders = [9007199254740993, 9007199254740994]
            answer = json.loads(await tools["get_order_lines"](order_ids=orders))
            expected = JSON.rows("SELECT * FROM order_lines WHERE order_id IN (?, ?) ORDER BY order_id, line", *orders)
            self.assertEqual(
                [[row[key] for key in ("order_id", "line", "sku", "quantity", "unit_price_cents")] for row in answer],
                [list(row.values()) for row in expected],
            )

            some = json.loads(await tools["sales_by_country"](minimum=1500.5))
            every = json.loads(await tools["sales_by_country"](minimum=0.0, include_cancelled=True))
            self.assertTrue(all(row["total_cents"] >= 150050 for row in some))
            self.assertLess(len(some), len(every))
            total = JSON.rows("SELECT sum(quantity * unit_price_cents) AS cents FROM order_lines")[0]["cents"]
            self.assertEqual(sum(row["total_cents"] for row in every), total)

            answer = json.loads(await tools["run_sql"](sql="SELECT count(*) AS customers FROM customers"))
            self.assertEqual(answer, {"customers": 22})

    async def test_a_write_tells_the_new_id_with_all_its_digits(self):
        async with ToolboxClient(JSON.url) as client:
            tools = await toolset(client, "shop")
            shipping = {"service": "pickup", "city": "Αθήνα"}
            answer = json.loads(await tools["add_order"](customer_id=ELENI, shipping=shipping, note="🎁"))
            stored = JSON.rows("SELECT id, customer_id, shipping, note FROM orders ORDER BY id DESC LIMIT 1")[0]
            self.assertEqual(answer, {"rows_affected": 1, "last_insert_id": stored["id"]})
            self.assertEqual((stored["customer_id"], stored["note"]), (ELENI, "🎁"))
            self.assertEqual(json.loads(stored["shipping"]), shipping)
            answer = json.loads(await tools["add_order_line"](order_id=stored["id"], sku="007100"))
            self.assertEqual(answer, {"rows_affected": 1})

    async def test_bound_parameters_disappear_from_the_signature_and_are_sent(self):
        async with ToolboxClient(JSON.url) as client:
            tool = await client.load_tool("list_instances", bound_params={"region": "us-east4"})
            answer = json.loads(await tool())
            self.assertEqual({row["region"] for row in answer}, {"us-east4"})

    async def test_gcf_arrives_as_one_text_with_every_row_in_order(self):
        async with ToolboxClient(GCF.url) as client:
            tool = await client.load_tool("list_instances")
            text = await tool()
            self.assertTrue(text.startswith("GCF profile=generic"), text)
            names = [row["name"] for row in GCF.rows(INSTANCES)]
            places = [text.index(name) for name in names]
            self.assertEqual(len(places), 30)
            self.assertEqual(places, sorted(places))

    async def test_an_answer_that_gcf_would_not_shorten_is_json(self):
        async with ToolboxClient(GCF.url) as client:
            tool = await client.load_tool("run_sql")
            self.assertEqual(json.loads(await tool(sql="SELECT 1 AS one")), {"one": 1})


if __name__ == "__main__":
    unittest.main()
