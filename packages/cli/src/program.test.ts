import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text as streamed } from "node:stream/consumers";
import { errorCodes, PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/folder.kit.ts";
import { sayLinks } from "./commands/serve.ts";
import { commands } from "./commands.ts";
import { exitCodes, failureOf } from "./exit.ts";
import { say, sayTable } from "./terminal/output.ts";
import { paint, printable, type Terminal } from "./terminal/terminal.ts";
import { said } from "./terminal.kit.ts";

test("every error code has an exit code other than 0", () => {
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
    const { exit } = failureOf(new PrivacyError(code));
    expect(exit, code).toBeGreaterThan(0);
    expect(Object.values(exitCodes), code).toContain(exit);
  }
});

test("help names every command and every exit code, on standard output", async () => {
  const { code, out, err } = await said([]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const name of ["serve", "demo", "dataset", "ledger", "account", "plan", "release", "verify", "calc"]) {
    expect(out).toContain(`\n  ${name} `);
  }
  for (const exit of Object.values(exitCodes)) expect(out).toMatch(new RegExp(`\\n {2}${exit} {2}\\S`));
});

test("help on a command is the same in both orders", async () => {
  expect(await said(["help", "calc"])).toEqual(await said(["calc", "--help"]));
});

test.each([
  [["wisdom"], "unknown command 'wisdom'"],
  [["calc", "--loud"], "unknown option '--loud'"],
  [["dataset", "show"], "missing required argument 'dataset'"],
  [["ledger", "open", "x", "--epsilon", "1"], "--delta is missing, must be given"],
  [["ledger", "set", "x"], "an option is missing, must be one of --policy, --mode, --status, --threshold"],
  [["account", "set", "x", "A/Ana"], "an option is missing, must be one of --mode, --expires, --query-epsilon"],
  [["person", "set", "Ana"], "an option is missing, must be one of --name, --email"],
  [["person", "notify", "--mail"], "kind is missing, must be given"],
  [["ledger", "amend", "x", "--second", "--epsilon", "3"], '--epsilon is "given", must be absent next to --second'],
  [
    ["account", "recall", "x", "A", "--epsilon", "1", "extra"],
    "too many arguments for 'recall'. Expected 2 arguments but got 3: x, A, extra.",
  ],
  [["person", "audit", "--limit", "few"], '--limit is "few", must be a whole number'],
])("%j is wrong use: one line, code 2", async (args, message) => {
  const { code, out, err } = await said(args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toBe(`dosimeter: ${message} [INVALID_PARAMETER]\n`);
});

test("with --json an error is JSON, too", async () => {
  const { err } = await said(["wisdom", "--json"]);
  expect(JSON.parse(err)).toEqual({ error: { code: "INVALID_PARAMETER", message: "unknown command 'wisdom'" } });
});

test("where no server answers, that is what it says", async () => {
  const { code, err } = await said(["dataset", "list", "--url", "http://127.0.0.1:9"]);
  expect(code).toBe(exitCodes.notReachable);
  expect(err).toBe("dosimeter: no server answers at http://127.0.0.1:9 [UNREACHABLE]\n");
});

test("each request has a connection of its own, which no server has ended meanwhile", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.connection);
    response
      .writeHead(401, { "content-type": "application/problem+json" })
      .end('{"code":"UNAUTHENTICATED","detail":"no"}');
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { code, err } = await said(["dataset", "list", "--url", `http://127.0.0.1:${port}`, "--token", "t"]);
  server.close();
  expect({ code, asked }).toEqual({ code: exitCodes.notAllowed, asked: ["close"] });
  expect(err, "it says what to type").toMatch(/dosimeter token create laptop --person .*: export DOSIMETER_TOKEN=/);
});

test("an empty token, as a failed command leaves it, is no token and makes no one the operator", async () => {
  const { code, out, err } = await said(["dataset", "list", "--data", "/nowhere"], { env: { DOSIMETER_TOKEN: "" } });
  expect({ code, out }).toEqual({ code: exitCodes.wrongUse, out: "" });
  expect(err).toMatch(/^dosimeter: token is "", must be a token; unset DOSIMETER_TOKEN .* \[INVALID_PARAMETER\]\n$/);
});

test("an agent is never the operator by default: dosimeter mcp without a token is refused before anything is opened", async () => {
  for (const env of [{}, { DOSIMETER_TOKEN: "" }, { DOSIMETER_URL: "http://127.0.0.1:9" }]) {
    const { code, out, err } = await said(["mcp", "--data", "/nowhere"], { env });
    expect({ code, out }).toEqual({ code: exitCodes.wrongUse, out: "" });
    expect(err).toMatch(
      /^dosimeter: token is missing, must be the agent's own, in DOSIMETER_TOKEN, .* \[INVALID_PARAMETER\]\n$/,
    );
  }
});

test("a name from elsewhere cannot steer the terminal, and colour is for terminals that want it", () => {
  expect(printable("a\u001b[31mred\u0007\r\n")).toBe("a\\x1b[31mred\\x07\\x0d\\x0a");
  const terminal = { isInteractive: true, env: {} } as Terminal;
  expect(paint(terminal, "red", "x")).toBe("\u001b[31mx\u001b[0m");
  expect(paint({ ...terminal, env: { NO_COLOR: "1" } }, "red", "x")).toBe("x");
  expect(paint({ ...terminal, isInteractive: false }, "red", "x")).toBe("x");
});

test.each(Object.keys(commands))(
  "the help of %s fits 80 columns, in a pipe too, and a terminal's own width",
  async (name) => {
    for (const columns of [undefined, 80, 100]) {
      const { out } = await said([name, "--help"], columns === undefined ? {} : { columns, isInteractive: true });
      const widest = Math.max(...out.split("\n").map((line) => line.length));
      expect(widest).toBeLessThanOrEqual(columns ?? 80);
    }
  },
);

test("prose breaks at words on a terminal and not in a pipe, and what goes on begins below the first word", async () => {
  const text = `· ${"The answer will be close to the truth. ".repeat(4).trim()}\n  ○ ${"free ".repeat(20).trim()}`;
  const printed = async (given: Partial<Terminal>) => {
    const out = new PassThrough();
    say({ in: Readable.from([]), out, err: out, isInteractive: true, env: {}, cwd: "/", ...given }, text);
    out.end();
    return await streamed(out);
  };
  const lines = (await printed({})).trimEnd().split("\n");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines[1]).toMatch(/^ {2}\S/);
  expect(lines.at(-1)).toMatch(/^ {4}\S/);
  expect(lines.map((line) => line.trim()).join(" ")).toBe(text.replace("\n  ", " "));
  expect(await printed({ isInteractive: false })).toBe(`${text}\n`);
});

test("each sign-in link of the demo stands whole on a line of its own in a terminal", async () => {
  const url = `http://localhost:8080/sign-in#dsl_${"0".repeat(32)}`;
  const links = [{ person: "usr_1", name: "Dana Ortiz", description: "admin of adults, ".repeat(8).trim(), url }];
  const out = new PassThrough();
  const env = { NO_COLOR: "1" };
  sayLinks({ in: Readable.from([]), out, err: out, isInteractive: true, env, cwd: "/", columns: 80 }, links as never);
  out.end();
  const lines = (await streamed(out)).trimEnd().split("\n");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines[0]).toMatch(/^ {2}Dana Ortiz: admin of adults/);
  expect(lines.at(-1)).toBe(`    ${url}`);
});

test("a table that is too wide for the terminal becomes a block per row with everything in it", async () => {
  const rows = [1, 2].map((number) => ({
    name: `account ${number}`,
    path: "Public health / ".repeat(6).trim(),
    note: "",
    id: "acc_1",
  }));
  const columns = (["name", "path", "note", "id"] as const).map((heading) => ({
    heading,
    cell: (row: (typeof rows)[0]) => row[heading],
  }));
  const printed = async (width: number) => {
    const out = new PassThrough();
    const env = { NO_COLOR: "1" };
    await sayTable(
      { in: Readable.from([]), out, err: out, isInteractive: true, env, cwd: "/", columns: width },
      rows,
      columns,
    );
    out.end();
    return (await streamed(out)).trimEnd().split("\n");
  };
  expect((await printed(160))[0]).toMatch(/^┌/);
  const blocks = await printed(60);
  for (const line of blocks) expect(line.length).toBeLessThanOrEqual(60);
  expect(blocks.filter((line) => line === "")).toHaveLength(1);
  expect(blocks[0]).toBe("name  account 1");
  expect(blocks.join(" ").replaceAll(/\s+/g, " ")).toContain(`path ${rows[0]?.path} id acc_1 name account 2`);
});

test("a data folder from elsewhere sends no token: neither mine to its address, nor another installation's", async () => {
  const folder = temporaryFolder();
  const seen: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening", { signal: AbortSignal.timeout(60_000) });
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    await writeFile(join(folder, "other.token"), "theirs");
    const stat = await readFile("/proc/self/stat", "utf8").catch(() => "");
    const began = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    const ask = async (lock: object, token: object) => {
      await writeFile(join(folder, "lock.json"), JSON.stringify({ pid: process.pid, began, url, ...lock }));
      return said(["dataset", "list", "--data", folder], { env: { ...token } });
    };
    const mine = { DOSIMETER_TOKEN: "dm_mine" };
    expect((await ask({ url: "http://192.0.2.2:9" }, mine)).err).toMatch(
      /the url in lock\.json is "http:\/\/192\.0\.2\.2:9"/,
    );
    const refused = await ask({ operator: join(folder, "other.token") }, {});
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/the operator's file is .*in the data folder/),
    ]);
    expect(seen).toEqual([]);
    await ask({}, mine);
    expect(seen).toEqual(["Bearer dm_mine"]);
    await mkdir(join(folder, "uploads"));
    await writeFile(join(folder, "uploads", "operator.token"), "ours");
    await writeFile(join(folder, "settings.yaml"), "files: uploads\nport: none\n");
    const shared = { operator: join(folder, "uploads", "operator.token") };
    expect((await ask(shared, {})).err).toMatch(/the operator's file is .*in the folder of DOSIMETER_FILES/);
    await ask(shared, { DOSIMETER_CONFIG: join(folder, "settings.yaml") });
    expect(seen.slice(1), "where the file of settings says so").toEqual(["Bearer ours"]);
  } finally {
    server.close();
  }
});
