import type { Fields } from "@dosimeter/core/internal";
import type { Client } from "@modelcontextprotocol/client";
import { beforeAll, expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { CSV, csvBytes, declaration, ORIGIN } from "../instance.kit.ts";
import { datasetOf } from "./found.ts";
import { furtherTools } from "./listing.ts";
import { agentAt, called } from "./mcp.kit.ts";
import { paged } from "./paged.ts";
import { listedTools } from "./server.ts";
import { tools } from "./tools.ts";

const fixture = fixtureOf();
let agent: Client;

beforeAll(async () => {
  agent = await agentAt(ORIGIN, fixture.tokens.member, { fetch: fixture.instance.fetch });
});

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** What a listed tool says: its text, and as JSON. */
async function said(tool: string, given: Fields = {}): Promise<Fields> {
  const { isError, text } = await called(agent, tool, given);
  expect(isError, `${tool}: ${text}`).toBe(false);
  return JSON.parse(text.split("\n")[0] ?? "") as Fields;
}

async function refused(tool: string, given: Fields): Promise<Fields & { readonly text: string }> {
  const { isError, text, said: facts } = await called(agent, tool, given);
  expect(isError, text).toBe(true);
  return { ...facts, text };
}

const SQL = "SELECT sex, COUNT(*) FROM staff GROUP BY sex";

test("four tools take an agent from a name to an answer that is charged once", async () => {
  const { datasets } = (await said("find")) as { readonly datasets: { readonly items: readonly Fields[] } };
  expect(datasets.items).toMatchObject([{ name: "staff", id: fixture.dataset, mayAsk: true }]);
  const staff = await said("find", { dataset: "staff", text: "sex" });
  expect(staff).toMatchObject({
    name: "staff",
    columns: { items: [{ name: "sex" }] },
    accounts: [{ of: expect.any(String) }],
  });
  const quote = await said("quote", { sql: SQL, epsilon: 0.02 });
  expect(quote).toMatchObject({
    admitted: true,
    account: fixture.memberAccount,
    cost: { epsilon: "0.02" },
    statistics: [{ off: expect.any(Number), in: 0.95 }],
  });
  type Line = Readonly<Record<"spent" | "free" | "of", string>> & { readonly promised?: string };
  const held = async () => (await said("budget")).items as readonly Line[];
  const [before] = await held();
  const bought = { sql: SQL, epsilon: "0.02", key: "walk" };
  const first = await said("release", bought);
  expect(first).toMatchObject({ stage: "done", epsilon: "0.02", tables: [{ columns: ["sex", expect.any(String)] }] });
  expect(await said("release", bought)).toEqual(first);
  const [after] = await held();
  expect(Number(before?.free) - Number(after?.free)).toBeCloseTo(0.02, 9);
  for (const { spent, promised = "0", free, of } of [before, after].filter((line) => line !== undefined))
    expect(Number(spent) + Number(promised) + Number(free)).toBeCloseTo(Number(of), 12);
  const again = await said("find", { release: first.release });
  expect(again.answers).toEqual(first.answers);
  const { items } = again.answers as { readonly items: readonly (readonly unknown[])[] };
  expect(items[1]).toEqual([expect.any(String), expect.any(Number), expect.any(Number), expect.any(Number)]);
  const vain = await said("quote", { sql: "SELECT AVG(age) FROM staff WHERE sex = 'f'", epsilon: "0.0001" });
  expect(vain).toMatchObject({
    admitted: true,
    warnings: [
      expect.stringMatching(/^mean of .* cannot be distinguished from nothing: it costs as much as what can\.$/),
    ],
    statistics: [{ useless: true, measuredBy: "a twentieth of the declared range" }],
  });
  const free = await said("quote", { sql: SQL, epsilon: "0.02", reuse: "free" });
  expect(free.statistics).toMatchObject([{ free: { asAccurate: true } }]);
});

test("a plan is quoted for its error, and released at a total as it was quoted", async () => {
  const plan = {
    statistics: [
      { id: "a", statistic: "count" },
      { id: "b", statistic: "count", where: "sex = 'f'" },
    ],
  };
  const quote = await said("quote", { dataset: "staff", plan, epsilon: "0.02" });
  expect(quote).toMatchObject({ plan: { statistics: [{ epsilon: "0.01" }, { epsilon: "0.01" }] } });
  const released = await said("release", { dataset: "staff", plan, epsilon: "0.02", key: "total" });
  expect(released).toMatchObject({ stage: "done", epsilon: "0.02" });
  // The same key again, though a quote would refuse the plan now: nothing is left of what it asks.
  expect(await said("release", { dataset: "staff", plan, epsilon: "0.02", key: "total" })).toEqual(released);
  const least = await said("quote", { dataset: "staff", plan, within: 300 });
  expect(least).toMatchObject({ plan: { statistics: [{ epsilon: expect.any(String) }, {}] } });
  const [row] = least.statistics as readonly { readonly off: number }[];
  expect(row?.off).toBeLessThanOrEqual(300);
});

test("every other tool that reads is behind find, with its schema as a resource; what spends or asks is not", async () => {
  for (const name of Object.keys(tools)) {
    expect(await said("find", { tool: name })).toMatchObject({ schema: `dosimeter://tools/${name}` });
    const [content] = (await agent.readResource({ uri: `dosimeter://tools/${name}` })).contents;
    expect(content !== undefined && "text" in content ? JSON.parse(content.text) : null).toEqual(
      JSON.parse(JSON.stringify(furtherTools.find((one) => one.name === name))),
    );
  }
  expect(await said("find", { tool: "describe_dataset", arguments: { dataset: fixture.dataset } })).toMatchObject({
    declaration: { columns: expect.any(Object) },
  });
  const row = { statistic: "count", epsilon: 0.01 };
  const ask = { dataset: fixture.dataset, account: fixture.memberAccount, plan: { statistics: [row] } };
  expect(await said("find", { tool: "quote_plan", arguments: ask })).toMatchObject({ admitted: true });
  const program = { account: fixture.memberAccount, events: [{ kind: "pure", epsilon: "0.01" }], rowsPerUnit: 1 };
  const run = { ...program, relation: "add-or-remove-one", key: "train-7", purpose: "a model" };
  const right = expect.stringContaining("the right to charge for");
  expect(await said("find", { tool: "charge_quote", arguments: run })).toMatchObject({
    fits: false,
    why: right,
    made: null,
  });
  expect(await refused("charge", run)).toMatchObject({ code: "FORBIDDEN", text: right });
  const { datasetAdmin } = fixture.as;
  await datasetAdmin.setDeclaring({ account: fixture.memberAccount, mostEpsilon: "0.1", agents: true });
  const made = await said("charge", run);
  expect(made).toMatchObject({ charge: { key: "train-7" }, permit: expect.any(String) });
  expect(await said("find", { tool: "charge_quote", arguments: run })).toMatchObject({
    made: (made.charge as { readonly id: string }).id,
  });
  await datasetAdmin.setDeclaring({ account: fixture.memberAccount, agents: false });
  for (const tool of ["release_plan", "request_budget", "charge"])
    expect(await refused("find", { tool, arguments: { ...ask, key: "k" } })).toMatchObject({ code: "FORBIDDEN" });
  expect(await refused("find", { tool: "__proto__" })).toMatchObject({ code: "INVALID_PARAMETER" });
});

test("a refusal names a call that the listed tools take", async () => {
  const wrong = await refused("quote", { sql: "SELECT AVG(height) FROM staff", epsilon: "0.1" });
  expect(wrong).toMatchObject({ code: "UNKNOWN_COLUMN", next: { tool: "find" } });
  const tooMuch = await called(agent, "quote", { sql: SQL, epsilon: "200" });
  const { next } = tooMuch.said;
  expect(next?.tool).toBe("quote");
  expect(await said("quote", next?.arguments)).toMatchObject({ admitted: true });
  expect((await refused("release", { sql: SQL, epsilon: "0.01" })).text).toContain("key");
  expect(await refused("quote", { epsilon: "0.01" })).toMatchObject({ code: "INVALID_PARAMETER", name: "dataset" });
  expect(await refused("quote", { dataset: "nowhere", plan: { statistics: [] } })).toMatchObject({ code: "NOT_FOUND" });
  expect(await refused("find", { statistic: "average" })).toMatchObject({ want: expect.stringContaining("mean") });
  const plan = { statistics: [{ statistic: "count", epsilon: "0.01" }] };
  for (const [tool, key] of [["quote"], ["release", "d"]] as const)
    expect(await refused(tool, { dataset: "staff", plan, delta: "1e-9", key })).toMatchObject({ name: "delta" });
  expect(await refused("find", { page: 9 })).toMatchObject({ code: "INVALID_PARAMETER", name: "page" });
});

test("more is asked of people, once for each account", async () => {
  const asked = { dataset: "staff", account: fixture.memberAccount, epsilon: "0.5", note: "for the yearly report" };
  expect(await said("budget", asked)).toMatchObject({ status: "submitted" });
  expect(await refused("budget", { epsilon: "1" })).toMatchObject({ code: "INVALID_PARAMETER", name: "dataset" });
});

test("a page holds at most 4 kB, and the pages hold all", () => {
  const all = Array.from({ length: 1000 }, (_, n) => ({ name: `dataset ${n}`, words: "x".repeat((n * 37) % 200) }));
  const seen: unknown[] = [];
  for (let page: number | undefined = 1; page !== undefined; ) {
    const { items, nextPage } = paged(all, page) as { items: readonly unknown[]; nextPage?: number };
    expect(bytes(items)).toBeLessThan(4000);
    seen.push(...items);
    page = nextPage;
  }
  expect(seen).toEqual(all);
  expect(paged([], 1)).toEqual({ items: [] });
  expect(paged(["x".repeat(9000)], 1).items).toHaveLength(1);
});

test("five questions cost at most a fifth of the bytes that the whole plans and answers cost", async () => {
  const questions = ["COUNT(*)", "AVG(age)", "COUNT(*) FILTER (WHERE sex = 'f')", "MEDIAN(age)", "SUM(age)"];
  let small = bytes(listedTools);
  let large = bytes(furtherTools);
  const sized = async (tool: string, given: Fields) =>
    bytes((await agent.callTool({ name: tool, arguments: given })).content);
  const structured = async (tool: string, given: Fields) =>
    bytes(await agent.callTool({ name: tool, arguments: given }));
  small += (await sized("find", {})) + (await sized("find", { dataset: "staff" }));
  large +=
    (await structured("list_datasets", {})) + (await structured("describe_dataset", { dataset: fixture.dataset }));
  const account = fixture.memberAccount;
  for (const [n, aggregate] of questions.entries()) {
    const sql = `SELECT ${aggregate} FROM staff`;
    small +=
      (await sized("quote", { sql, epsilon: "0.01" })) +
      (await sized("release", { sql, epsilon: "0.01", key: `s${n}` }));
    const quoted = (await called(agent, "sql_quote", { account, sql, epsilon: "0.01" })).said as Fields;
    large += await structured("sql_quote", { account, sql, epsilon: "0.01" });
    const { dataset, plan } = quoted;
    large += await structured("release_plan", { dataset, account, plan, key: `l${n}` });
  }
  expect(small / large).toBeLessThan(1 / 5);
});

test.each(["quote", "release"])("%s of SQL and of a plan at once is refused", async (tool) => {
  const plan = { statistics: [{ statistic: "count", epsilon: "0.01" }] };
  const key = tool === "release" ? { key: "both" } : {};
  const { text } = await refused(tool, { dataset: "staff", sql: SQL, plan, epsilon: "0.02", ...key });
  expect(text).toContain("send one of the two");
});

test("an id names its dataset though another one has it as its name", async () => {
  const { datasetAdmin } = fixture.as;
  const file = await datasetAdmin.uploadFile({ name: "more.csv", content: csvBytes(`${CSV}7,40,f,71234507\n`) });
  await datasetAdmin.createDataset({ file: file.id, declaration: { ...declaration, name: fixture.dataset } });
  expect((await datasetOf(datasetAdmin, fixture.dataset)).id).toBe(fixture.dataset);
});
