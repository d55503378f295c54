import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "./folder.kit.ts";
import { STEP_MS, within } from "./within.kit.ts";

const command = join(import.meta.dirname, "../packages/dosimeter/bin/dosimeter.cjs");
const folder = temporaryFolder();
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
});

interface Started {
  readonly url: string;
  readonly links: readonly { readonly name: string; readonly url: string }[] | null;
  /** Sends the signals and waits; resolves to the exit code. */
  readonly stop: (...signals: NodeJS.Signals[]) => Promise<number | null>;
}

function start(data: string, ...args: string[]): Promise<Started> {
  const child = spawn(process.execPath, [command, "serve", "--json", "--data", join(folder, data), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  let said = "";
  const started = new Promise<Started>((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`ended with ${code}: ${said}`)));
    child.stdout.on("data", (piece) => {
      said += piece;
      if (!said.trimEnd().endsWith("}")) return;
      const { url, links } = JSON.parse(said);
      const stop = (...signals: NodeJS.Signals[]) => {
        for (const signal of signals) child.kill(signal);
        return within("the end of the server", ended);
      };
      resolve({ url, links, stop });
    });
  });
  return within(() => `the start of the server, which said ${JSON.stringify(said)},`, started);
}

async function dosimeter(...args: string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "inherit"], timeout: 100_000 });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  return { out: await readAll(child.stdout), code: await ended };
}

async function signIn(link: string): Promise<Response> {
  const { origin, hash } = new URL(link);
  const body = JSON.stringify({ link: hash.slice(1) });
  return fetch(`${origin}/v1/session`, { method: "POST", body, headers: { "content-type": "application/json" } });
}

test("a demo starts, is found running, gives links that work once, stops, and is all there again", async () => {
  const first = await start("demo", "--demo", "--port", "0");
  expect(first.links?.map(({ name }) => name)).toEqual([
    "Ana Silva",
    "Audrey Chen",
    "Ben Okafor",
    "Dana Ortiz",
    "Lea Park",
  ]);
  const health = await fetch(`${first.url}/v1/health`).then((response) => response.json());
  expect(health).toMatchObject({ status: "ok", demo: true });

  const again = await dosimeter("serve", "--demo", "--data", join(folder, "demo"));
  expect(again).toEqual({ code: 6, out: `already running at ${first.url}\n` });

  const [link] = first.links ?? [];
  expect((await signIn(link!.url)).status).toBe(201);
  expect((await signIn(link!.url)).status).toBe(401);
  const { out } = await dosimeter("demo", "links", "--data", join(folder, "demo"), "--json");
  const fresh = JSON.parse(out).find(({ name }: { name: string }) => name === "Ana Silva");
  expect(fresh.url.startsWith(`${first.url}/sign-in#`)).toBe(true);
  const session = await signIn(fresh.url);
  const cookie = session.headers.getSetCookie()[0]!.split(";")[0]!;
  const releases = async (url: string) => {
    const response = await fetch(`${url}/v1/releases`, { headers: { cookie } });
    return (await response.json()).items.map(({ id }: { id: string }) => id);
  };
  const before = await releases(first.url);
  expect(before).toHaveLength(4); // two of them on the clinic

  // One Ctrl-C, heard from the terminal and from npm.
  expect(await first.stop("SIGINT", "SIGINT")).toBe(0);
  const second = await start("demo", "--demo", "--port", "0");
  expect(await releases(second.url)).toEqual(before);
  expect(await second.stop("SIGTERM")).toBe(0);
});

test("a named port that is taken is an error; other people's folders get no demo", async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
  });
  const data = join(folder, "own");
  await dosimeter("person", "create", "Real Person", "--data", data);
  const refused = await dosimeter("serve", "--data", data, "--port", String(port));
  expect(refused).toEqual({ code: 1, out: "" });
  const { links, stop } = await start("own", "--demo", "--port", "0");
  expect(links).toBeNull();
  const { out } = await dosimeter("dataset", "list", "--json", "--data", data);
  expect(JSON.parse(out)).toEqual([]);
  await stop("SIGINT");
  taken.close();
});

test("SIGTERM to npm ends the server that it started", async () => {
  const data = join(folder, "by-npm");
  const npm = spawn("npm", ["exec", "--", "dosimeter", "serve", "--json", "--port", "0", "--data", data], {
    cwd: join(import.meta.dirname, ".."),
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(npm);
  const [said] = await within("the start by npm", once(npm.stdout, "data"));
  expect(JSON.parse(String(said))).toMatchObject({ listens: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
  npm.kill("SIGTERM");
  await expect.poll(() => existsSync(join(data, "lock.json")), { timeout: STEP_MS }).toBe(false);
});

test("the operator's token is rotated under a server that runs and on a folder at rest: the old one ends", async () => {
  const data = join(folder, "rotated");
  const token = () => readFileSync(join(data, "operator.token"), "utf8").trim();
  const { url, stop } = await start("rotated", "--port", "0");
  const statusOf = async (secret: string) =>
    (await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${secret}` } })).status;
  const first = token();
  expect(await statusOf(first)).toBe(200);
  expect((await dosimeter("token", "rotate", "--data", data)).code).toBe(0);
  expect(token()).not.toBe(first);
  expect([await statusOf(first), await statusOf(token())]).toEqual([401, 200]);
  await stop("SIGINT");
  const second = token();
  expect((await dosimeter("token", "rotate", "--data", data)).code).toBe(0);
  expect(token()).not.toBe(second);
  const live = JSON.parse((await dosimeter("token", "list", "--json", "--data", data)).out);
  expect(live.filter(({ endedAt }: { endedAt: string | null }) => endedAt === null)).toHaveLength(1);
});

test("a real person ends the demo's sign-in", async () => {
  const { url, links, stop } = await start("mixed", "--demo", "--port", "0");
  await dosimeter("person", "create", "Real Person", "--data", join(folder, "mixed"));
  expect((await signIn(links![0]!.url)).status).toBe(401);
  expect(await fetch(`${url}/v1/health`).then((response) => response.json())).toMatchObject({ demo: false });
  await stop("SIGINT");
});

test("the story runs in a pipe: every step, and an interval holds the truth", async () => {
  const { code, out } = await dosimeter("demo", "--json");
  const summary = JSON.parse(out);
  expect(code).toBe(0);
  expect(summary).toMatchObject({
    refusal: { code: "QUOTA_EXHAUSTED", largestEpsilon: "0.55" },
    left: "0.01",
    verified: true,
    told: 7,
  });
  // Each holds with probability 0.95; that all seven miss happens once in 10⁹ runs.
  expect(summary.held).toBeGreaterThanOrEqual(1);
});
