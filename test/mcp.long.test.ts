import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import { type Account, createClient, type Quote, type Release } from "@dosimeter/client";
import { adultsDeclaration, createLog, openInstance, type Serving, serve, syntheticPeople } from "@dosimeter/server";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { toCsv } from "../packages/server/src/demo/people.ts";
import { signedIn } from "../packages/server/src/demo/sign-in.ts";
import { agentAt, called, eras, newAgent } from "../packages/server/src/mcp/mcp.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { within } from "./within.kit.ts";

const command = join(import.meta.dirname, "../packages/dosimeter/bin/dosimeter.cjs");
const people = syntheticPeople(20_000);

const folder = temporaryFolder();
let serving: Serving;
let token: string;

beforeAll(async () => {
  serving = await serve({ folder: join(folder, "instance"), log: createLog("silent"), port: 0, webRoot: null });
  const door = { url: serving.url, fetch: serving.instance.fetch };
  const operator = createClient({ ...door, token: serving.instance.operatorToken });
  const file = await operator.uploadFile({ name: "adults.csv", content: new TextEncoder().encode(toCsv(people)) });
  const declaration = adultsDeclaration as unknown as Readonly<Record<string, unknown>>;
  const { id: dataset } = await operator.createDataset({ file: file.id, declaration });
  const { id: ledger } = await operator.openLedger({ dataset, epsilon: "3", delta: "1e-6" });
  const { id: person } = await operator.createPerson({ name: "Mara Lind" });
  const { id: agent } = await operator.createPerson({ name: "Mara's agent", kind: "agent", onBehalfOf: person });
  await operator.createAccount({ ledger, holder: { kind: "person", id: agent }, epsilon: "1" });
  token = (await operator.createServiceToken({ person: agent, name: "mcp", scopes: ["read", "release"] })).secret;
  await signedIn(door, (await operator.createSignInLink({ person })).url);
});
afterAll(() => serving.close());

/** An agent that starts `dosimeter mcp` and speaks to it over its standard streams. */
async function agentOver(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  era: (typeof eras)[number] = "auto",
) {
  const agent = newAgent(era);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, "mcp", ...args],
    env: { PATH: process.env.PATH ?? "", ...env },
    stderr: "inherit",
  });
  await within("the start of dosimeter mcp", agent.connect(transport));
  return { agent, process: transport.pid };
}

const here = () => ({ DOSIMETER_URL: serving.url, DOSIMETER_TOKEN: token });

/** What the agent wants to know, and how far off each answer may be: people, dollars, ranks. */
const questions = [
  { row: { statistic: "count", where: "age >= 65" }, wanted: 100, truth: people.filter(({ age }) => age >= 65).length },
  {
    row: { statistic: "count", where: "education = 'graduate' and sex = 'female'" },
    wanted: 20,
    truth: people.filter(({ education, sex }) => education === "graduate" && sex === "female").length,
  },
  {
    row: { statistic: "count", where: "married = true" },
    wanted: 400,
    truth: people.filter(({ married }) => married).length,
  },
  {
    row: { statistic: "mean", column: "income" },
    wanted: 150,
    truth: people.reduce((sum, { income }) => sum + income, 0) / people.length,
  },
  {
    row: { statistic: "mean", column: "age" },
    wanted: 0.5,
    truth: people.reduce((sum, { age }) => sum + age, 0) / people.length,
  },
] as const;
const rows = questions.map(({ row }, index) => ({ id: `q${index}`, ...row }));

const worst = ({ statistics }: Quote): number =>
  Math.max(
    ...statistics.map(({ accuracy }, index) => (accuracy.halfWidth ?? Number.NaN) / (questions[index]?.wanted ?? 0)),
  );

async function ask<T>(agent: Client, tool: string, given: object = {}): Promise<T> {
  const { isError, text, said } = await within(tool, called(agent, tool, given as Record<string, unknown>));
  expect(isError, text).toBe(false);
  return said as T;
}

/**
 * A script in place of a model: it finds the dataset and the account, lets all errors grow alike until the five fit into
 * ε = 1, and buys them one by one. It leaves once in the middle of a purchase, and asks again under the same key.
 */
test("an agent on standard streams answers five questions about the census for ε = 1, better than by an even split", async () => {
  let { agent, process: pid } = await agentOver([], here());
  const { items } = await ask<{ items: { id: string; name: string }[] }>(agent, "list_datasets");
  const dataset = items.find(({ name }) => name === "adults")?.id ?? "";
  expect(JSON.stringify(await ask(agent, "describe_dataset", { dataset }))).toContain("income");
  const account = async () => (await ask<{ items: Account[] }>(agent, "my_budget")).items[0] as Account;
  const { id, balance } = await account();
  expect(balance.epsilon).toMatchObject({ cap: "1", left: "1" });
  const base = { dataset, account: id };

  const even = await ask<Quote>(agent, "quote_plan", {
    ...base,
    plan: { statistics: rows.map((row) => ({ ...row, epsilon: "0.2" })) },
  });
  let [slack, cost] = [1, 2];
  let planned: { plan: { statistics: { id: string; epsilon: string }[] }; quote: Quote } | null = null;
  for (let tries = 0; cost > 1; tries++) {
    expect(tries, "it settles").toBeLessThan(10);
    const errors = Object.fromEntries(questions.map(({ wanted }, index) => [`q${index}`, wanted * slack]));
    planned = await ask(agent, "plan_for_accuracy", { ...base, plan: { statistics: rows }, within: errors });
    cost = (planned?.plan.statistics ?? []).reduce((sum, { epsilon }) => sum + Number(epsilon), 0);
    slack *= 1.005 * cost;
  }
  expect(planned).not.toBeNull();
  expect(even.admitted && planned?.quote.admitted).toBe(true);
  expect(worst(planned?.quote as Quote)).toBeLessThan(0.8 * worst(even));

  for (const [index, row] of (planned?.plan.statistics ?? []).entries()) {
    const given = { ...base, plan: { statistics: [row] }, key: `question-${index}` };
    if (index === 2) {
      const lost = called(agent, "release_plan", given).catch(() => "lost");
      await new Promise((resume) => setTimeout(resume, 20));
      process.kill(pid ?? 0, "SIGKILL");
      expect(await lost).toBe("lost");
      ({ agent, process: pid } = await agentOver([], here()));
    }
    const release = await ask<Release>(agent, "release_plan", given);
    const { answers, stage } =
      release.stage === "done" ? release : await ask<Release>(agent, "wait_release", { release: release.id });
    expect(stage).toBe("done");
    const cell = answers?.[0]?.cells[0];
    if (cell === undefined) throw new Error("there is no answer");
    const { value, interval } = cell;
    // Eight times the half-width of 95 % is passed by Laplace noise with a chance of 0.05⁸, below 1e-10.
    expect(Math.abs(value - (questions[index]?.truth ?? 0))).toBeLessThan(4 * (interval[1] - interval[0]));
  }
  const { balance: after } = await account();
  expect(Number(after.epsilon.spent)).toBeCloseTo(cost, 9);
  expect(Number(after.epsilon.left)).toBeGreaterThanOrEqual(0);
  await agent.close();
});

test("over HTTP, clients of both eras find the releases that were bought on standard streams, and get them again for free", async () => {
  for (const era of eras) {
    const agent = await agentAt(serving.url, token, { era });
    const [account] = (await ask<{ items: Account[] }>(agent, "my_budget")).items;
    const [dataset] = account?.datasets ?? [];
    const { items } = await ask<{ items: { release: string; request: object }[] }>(agent, "earlier_answers", {
      dataset,
    });
    expect(items).toHaveLength(5);
    const again = {
      dataset,
      account: account?.id,
      plan: { statistics: [items[0]?.request] },
      reuse: "asAccurate",
      key: `again-${era}`,
    };
    expect(await ask<Release>(agent, "release_plan", again)).toMatchObject({
      stage: "done",
      epsilon: "0",
      byKind: "agent",
    });
    const [left] = (await ask<{ items: Account[] }>(agent, "my_budget")).items;
    expect(left?.balance.epsilon).toEqual(account?.balance.epsilon);
    await agent.close();
  }
});

test("without a server, dosimeter mcp opens the data folder, and ends with its client", async () => {
  const empty = join(folder, "empty");
  const instance = await openInstance({ folder: empty, log: createLog("silent") });
  const operator = createClient({ url: serving.url, fetch: instance.fetch, token: instance.operatorToken });
  const { id: person } = await operator.createPerson({ name: "agent", kind: "agent" });
  const { secret } = await operator.createServiceToken({ person, name: "mcp", scopes: ["read"] });
  await instance.close();
  const { agent, process: pid } = await agentOver(["--data", empty], { DOSIMETER_TOKEN: secret }, "legacy");
  expect((await agent.listTools()).tools).toHaveLength(4);
  expect(await ask(agent, "list_datasets")).toEqual({ items: [], next: null });
  await within("the end", agent.close());
  expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
});

test("while no server answers, the agent reads that it may send the same key again", async () => {
  const { agent } = await agentOver([], { DOSIMETER_URL: "http://127.0.0.1:9", DOSIMETER_TOKEN: token });
  const given = { dataset: "d", account: "a", plan: { statistics: [] }, key: "k" };
  const { isError, text, said } = await within("the refusal", called(agent, "release_plan", given));
  expect(isError).toBe(true);
  expect(said).toMatchObject({ code: "NOT_READY", next: { tool: "release_plan", arguments: given } });
  expect(text).toContain("It is not known whether this call charged.");
  await agent.close();
});

/** A folder with Inspector and the conformance suite of the protocol: `npm run test:mcp` fetches them. */
const tools = env.TEST_MCP_TOOLS;

const [tool, prompt] = ["There is no such tool", "There is no such prompt"];
const [resource, capability] = ["NOT_FOUND", "Method not found"];
/** How a scenario fails that asks for a tool, prompt or resource which the suite names, or for a capability that is not declared here. */
const reasons = [tool, prompt, resource, capability, "not found. Available tools"];

/** Every scenario of the suite, and what becomes of it. */
const scenarios = {
  "server-initialize": "passed",
  ping: "passed",
  "tools-list": "passed",
  "resources-list": "passed",
  "prompts-list": "passed",
  "dns-rebinding-protection": "passed",
  // No sessions and no streams to resume: a key makes it safe to ask again.
  "server-sse-polling": "warned",
  "server-sse-multiple-streams": "warned",
  // Nothing is logged to clients, completed, or subscribed to.
  "logging-set-level": capability,
  "tools-call-with-logging": capability,
  "completion-complete": capability,
  "resources-subscribe": capability,
  "resources-unsubscribe": capability,
  // Tools that answer with a red square, beep, fail, or ask the client back; the tools here are those of the product.
  "tools-call-simple-text": tool,
  "tools-call-image": tool,
  "tools-call-audio": tool,
  "tools-call-embedded-resource": tool,
  "tools-call-mixed-content": tool,
  "tools-call-error": tool,
  "tools-call-with-progress": tool,
  "tools-call-sampling": tool,
  "tools-call-elicitation": tool,
  "elicitation-sep1034-defaults": tool,
  "elicitation-sep1330-enums": tool,
  "json-schema-2020-12": "not found. Available tools",
  // Resources and prompts of the suite's own.
  "resources-read-text": resource,
  "resources-read-binary": resource,
  "resources-templates-read": resource,
  "prompts-get-simple": prompt,
  "prompts-get-with-args": prompt,
  "prompts-get-embedded-resource": prompt,
  "prompts-get-with-image": prompt,
};

describe.skipIf(tools === undefined)("the protocol's own tools", () => {
  /** Ends with its exit code; its home is the folder of this test. */
  const run = (name: string, args: readonly string[]) =>
    promisify(execFile)(process.execPath, [join(tools ?? "", "node_modules/.bin", name), ...args], {
      env: { PATH: env.PATH, HOME: folder },
      timeout: 120_000,
      maxBuffer: 2 ** 24,
    });

  test("Inspector lists and calls tools, and reads resources and prompts", async () => {
    const inspect = async (...args: readonly string[]): Promise<unknown> => {
      const at = ["--cli", `${serving.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
      return JSON.parse((await run("mcp-inspector", [...at, "--method", ...args])).stdout);
    };
    expect(await inspect("tools/list")).toMatchObject({ tools: { length: 12, 0: { name: "list_datasets" } } });
    // An inner quote makes a text of a number; both are prices.
    const plan = JSON.stringify({ statistics: [{ statistic: "count", epsilon: 0.1 }] });
    const agent = await agentAt(serving.url, token);
    const [account] = (await ask<{ items: Account[] }>(agent, "my_budget")).items;
    await agent.close();
    const asked = [`dataset=${account?.datasets[0]}`, `account=${account?.id}`, `plan=${plan}`];
    expect(await inspect("tools/call", "--tool-name", "quote", "--tool-arg", ...asked)).toMatchObject({
      structuredContent: { cost: { epsilon: "0.1" } },
    });
    expect(await inspect("resources/list")).toMatchObject({ resources: { length: 3 } });
    expect(await inspect("resources/read", "--uri", "dosimeter://guide")).toMatchObject({
      contents: [{ text: expect.stringContaining("quote") }],
    });
    expect(await inspect("prompts/list")).toMatchObject({ prompts: [{ name: "explore_under_a_budget" }] });
    const prompt = ["--prompt-name", "explore_under_a_budget", "--prompt-args", "question=How old are they?"];
    expect(JSON.stringify(await inspect("prompts/get", ...prompt))).toContain("How old are they?");
  });

  /** Passes requests on with the token, which the conformance suite cannot send. */
  async function withToken(): Promise<string> {
    const { port } = new URL(serving.url);
    const proxy = createServer((from, to) => {
      const headers = { ...from.headers, authorization: `Bearer ${token}` };
      const on = request({ host: "127.0.0.1", port, path: from.url, method: from.method, headers }, (answer) => {
        to.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(to);
      });
      from.pipe(on);
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
  }

  test("the conformance suite passes what this server offers, and fails each other scenario for its reason", async () => {
    const out = join(folder, "conformance");
    const asked = ["server", "--url", await withToken(), "--suite", "all", "--output-dir", out];
    await expect(run("conformance", asked)).rejects.toMatchObject({ code: 1 }); // some fail
    const said = (await readdir(out)).map(async (name) => {
      const checks = await readFile(join(out, name, "checks.json"), "utf8");
      const all = JSON.parse(checks) as readonly { status: string; errorMessage?: string }[];
      const failed = all.find(({ status }) => status === "FAILURE");
      const reason = reasons.find((each) => failed?.errorMessage?.includes(each)) ?? failed?.errorMessage ?? "";
      const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
      return [
        scenario,
        all.some(({ status }) => status === "WARNING") ? "warned" : failed ? reason : "passed",
      ] as const;
    });
    expect(Object.fromEntries(await Promise.all(said))).toEqual(scenarios);
  });
});
