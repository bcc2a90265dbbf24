"""mcp, the official client library of the protocol, initializes, lists and calls over both transports."""

import json
import unittest

from mcp import Client, StdioServerParameters
from served import BINARY, ELENI, GCF, JSON, STDIO_FOLDER, rows

# `auto` asks with server/discover and speaks the newest version; `legacy` shakes hands with initialize.
MODES = ("auto", "legacy")


def stdio(*arguments):
    """The program as a child, which serves the example over standard input and output."""
    return StdioServerParameters(command=BINARY, args=["--stdio", *arguments], cwd=STDIO_FOLDER)


def texts(result):
    """The text blocks of a result."""
    return [block.text for block in result.content]


class Mcp(unittest.IsolatedAsyncioTestCase):
    async def check(self, server, mode, database):
        """Initializes, lists and calls."""
        async with Client(server, mode=mode, read_timeout_seconds=60) as client:
            self.assertTrue(client.server_info is None or client.server_info.version)
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            self.assertEqual(len(tools), 9)
            self.assertEqual(tools["list_orders"].input_schema["required"], ["customer_id"])
            self.assertTrue(tools["list_orders"].annotations.read_only_hint)

            result = await client.call_tool("list_instances", {})
            self.assertFalse(result.is_error)
            expected = rows(
                database, "SELECT name, version, region, tier, state, address, created FROM instances ORDER BY name"
            )
            self.assertEqual([json.loads(text) for text in texts(result)], expected)

            result = await client.call_tool("list_orders", {"customer_id": ELENI})
            expected = rows(database, "SELECT id FROM orders WHERE customer_id = ? ORDER BY placed", ELENI)
            self.assertEqual([json.loads(text)["id"] for text in texts(result)], [row["id"] for row in expected])

            result = await client.call_tool("find_customers", {"text": "x", "limit": 0})
            self.assertTrue(result.is_error)
            self.assertIn("limit", texts(result)[0])

    async def test_over_stdio(self):
        for mode in MODES:
            with self.subTest(mode):
                await self.check(stdio(), mode, STDIO_FOLDER / "fleet.db")

    async def test_over_http(self):
        for mode in MODES:
            with self.subTest(mode):
                await self.check(f"{JSON.url}/mcp", mode, JSON.database)

    async def test_gcf_is_one_block_on_both_transports(self):
        for server in (stdio("--response-encoding", "gcf"), f"{GCF.url}/mcp"):
            for mode in MODES:
                with self.subTest(server=server, mode=mode):
                    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
                        blocks = texts(await client.call_tool("list_instances", {}))
                        self.assertEqual(len(blocks), 1)
                        self.assertTrue(blocks[0].startswith("GCF profile=generic"), blocks[0])


if __name__ == "__main__":
    unittest.main()
