import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { RouteName } from "@dosimeter/client";
import { routeNames, routes } from "@dosimeter/client/routes";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { wholeProgram } from "../program.ts";
import { said } from "../terminal.kit.ts";
import { type Call, callOf, finderOf, isMany } from "./call.ts";
import { type Field, type Shape, shapeOf } from "./fields.ts";
import type { AnyRow } from "./row.ts";
import { derivedRows, routeRows } from "./rows.ts";
import { columnPath, sayAnswer, shapeAt } from "./view.ts";

const cwd = temporaryFolder();
const program = await wholeProgram();

const find = (line: string): Command | undefined =>
  line.split(" ").reduce<Command | undefined>((at, name) => at?.commands.find((one) => one.name() === name), program);

test.each(routeNames)("%s is a command, or says where and why it is none", (name) => {
  const rows = [routeRows[name]].flat();
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows)
    if ("without" in row) expect(row.without).not.toBe("");
    else expect(find("by" in row ? row.by : row.command), JSON.stringify(row)).toBeDefined();
});

test.each([...new Set(derivedRows.map(({ command }) => command))])(
  "the help of %s says what everything is, in 80 columns",
  async (line) => {
    const { code, out } = await said([...line.split(" "), "--help"]);
    expect(code).toBe(0);
    for (const row of out.split("\n")) expect(row.length, row).toBeLessThanOrEqual(80);
    const command = find(line);
    expect(command?.description()).toMatch(/^\S.{7,}/);
    for (const { description, long } of command?.options ?? []) expect(description, `${line} ${long}`).toMatch(/\S{2}/);
    for (const one of command?.registeredArguments ?? []) expect(one.description, one.name()).toMatch(/\S{2}/);
  },
);

/** What a page shows, or the thing that a route answers with. */
function shownShape({ route }: AnyRow): Shape | undefined {
  const { response } = routes[route];
  if (response === null) return undefined;
  const shape = shapeOf(response, "output");
  return shape.properties?.items?.items ?? shape;
}

test.each(derivedRows.map((row) => [row.route, row] as const))("what %s shows is in its answer", (_, row) => {
  const { response } = routes[row.route];
  const whole = response === null ? undefined : shapeOf(response, "output");
  for (const spec of row.columns ?? []) expect(shapeAt(shownShape(row), columnPath(spec).path), spec).toBeDefined();
  for (const [list, specs] of Object.entries(row.tables ?? {}))
    for (const spec of specs)
      expect(shapeAt(shapeAt(whole, list.split("."))?.items, columnPath(spec).path), `${list} ${spec}`).toBeDefined();
  const { args, fields } = callOf(row);
  for (const name of args)
    if (name !== "ledger" && name !== "dataset")
      expect(
        fields.map((field) => field.name),
        name,
      ).toContain(name);
});

test("no secret is an argument or an option, but the name of one and an invitation, which works once", () => {
  const shown = derivedRows.flatMap((row) => {
    const { args, options, fields } = callOf(row);
    const onTheLine = (field: Field) =>
      args.includes(field.name) || options.some((one) => one.field?.name === field.name);
    return fields.filter((field) => field.isSecret && onTheLine(field)).map(({ name }) => `${row.command} ${name}`);
  });
  expect(shown.toSorted()).toEqual(["connection add secret", "team join secret"]);
});

const IDS: Readonly<Record<string, string>> = {
  dataset: "dat",
  listed: "dat",
  ledger: "led",
  population: "pop",
  account: "acc",
  aside: "acc",
  person: "usr",
  people: "usr",
  team: "tem",
  amendment: "amd",
};
const idOf = (prefix: string): string => `${prefix}_${"0".repeat(20)}`;

/** A word for a field, such as a person would write. */
function wordFor(call: Call, { name, kind, shape }: Field): string {
  const finder = finderOf(call, name);
  if (name === "confidence") return "0.9";
  if (finder === "version" || kind === "number") return "1";
  if (finder !== null) return idOf(IDS[finder] ?? "");
  const [choice] = shape.enum ?? shape.items?.enum ?? [];
  if (choice !== undefined) return choice;
  if (kind === "amount") return "0.5";
  if (kind === "content" || name === "file") return "rows.csv";
  if (name === "parts") return "{kind: release, id: chg_1}";
  if (kind === "structure") return name === "of" ? "{release: chg_1, row: s1}" : "{columns: {age: {type: text}}}";
  if (name === "comment") return "#";
  if (name === "email") return "ana@example.org";
  if (name === "url") return "https://example.org/hook";
  if (name === "key") return "0".repeat(64);
  if (/^(since|until)$|At$/.test(name)) return "2026-01-01T00:00:00Z";
  return name === "action" ? "request" : "some-words";
}

/** The command line that gives all that a route takes. */
function lineOf(call: Call): readonly string[] {
  const { row, fields, args, options, hasPlan } = call;
  const given = args.map((name) => {
    const field = fields.find((one) => one.name === name);
    return field === undefined ? idOf(IDS[finderOf(call, name) ?? ""] ?? "") : wordFor(call, field);
  });
  const flags = options.flatMap(({ option, field }) => {
    if (option.long === null || option.long === undefined || option.negate) return [];
    if (field === null) return option.long === `--${row.flag}` ? [option.long] : [];
    if (field.kind === "switch") return [option.long];
    const word = wordFor(call, field);
    return isMany(field) && field.name === "of" ? [option.long, word, option.long, word] : [option.long, word];
  });
  const holder = row.command === "account create" ? ["--purpose", "a purpose"] : [];
  const plan = hasPlan ? ["-s", "count epsilon=0.1"] : [];
  return [...row.command.split(" "), ...given, ...flags, ...holder, ...plan];
}

describe("every command line asks its route, for what its schemas take", () => {
  let last: { readonly request: IncomingMessage; readonly body: string } | undefined;
  const agent = {
    id: idOf("usr"),
    name: "some-words",
    shares: [{ account: "acc_1", own: "acc_2", datasetNames: ["d"] }],
  };
  const answers: Readonly<Record<string, object>> = {
    "POST /v1/files": { id: "fil_1" },
    "GET /v1/agents": { items: [agent], next: null },
    "GET /v1/health": { status: "ok", version: "1", demo: false },
  };
  const ofDataset: Readonly<Record<string, object>> = { [`GET /v1/datasets/${idOf("dat")}`]: { declaration: {} } };
  let isAppending = false;
  const server = createServer((request, response) => void answered(request, response));
  const answered = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = "" } = request;
    const body = await text(request);
    // The file of a refused dataset goes away again.
    const isUndone = request.method === "DELETE" && url === "/v1/files/fil_1" && last?.request.method === "POST";
    if (!isUndone) last = { request, body };
    const line = `${method} ${url.split("?")[0]}`;
    const answer = answers[line] ??
      (isAppending ? ofDataset[line] : undefined) ?? { code: "FORBIDDEN", detail: "seen" };
    response.writeHead("code" in answer ? 403 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer));
  };
  beforeAll(async () => {
    writeFileSync(join(cwd, "rows.csv"), "age\n1\n");
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each(derivedRows.map((row) => [row.command, row.flag ?? "", row.route, row] as const))(
    "%s %s is %s",
    async (command, _flag, name: RouteName, row) => {
      const call = callOf(row);
      isAppending = name === "appendRows";
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const env = {
        DOSIMETER_URL: url,
        DOSIMETER_TOKEN: "token",
        DOSIMETER_PASSWORD: "a long password",
        DOSIMETER_NEW_PASSWORD: "a longer password",
      };
      const { err } = await said(lineOf(call), { env, cwd });
      expect(err, command).toMatch(/seen \[FORBIDDEN\]|^$/);
      const route = routes[name];
      const [path = "", query = ""] = (last?.request.url ?? "").split("?");
      expect(last?.request.method).toBe(route.method);
      expect(path).toMatch(new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`));
      const { query: querySchema, body } = route;
      expect(querySchema.safeParse(Object.fromEntries(new URLSearchParams(query))).error).toBeUndefined();
      if (body !== null) expect(body.safeParse(JSON.parse(last?.body ?? "")).error, last?.body).toBeUndefined();
    },
  );
});

test("what was spent or is promised is never shown as less, and what may still be spent never as more", async () => {
  const amount: Shape = { id: "Decimal", type: "string", isNullable: false };
  const properties = { spent: amount, left: amount, epsilon: amount };
  const out = new PassThrough();
  const terminal = { in: Readable.from([]), out, err: out, isInteractive: false, env: {}, cwd: "/" };
  const value = "0.12345650000001";
  await sayAnswer(terminal, { spent: value, left: value, epsilon: value }, { properties, isNullable: false }, {});
  out.end();
  expect(await text(out)).toBe("spent\t0.123457\nleft\t0.123456\nε\t0.123457\n");
});

test("what cannot be undone is asked first where a person sits, and only yes does it", async () => {
  const typed = (words: string, ...more: readonly string[]) => {
    const input = Object.assign(Readable.from([`${words}\n`]), { isTTY: true });
    const given = {
      in: input,
      isInteractive: true,
      env: { DOSIMETER_URL: "http://127.0.0.1:9", DOSIMETER_TOKEN: "t" },
    };
    return said(["agent", "remove", idOf("usr"), ...more], given);
  };
  const refused = await typed("y");
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("Its tokens and budgets stop. Type yes to go on: ");
  expect(refused.err.replaceAll(/\s+/g, " ")).toContain('the answer is "y", must be yes; nothing was done');
  expect((await typed("yes")).err).toContain("UNREACHABLE");
  expect((await typed("\u0004")).err.replaceAll(/\s+/g, " ")).toContain("must be yes; nothing was done");
  expect((await typed("", "--yes")).err).not.toContain("Type yes");
});

describe("what is read as JSON is what the server answers", () => {
  const dosimeter = (...args: readonly string[]) => said(args, { cwd });
  const declaration =
    "{privacyUnit: {column: who}, contribution: {rows: 1}, columns: {who: {type: integer}, age: {type: integer, lower: 0, upper: 120}}}";
  beforeAll(async () => {
    writeFileSync(
      join(cwd, "staff.csv"),
      `who,age\n${Array.from({ length: 40 }, (_, i) => `${i},${i + 20}`).join("\n")}\n`,
    );
    for (const args of [
      ["dataset", "add", "staff.csv", "-d", declaration],
      ["ledger", "open", "staff", "--epsilon", "2", "--delta", "1e-6"],
      ["person", "create", "Ana"],
      ["team", "create", "Health"],
      ["team", "add", "Health", "Ana", "--role", "teamAdmin"],
      ["account", "create", "staff", "--team", "Health", "--epsilon", "1"],
      ["account", "create", "staff", "--person", "operator", "--epsilon", "0.5"],
      ["draft", "save", "staff", "-n", "Ages", "-s", "mean age epsilon=0.1"],
      ["release", "staff", "-s", "count epsilon=0.1"],
    ])
      expect((await dosimeter(...args)).err, args.join(" ")).toBe("");
  });

  test.each([
    ["account list staff", "listAccounts"],
    ["account show staff Health", "showAccount"],
    ["agent list", "listAgents"],
    ["check server", "health"],
    ["connection list", "listConnections"],
    ["dataset list", "listDatasets"],
    ["dataset show staff", "showDataset"],
    ["draft list staff", "listDrafts"],
    ["ledger show staff", "showLedger"],
    ["ledger entries staff", "listEntries"],
    ["ledger amendments staff", "listAmendments"],
    ["person list", "listPeople"],
    ["person me", "me"],
    ["person audit", "listAudit"],
    ["release list staff", "listReleases"],
    ["report schedules staff", "listSchedules"],
    ["request list", "listRequests"],
    ["reuse show staff", "showReuse"],
    ["rotate list", "listSecrets"],
    ["team show Health", "showTeam"],
    ["token list", "listTokens"],
  ] as const)("%s", async (line, name) => {
    const { code, out, err } = await dosimeter(...line.split(" "), "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { response } = routes[name];
    const answer = JSON.parse(out);
    const whole = Array.isArray(answer) ? { items: answer, next: null } : answer;
    expect(response?.safeParse(whole).error).toBeUndefined();
    const inWords = await dosimeter(...line.split(" "));
    expect(inWords).toMatchObject({ code: 0, err: "" });
    expect(inWords.out).not.toMatch(/\[object|undefined|NaN/);
  });

  test("a refused table leaves no file behind, and says which size to declare", async () => {
    writeFileSync(join(cwd, "many.csv"), `age\n${"7\n".repeat(1001)}`);
    const many = (more: string) =>
      dosimeter(
        "dataset",
        "add",
        "many.csv",
        "-d",
        `{privacyUnit: row, size: {assumed: 10}, ${more} columns: {age: {type: text}}}`,
      );
    const { code, err } = await many("");
    expect(code).toBe(1);
    expect(err).toContain(
      "the file holds more than 1000 rows: declare the most that it may hold, as in mostRows: 2000",
    );
    const before = (await dosimeter("dataset", "files")).out;
    expect(before).not.toContain("many.csv");
    expect(await many("mostRows: 2000,")).toMatchObject({ err: "", out: expect.stringMatching(/^most rows\t2000$/m) });
    expect((await dosimeter("dataset", "show", "staff")).out).toMatch(/^most rows\t100000$/m);
    writeFileSync(join(cwd, "odd.csv"), "age\n8\n");
    const version = await dosimeter("dataset", "version", "staff", "odd.csv");
    expect(version.code).toBe(1);
    for (const [path, why] of [
      [".", "this is a folder, must be a file [EISDIR]"],
      ["gone.csv", "there is no such file [ENOENT]"],
    ] as const)
      expect((await dosimeter("dataset", "version", "staff", path)).err).toContain(why);
    const { out } = await dosimeter("dataset", "files");
    expect(out).toContain("many.csv");
    expect(out).not.toContain("odd.csv");
  });

  test("what is not there is named, an empty plan says what is missing, and 0,5 how it is written", async () => {
    const draft = await dosimeter("draft", "show", "abc");
    expect(draft).toMatchObject({ code: 4, err: expect.stringContaining('draft "abc": not found, or not visible') });
    expect((await dosimeter("release", "staff")).err).toMatch(/as in -s "count epsilon=0.1" \[EMPTY_PLAN\]/);
    const comma = await dosimeter("release", "staff", "-s", "count epsilon=0,5");
    expect(comma.err).toContain('epsilon is "0,5", must be a number with a point, such as 0.5');
  });

  test("a link that no server answers says so, apart from the link", async () => {
    const { out, err } = await dosimeter("person", "link", "Ana");
    expect(out).toMatch(/^http:\/\/localhost\/sign-in#\S+\n$/);
    expect(err).toBe("No server runs on this data folder: start one, and open the link at its address.\n");
  });

  test("who has no account is shown how to get one, and a second ledger is refused in words", async () => {
    await dosimeter("ledger", "open", "many", "--epsilon", "1", "--delta", "0");
    expect((await dosimeter("plan", "quote", "many", "-s", "count epsilon=0.1")).err).toContain(
      "ask for one with dosimeter request make",
    );
    expect((await dosimeter("ledger", "open", "many", "--epsilon", "1", "--delta", "0")).err).toContain(
      "these people have a ledger already",
    );
  });

  test("a field alone, a file of fields, a text that stands for one, and what is given next to it", async () => {
    const only = await dosimeter("dataset", "show", "staff", "--only", "declaration.columns.age.upper");
    expect(only.out).toBe("120\n");
    expect((await dosimeter("dataset", "show", "staff", "--only", "wage")).err).toMatch(
      /--only is "wage", must be one of id,/,
    );
    writeFileSync(join(cwd, "terms.yaml"), "epsilon: 0.1\nkind: cap\nqueryEpsilon: 0.05\n");
    const made = await dosimeter(
      ...["account", "create", "staff", "--person", "Ana", "--file", "terms.yaml", "--epsilon", "0.2", "--json"],
    );
    expect(JSON.parse(made.out)).toMatchObject({ kind: "cap", quota: { epsilon: "0.2" }, queryEpsilon: "0.05" });
    const given = { cwd, in: Readable.from(["{name: piped, privacyUnit: row, columns: {age: {type: text}}}"]) };
    writeFileSync(join(cwd, "piped.csv"), "age\n7\n");
    expect((await said(["dataset", "add", "piped.csv", "-d", "-"], given)).out).toMatch(/^dataset\tpiped$/m);
    writeFileSync(join(cwd, "typo.yaml"), "epsilonn: 0.1\n");
    const typo = await dosimeter("account", "create", "staff", "--person", "Ana", "--file", "typo.yaml");
    expect(typo.err).toMatch(/--file is "epsilonn", must be one of ledger, holder,/);
    const apart = await dosimeter("ledger", "amend", "staff", "--second", "--file", "terms.yaml");
    expect(apart.err).toContain('--file is "given", must be absent next to --second');
    const unset = await dosimeter("account", "set", "staff", "Ana", "--query-epsilon", "none", "--json");
    expect(JSON.parse(unset.out)).toMatchObject({ queryEpsilon: null });
  });
});
