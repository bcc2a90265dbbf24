// @toolbox-sdk/core loads the example's tools and calls them, in JSON and in GCF, over HTTP.
//
// `tests/it/sdk/databases.rs` starts the servers, says in the environment where they are, and gives what SQLite says about the
// same rows as JSON. JavaScript reads numbers as doubles, so ids beyond 2^53 are not asked for here.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.TOOLBOX_TEST_NODE_MODULES}/`);
const { ToolboxClient } = require("@toolbox-sdk/core");

const instances = JSON.parse(readFileSync(process.env.TOOLBOX_EXPECTED_INSTANCES, "utf8"));
const rows = (text) => [JSON.parse(text)].flat();

const json = new ToolboxClient(process.env.TOOLBOX_JSON_URL);
const names = (await json.loadToolset("operations")).map((tool) => tool.getName());
assert.deepEqual(names, ["list_instances", "count_instances", "run_sql"]);
const tools = Object.fromEntries((await json.loadToolset()).map((tool) => [tool.getName(), tool]));
assert.equal(Object.keys(tools).length, 9);

assert.deepEqual(rows(await tools.list_instances()), instances);
assert.deepEqual(
  rows(await tools.list_instances({ region: "europe-west4", state: "RUNNING" })),
  instances.filter(({ region, state }) => region === "europe-west4" && state === "RUNNING"),
);
const running = rows(await tools.count_instances({ property: "region" })).reduce((sum, row) => sum + row.running, 0);
assert.equal(running, instances.filter(({ state }) => state === "RUNNING").length);
const found = rows(await tools.find_customers({ text: "", limit: 3 }));
assert.deepEqual(found.map(({ name }) => name), ["佐藤 美咲", "Ελένη Παπαδοπούλου", "ليلى حسن"]);
const every = rows(await tools.sales_by_country({ minimum: 0, include_cancelled: true }));
const some = rows(await tools.sales_by_country({ minimum: 1500.5 }));
assert.ok(some.length > 0 && some.length < every.length);
assert.deepEqual(rows(await tools.run_sql({ sql: "SELECT count(*) AS instances FROM instances" })), [{ instances: 30 }]);
// The library hands the text of an error on as it hands on rows.
assert.match(await tools.find_customers({ text: "x", limit: 0 }), /limit/);

const gcf = await (await new ToolboxClient(process.env.TOOLBOX_GCF_URL).loadTool("list_instances"))();
assert.ok(gcf.startsWith("GCF profile=generic"), gcf);
const places = instances.map(({ name }) => gcf.indexOf(name));
assert.ok(places.every((place, index) => place > (places[index - 1] ?? 0)), gcf);
