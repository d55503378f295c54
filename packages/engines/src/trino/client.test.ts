import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import { ask, type Coordinator, withTransaction } from "./client.ts";
import { coordinatorOf, trinoEngine } from "./engine.ts";
import { call } from "./transport.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers each call of the protocol with the next answer, the last one for ever. Calls are listed by method and path. */
async function coordinator(
  ...answers: readonly Answer[]
): Promise<{ at: Coordinator; calls: string[]; server: Server }> {
  const calls: string[] = [];
  let next = 0;
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    if (request.method === "DELETE") return void response.writeHead(204).end();
    const answer = answers[Math.min(next++, answers.length - 1)];
    request.resume().once("end", () => answer?.(request, response));
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const at = coordinatorOf("lake", { url: `trino://ana:secret@127.0.0.1:${port}/memory`, tls: "off", timeout: 5000 });
  return { at, calls, server };
}

const page =
  (json: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    void response.writeHead(200, headers).end(json);
const status =
  (code: number): Answer =>
  (_, response) =>
    void response.writeHead(code).end("secret-row-value");
const more = '{"nextUri":"http://elsewhere.example.org/v1/statement/executing/q/1"}';

test("whole numbers and decimals keep every digit, over several pages", async () => {
  const { at, calls } = await coordinator(
    page(more),
    page('{"nextUri":"http://elsewhere.example.org/v1/statement/executing/q/2","data":[[9007199254740993,"1.50"]]}'),
    page('{"data":[[-9223372036854775808,null]]}'),
  );
  expect((await ask(at, "SELECT 1")).rows).toEqual([
    [9007199254740993n, "1.50"],
    [-(2n ** 63n), null],
  ]);
  // Credentials went to the configured host, whatever host the pages named; a statement that ended is not cancelled.
  expect(calls).toEqual(["POST /v1/statement", "GET /v1/statement/executing/q/1", "GET /v1/statement/executing/q/2"]);
});

test.each([429, 502, 503, 504])("a server that is busy (%d) is asked again", async (code) => {
  const { at, calls } = await coordinator(status(code), page(more), status(code), page('{"data":[[1]]}'));
  expect((await ask(at, "SELECT 1")).rows).toEqual([[1]]);
  expect(calls).toHaveLength(4);
});

test("a server that stays busy is asked six times", async () => {
  const { at, calls } = await coordinator(status(503));
  await expect(ask({ ...at, timeout: 60_000 }, "SELECT 1")).rejects.toMatchObject({ problem: "unreachable" });
  expect(calls).toHaveLength(6);
});

test.each([
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "unreachable"],
  [307, "unreachable"],
  [500, "unreachable"],
])("the status %d in the middle is %s, and the statement is cancelled", async (code, problem) => {
  const { at, calls } = await coordinator(page(more), status(code));
  await expect(ask(at, "SELECT 1")).rejects.toMatchObject({ problem, message: problem });
  expect(calls.at(-1)).toBe("DELETE /v1/statement/executing/q/1");
});

test.each([
  ["ADMINISTRATIVELY_KILLED", "killed"],
  ["EXCEEDED_TIME_LIMIT", "tooLong"],
  ["EXCEEDED_LOCAL_MEMORY_LIMIT", "tooLarge"],
  ["PERMISSION_DENIED", "denied"],
  ["TABLE_NOT_FOUND", "missing"],
  ["INVALID_CAST_ARGUMENT", "failed"],
  ["constructor", "failed"],
  ["__proto__", "failed"],
])("an error %s of Trino is %s, without its words", async (errorName, problem) => {
  const error = JSON.stringify({ error: { errorName, message: "Cannot cast 'secret-row-value' to BIGINT" } });
  const { at } = await coordinator(page(error));
  await expect(ask(at, "SELECT 1")).rejects.toMatchObject({ problem, message: problem });
});

test.each([
  ["no JSON", page("<html>")],
  ["a connection that breaks", ((_: IncomingMessage, response: ServerResponse) => void response.destroy()) as Answer],
  [
    "half an answer",
    ((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"data":');
      setImmediate(() => response.destroy());
    }) as Answer,
  ],
])("%s is a coordinator that cannot be reached", async (_, answer) => {
  const { at } = await coordinator(page(more), answer);
  await expect(ask(at, "SELECT 1")).rejects.toMatchObject({ problem: "unreachable" });
});

test.each([
  ["http://x//", "GET //"],
  ["x:@", null],
  ["x:.", null],
  ["x:", null],
])("credentials go to the configured host, whatever path an answer names: %s", async (before, asked) => {
  const other: string[] = [];
  const elsewhere = createServer((request, response) => {
    other.push(`${request.url}`);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  servers.push(elsewhere);
  await once(elsewhere, "listening");
  const { port } = elsewhere.address() as AddressInfo;
  const { at, calls } = await coordinator(page(`{"nextUri":"${before}127.0.0.1:${port}/data"}`), status(404));
  await expect(ask(at, "SELECT 1")).rejects.toMatchObject({ problem: "unreachable" });
  expect(other).toEqual([]);
  expect(calls[1]).toBe(asked === null ? undefined : `${asked}127.0.0.1:${port}/data`);
  const outside = {
    method: "DELETE",
    path: `@127.0.0.1:${port}/data`,
    headers: {},
    signal: AbortSignal.timeout(5000),
  } as const;
  await expect(async () => call(at, outside)).rejects.toThrow("another host");
  expect(other).toEqual([]);
});

test("an answer that changes the protocol is none", async () => {
  const { at } = await coordinator(page(more), (request) => {
    request.socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
  });
  await expect(ask(at, "SELECT 1")).rejects.toMatchObject({ problem: "unreachable" });
});

test("rows over all pages have a bound", async () => {
  const large = JSON.stringify({ nextUri: "http://x/v1/statement/executing/q/1", data: [["x".repeat(30 * 2 ** 20)]] });
  const { at, calls } = await coordinator(page(large));
  await expect(ask(at, "SELECT 1")).rejects.toMatchObject({ problem: "tooLarge" });
  expect(calls).toHaveLength(6);
});

test.each([
  ["[],", 2 ** 21],
  ["{},", 2 ** 21],
  ["0,", 2 ** 22],
])("values have a bound, however short they are: %s", async (value, times) => {
  const { at } = await coordinator(page(`{"data":[${value.repeat(times)}[]]}`));
  const parses = vi.spyOn(JSON, "parse");
  try {
    await expect(ask(at, "SELECT 1")).rejects.toMatchObject({ problem: "tooLarge" });
    expect(parses).not.toHaveBeenCalled();
  } finally {
    parses.mockRestore();
  }
});

describe("a person does not wait for a cluster that answers without end", () => {
  const source = { trino: { connection: "lake", schema: "s", table: "t" } };
  const jobs: readonly (readonly [string, number, number, (engine: Engine) => Promise<unknown>])[] = [
    ["a probe", 10_000, 0, async (engine) => Promise.reject(new Error((await engine.probe()).lake ?? "it works"))],
    ["a listing", 30_000, 1, (engine) => engine.list(source)],
    ["a description", 30_000, 1, (engine) => engine.describe(source)],
  ];
  /** Where no limit of time ends them. */
  const PAGES = 40;
  const begun = page("{}", { "x-trino-started-transaction-id": "t1" });
  const opened = ({ origin }: Coordinator, timeout: number): Promise<Engine> =>
    trinoEngine({ connections: { lake: { url: `${origin.replace("http://", "trino://ana@")}/memory`, timeout } } });

  test.each(jobs)("%s ends after %d ms in all", async (_, longest, before, job) => {
    const limits: { readonly ms: number; readonly over: AbortController }[] = [];
    const timeouts = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      const over = new AbortController();
      limits.push({ ms, over });
      return over.signal;
    });
    let pages = -before;
    const { at } = await coordinator((request, response) => {
      pages += 1;
      if (pages === 5) for (const { ms, over } of limits) if (ms === longest) over.abort();
      (pages <= 0 ? begun : page(pages < PAGES ? more : "{}"))(request, response);
    });
    try {
      await expect(job(await opened(at, 5000))).rejects.toThrow("the cluster could not be reached, or did not answer");
    } finally {
      timeouts.mockRestore();
    }
  });

  test.each(jobs.slice(0, 2))(
    "the cluster itself ends each statement of %s after ten seconds",
    async (_, _ms, _at, job) => {
      const seconds: unknown[] = [];
      const { at } = await coordinator((request, response) => {
        seconds.push(/query_max_run_time=(\d+)s/.exec(String(request.headers["x-trino-session"]))?.[1]);
        begun(request, response);
      });
      await job(await opened(at, 60_000)).catch(() => undefined);
      expect(new Set(seconds.slice(0, 3))).toEqual(new Set(["10"]));
    },
  );
});

test.each([
  [
    "more columns than a table has",
    Array.from({ length: 4097 }, (_, at) => [`c${at}`, "bigint"]),
    "at most 4096 columns",
  ],
  ["a name that no one reads", [["c".repeat(1001), "bigint"]], "a column's name must have at most 1000 characters"],
  ["a type that no one reads", [["c", "x".repeat(2 ** 20 + 1)]], "types must have at most 1048576 characters"],
])("a cluster that says that a table has %s is refused", async (_, data, words) => {
  const { at } = await coordinator(page(JSON.stringify({ data }), { "x-trino-started-transaction-id": "t1" }));
  const url = `${at.origin.replace("http://", "trino://ana@")}/memory`;
  const engine = await trinoEngine({ connections: { lake: { url } } });
  const described = engine.describe({ trino: { connection: "lake", schema: "s", table: "t" } });
  await expect(described).rejects.toMatchObject({ code: "DATA_UNREADABLE", message: expect.stringContaining(words) });
});

test("an abort while the server is silent cancels the statement", async () => {
  const abort = new AbortController();
  const { at, calls } = await coordinator(page(more), () => abort.abort());
  await expect(ask(at, "SELECT 1", { signal: abort.signal })).rejects.toThrow();
  expect(calls.at(-1)).toBe("DELETE /v1/statement/executing/q/1");
});

test("every statement of a transaction names it and its limits of time, and it ends when a job fails", async () => {
  const seen: (string | undefined)[][] = [];
  const headers = (request: IncomingMessage): void => {
    const { "x-trino-transaction-id": id, "x-trino-session": session, authorization } = request.headers;
    seen.push([id?.toString(), session?.toString(), authorization]);
  };
  const { at } = await coordinator(
    (request, response) => {
      headers(request);
      page("{}", { "x-trino-started-transaction-id": "t1" })(request, response);
    },
    (request, response) => {
      headers(request);
      page("{}")(request, response);
    },
  );
  const job = async (query: (text: string) => Promise<unknown>): Promise<never> => {
    await query("SELECT 1");
    throw new RangeError("mine");
  };
  await expect(withTransaction(at, undefined, job)).rejects.toThrow("mine");
  const limits = "query_max_run_time=5s,query_max_execution_time=5s";
  const basic = `Basic ${Buffer.from("ana:secret").toString("base64")}`;
  expect(seen).toEqual([
    ["NONE", limits, basic],
    ["t1", limits, basic],
    ["t1", limits, basic],
  ]);
});

test.each([
  ["https://host/memory", {}, "url"],
  ["trino://host/memory", {}, "url"],
  ["trino://ana@host", {}, "url"],
  ["trino://ana@host/memory/default", {}, "url"],
  ["trino://ana@host/memory?SSL=true", {}, "url"],
  ["trino://ana:%zz@host/memory", {}, "url"],
  ["trino://ana@host/memory", { password: "secret", tls: "off" }, "tls"],
  ["trino://ana@host/memory", { token: "secret", tls: "off" }, "tls"],
  ["trino://ana:secret@host/memory", { tls: "off" }, "tls"],
  ["trino://ana@host/memory", { token: "secret", password: "secret" }, "token"],
  ["trino://ana@host/memory", { tokenFile: "secret", tls: "off" }, "tls"],
  ["trino://ana@host/memory", { tokenFile: "secret", password: "secret" }, "token"],
] as const)("the connection %s with %j is refused by the name of its setting", async (url, more, setting) => {
  const opening = trinoEngine({ connections: { lake: { url, ...more } } });
  await expect(opening).rejects.toMatchObject({
    code: "INVALID_PARAMETER",
    details: { name: `sources.lake.${setting}` },
  });
  await expect(opening).rejects.not.toThrow("secret");
});

test.each([
  ["trino://ana@host/memory", {}, "https://host", null],
  ["trino://ana@host:8443/memory", { token: "abc" }, "https://host:8443", "Bearer abc"],
  ["trino://ana@host/memory", { tls: "off" }, "http://host", null],
  ["trino://ana:pw@localhost:8080/memory", {}, "http://localhost:8080", "Basic YW5hOnB3"],
] as const)("%s with %j is asked at %s", (url, more, origin, authorization) => {
  expect(coordinatorOf("lake", { url, ...more })).toMatchObject({
    origin,
    authorization,
    user: "ana",
    catalog: "memory",
  });
});

test("a token is the one that its file holds now; without the file it is as one that has expired", async () => {
  const folder = temporaryFolder();
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "first\n");
  const seen: (string | undefined)[] = [];
  const { at } = await coordinator((request, response) => {
    seen.push(request.headers.authorization);
    if (request.headers.authorization === "Bearer first") status(401)(request, response);
    else page('{"data":[[1]]}')(request, response);
  });
  const url = `${at.origin.replace("http://", "trino://ana@")}/memory`;
  const engine = await trinoEngine({ connections: { lake: { url, tokenFile } } });
  const expired = { lake: "its password or token is wrong, or has expired" };
  expect(await engine.probe()).toEqual(expired);
  await writeFile(tokenFile, "second\n");
  expect(await engine.probe()).toEqual({ lake: null });
  await rm(tokenFile);
  expect(await engine.probe()).toEqual(expired);
  expect(seen).toEqual(["Bearer first", "Bearer second"]);
});

test.each([
  [status(401), "its password or token is wrong, or has expired"],
  [status(403), "its user is not admitted"],
  [
    page('{"error":{"errorName":"GENERIC_INTERNAL_ERROR","message":"secret-row-value"}}'),
    "the cluster could not run the query",
  ],
])("what is wrong with a cluster is said in words of our own: %#", async (answer, words) => {
  const { at } = await coordinator(answer);
  const url = at.origin.replace("http://", "trino://ana@");
  const engine = await trinoEngine({ connections: { lake: { url: `${url}/memory` } } });
  expect(await engine.probe()).toEqual({ lake: words });
  const source = { trino: { connection: "lake", schema: "s", table: "t" } };
  const described = engine.describe(source);
  await expect(described).rejects.toMatchObject({ code: "DATA_UNREADABLE", details: { name: "source.trino" } });
  await expect(described).rejects.not.toThrow("secret-row-value");
});
