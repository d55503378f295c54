import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { createClient } from "@dosimeter/client";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/folder.kit.ts";
import { runningInstance } from "./instance/running.ts";
import { buildFixture, countPlan, csvBytes } from "./instance.kit.ts";
import { serve } from "./serve.ts";

let place: string;
let webRoot: string;

beforeEach(async () => {
  place = temporaryFolder();
  webRoot = join(place, "web");
  await mkdir(join(webRoot, "assets"), { recursive: true });
  await writeFile(
    join(webRoot, "index.html"),
    "<!doctype html><html><head><title>x</title></head><body><script>let a = 1</script></body></html>",
  );
  await mkdir(join(webRoot, "docs", "errors"), { recursive: true });
  await writeFile(join(webRoot, "docs", "errors", "CONFLICT.html"), "<!doctype html><h1>CONFLICT</h1>");
  await writeFile(join(webRoot, "docs", "index.html"), "<!doctype html><h1>Documentation</h1>");
  const script = "export {};\n".repeat(500);
  await writeFile(join(webRoot, "assets", "app-1a2b.js"), script);
  await writeFile(join(webRoot, "assets", "app-1a2b.js.br"), brotliCompressSync(script));
});

const data = () => join(place, "data");
const start = (port = 0) => serve({ folder: data(), port, webRoot });

test("serves the interface and the app, and the app knows that it has a server", async () => {
  const serving = await start();
  try {
    expect(serving.url).toMatch(/^http:\/\/localhost:\d+$/);
    const page = await fetch(`${serving.url}/datasets/dat_x`);
    const html = await page.text();
    expect(html).toContain('<head><base href="/"><meta name="dosimeter-api" content="/">');
    expect(page.headers.get("content-security-policy")).toMatch(/script-src 'self' 'sha256-[\w+/=]+'/);
    const script = await fetch(`${serving.url}/assets/app-1a2b.js`, { headers: { "accept-encoding": "br, gzip" } });
    expect(script.headers.get("content-type")).toContain("javascript");
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect([script.headers.get("content-encoding"), script.headers.get("vary")]).toEqual(["br", "accept-encoding"]);
    const plain = await fetch(`${serving.url}/assets/app-1a2b.js`, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await script.text()).toBe(await plain.text());
    for (const path of ["/docs", "/docs/", "/docs/index.html"]) {
      const docs = await fetch(`${serving.url}${path}`);
      expect(docs.url).toBe(`${serving.url}/docs/index.html`);
      expect(docs.headers.get("content-security-policy")).toContain("script-src 'self' 'wasm-unsafe-eval';");
      expect(await docs.text()).toContain("<h1>Documentation</h1>");
    }
    expect(page.headers.get("content-security-policy")).not.toContain("wasm");
    expect((await fetch(`${serving.url}/docs/errors/CONFLICT`)).url).toBe(`${serving.url}/docs/errors/CONFLICT.html`);
    expect((await fetch(`${serving.url}/index.html`)).url).toBe(`${serving.url}/`);
    for (const path of ["/assets/none.js", "/assets/..%2f..%2fdata%2foperator.token", "/../data/operator.token"])
      expect((await fetch(`${serving.url}${path}`)).status).toBe(404);
    expect(await (await fetch(`${serving.url}/openapi.json`)).json()).toMatchObject({ openapi: "3.1.0" });
    const token = (await readFile(join(data(), "operator.token"), "utf8")).trim();
    const client = createClient({ url: serving.url, token });
    expect((await client.me()).roles).toMatchObject([{ role: "platformAdmin" }]);
    const stream = new Blob([csvBytes()]).stream() as ReadableStream<Uint8Array>;
    expect(await client.uploadFile({ name: "staff.csv", content: stream })).toMatchObject({
      format: "csv",
      bytes: csvBytes().length,
    });
  } finally {
    await serving.close();
  }
});

test("over a real connection: 10 MB of JSON is refused, events arrive as they happen, a proxy's address is believed", async () => {
  const serving = await serve({ folder: data(), port: 0, webRoot: null, publicUrl: "https://budget.example" });
  try {
    const here = (await runningInstance(data()))?.url ?? "";
    const fixture = await buildFixture(serving.instance);
    const headers = { authorization: `Bearer ${fixture.tokens.member}`, "content-type": "application/json" };
    const large = await fetch(`${here}/v1/quotes`, { method: "POST", headers, body: "x".repeat(10_000_000) });
    expect([large.status, ((await large.json()) as { code: string }).code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);

    const client = createClient({ url: here, token: fixture.tokens.member });
    const { id } = await client.createRelease({
      dataset: fixture.dataset,
      account: fixture.memberAccount,
      plan: countPlan(),
    });
    const stages: string[] = [];
    for await (const { stage } of client.watchRelease({ release: id })) stages.push(stage);
    expect(stages.at(-1)).toBe("done");

    const operator = createClient({ url: here, token: serving.instance.operatorToken });
    const { url } = await operator.createSignInLink({ person: fixture.people.member });
    expect(url).toMatch(/^https:\/\/budget\.example\/sign-in#/);
    const signedIn = await fetch(`${here}/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-dosimeter": "1" },
      body: JSON.stringify({ link: new URL(url).hash.slice(1) }),
    });
    expect(signedIn.headers.get("set-cookie")).toMatch(/; Secure/);
  } finally {
    await serving.close();
  }
});

test("a connection stays open for longer than a proxy keeps it, and does not hold up the end", async () => {
  const serving = await start();
  const agent = new Agent({ keepAlive: true });
  const asked = get(`${serving.url}/v1/ready`, { agent, signal: AbortSignal.timeout(60_000) });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const { socket } = answer.resume();
  await once(answer, "end", { signal: AbortSignal.timeout(60_000) });
  const [, seconds] = /^timeout=(\d+)$/.exec(String(answer.headers["keep-alive"])) ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
  const closed = once(socket, "close", { signal: AbortSignal.timeout(30_000) });
  await Promise.all([closed, serving.close()]);
  agent.destroy();
});

test("above the limit a newcomer ends the connection that has waited longest, and none whose request is being answered", async () => {
  const LIMIT = 5;
  const serving = await serve({ folder: data(), port: 0, webRoot: null, maxConnections: LIMIT });
  const port = Number(new URL(serving.url).port);
  const signal = AbortSignal.timeout(60_000);
  const open = async (sent: string) => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect", { signal });
    socket.resume().write(sent);
    return { socket, ended: once(socket, "close", { signal }) };
  };
  const many = async (sent: string) => {
    const opened = [await open(sent)];
    while (opened.length < LIMIT) opened.push(await open(sent));
    return opened;
  };
  const health = () => fetch(`${serving.url}/v1/health`, { signal, headers: { connection: "close" } });
  const silent = [...(await many("")), ...(await many("GET /v1/health HTTP/1.1\r\nhost: localhost\r\n"))];
  await Promise.all(silent.slice(0, LIMIT).map(({ ended }) => ended));
  expect((await health()).status).toBe(200);
  await silent[LIMIT]?.ended;
  expect(silent.slice(LIMIT).map(({ socket }) => socket.closed)).toEqual([true, false, false, false, false]);
  const head = "POST /v1/session HTTP/1.1\r\nhost: localhost\r\nx-dosimeter: 1\r\ncontent-type: application/json\r\n";
  const busy: Awaited<ReturnType<typeof open>>[] = [];
  while (busy.length < LIMIT) {
    const one = await open(`${head}expect: 100-continue\r\ncontent-length: 2\r\n\r\n`);
    expect(String(await once(one.socket, "data", { signal }))).toMatch(/^HTTP\/1.1 100 /);
    busy.push(one);
  }
  await expect(health(), "all have a request").rejects.toThrow("fetch failed");
  const [first = await open("")] = busy;
  const answer = once(first.socket, "data", { signal });
  first.socket.write("{}");
  expect(String(await answer)).toMatch(/^HTTP\/1.1 4/);
  expect((await health()).status).toBe(200);
  await first.ended;
  for (const { socket } of busy) socket.destroy();
  await serving.close();
});

test("only its owner can read the data folder and the operator's token", async () => {
  const serving = await start();
  await serving.close();
  expect((await stat(data())).mode & 0o077).toBe(0);
  for (const name of ["operator.token", "ledger.sqlite"]) expect((await stat(join(data(), name))).mode & 0o077).toBe(0);
});

test("a second start on the same folder learns where the first answers", async () => {
  const first = await start();
  await expect(start()).rejects.toMatchObject({ code: "ALREADY_RUNNING", details: { url: first.url } });
  expect(await runningInstance(data())).toEqual({ url: first.url, operator: join(data(), "operator.token") });
  await first.close();
  expect(await runningInstance(data())).toBeNull();
  const again = await start();
  await again.close();
});

test("a named port that is taken ends the start before anything is made", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening", { signal: AbortSignal.timeout(60_000) });
  const { port } = other.address() as { port: number };
  await expect(start(port)).rejects.toMatchObject({
    code: "NOT_READY",
    message: expect.stringContaining(`port ${port}: is taken`),
  });
  expect(await readdir(data()), "only the folder that it tried").toEqual([]);
  other.close();
});

/** A server in a process of its own. */
async function startProcess(drainSeconds: number) {
  const options = JSON.stringify({ folder: data(), port: 0, webRoot: null, drainSeconds });
  const script = `import { closedOnSignal, serve } from "@dosimeter/server";
    const serving = await serve(${options});
    console.log(serving.url);
    await closedOnSignal(serving);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 100_000,
  });
  const exit = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const [said] = await once(child.stdout, "data", { signal: AbortSignal.timeout(60_000) });
  return { child, url: String(said).trim(), exit };
}

test.each(["SIGTERM", "SIGHUP"] as const)(
  "%s ends it cleanly: connections closed, lock released, exit code 0",
  async (signal) => {
    const { child, url, exit } = await startProcess(0);
    expect((await fetch(`${url}/v1/health`)).status).toBe(200);
    child.kill(signal);
    expect(await exit).toEqual({ code: 0, signal: null });
    await expect(stat(join(data(), "lock.json"))).rejects.toMatchObject({ code: "ENOENT" });
  },
);

test("asked to stop, it is not ready from then on, while all else goes on for as long as a balancer needs", async () => {
  const { child, url, exit } = await startProcess(600);
  const fresh = { headers: { connection: "close" } };
  expect((await fetch(`${url}/v1/ready`, fresh)).status).toBe(200);
  child.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${url}/v1/ready`, fresh)).status, { timeout: 30_000 }).toBe(503);
  expect((await fetch(`${url}/v1/session`, fresh)).status).toBe(200);
  child.kill("SIGKILL");
  await exit;
});

test("a refused upload gets its answer, and the next request on the same connection does too", async () => {
  const serving = await serve({ folder: data(), port: 0, webRoot: null, largestUpload: 100_000 });
  try {
    const token = (await readFile(join(data(), "operator.token"), "utf8")).trim();
    const part = new TextEncoder().encode("a,b\n".repeat(2 ** 14));
    const upload = async (megabytes: number, { isStream, isKnown }: { isStream: boolean; isKnown: boolean }) => {
      let left = megabytes * 16;
      const pull = (sink: ReadableStreamDefaultController) => (left-- > 0 ? sink.enqueue(part) : sink.close());
      const body = isStream ? new ReadableStream({ pull }) : Buffer.alloc(megabytes * 2 ** 20, "a,b\n");
      const headers = { "content-type": "text/csv", ...(isKnown ? { authorization: `Bearer ${token}` } : {}) };
      const init = { method: "POST", body, duplex: "half", headers, signal: AbortSignal.timeout(30_000) };
      const answer = await fetch(`${serving.url}/v1/files?name=x.csv`, init);
      await answer.arrayBuffer();
      return answer.status;
    };
    for (const megabytes of [1, 3, 5, 3])
      for (const isKnown of [true, false])
        for (const isStream of [true, false])
          expect(await upload(megabytes, { isStream, isKnown })).toBe(isKnown ? 413 : 401);
  } finally {
    await serving.close();
  }
});
