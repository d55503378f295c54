// The clients of `hostileHour` that wish the server ill, in a process of their own.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { createClient, type Plan } from "../../packages/client/src/index.ts";
import { type Route, routeNames, routes } from "../../packages/client/src/routes.ts";
import { countPlan, csvBytes } from "../../packages/server/src/instance.kit.ts";
import type { Target } from "./target.kit.ts";

export interface Orders {
  readonly target: Target;
  readonly clients: number;
  readonly milliseconds: number;
  /** Only these attacks; all when empty. */
  readonly only: readonly string[];
}

/** How often each attack was answered with what: `"quotes 429"` → 12. */
export type Answers = Readonly<Record<string, number>>;

/** A small file that unpacks to twenty million rows. */
async function parquetBomb(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-bomb-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const file = join(folder, "bomb.parquet");
  await connection.run(`COPY (SELECT 1 AS p, 1 AS n FROM range(20000000)) TO '${file}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  const bytes = new Uint8Array(await readFile(file));
  await rm(folder, { recursive: true });
  return bytes;
}

type Attack = (n: number) => Promise<number>;

/** Each returns the status of its answer; `n` differs from call to call. */
async function attacksOn({ url, dataset, hostile: { token, account } }: Target): Promise<Record<string, Attack>> {
  const bomb = await parquetBomb();
  const wide = csvBytes(`${",".repeat(240_000)}\n`);
  const long = csvBytes(`p,c\n${Array.from({ length: 60_000 }, (_, i) => `${i},c${i % 1000}`).join("\n")}\n`);
  const send = async (path: string, init: RequestInit = {}, signedIn = true): Promise<number> => {
    const headers = { ...(signedIn ? { authorization: `Bearer ${token}` } : {}), ...init.headers };
    const answer = await fetch(`${url}${path}`, { ...init, headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const post = (path: string, body: unknown, headers = {}, signedIn = true) =>
    send(
      path,
      { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) },
      signedIn,
    );
  const upload = (name: string, body: Uint8Array<ArrayBuffer>) =>
    send(`/v1/files?name=${name}`, { method: "POST", headers: { "content-type": "application/octet-stream" }, body });
  const table = (n: number, rows: number): Plan => ({
    statistics: Array.from({ length: rows }, (_, i) => ({
      id: `s${i}`,
      statistic: "count",
      groupBy: ["c"],
      epsilon: `0.0${(n % 9) + 1}`,
    })),
  });
  const all: readonly Route[] = routeNames.map((name) => routes[name]);
  const routeAt = (n: number) => all[n % all.length] ?? routes.health;
  const pathAt = (n: number) => routeAt(n).path.replace(/\{\w+\}/g, () => (n % 2 === 0 ? dataset : "%00'x"));
  return {
    "wide CSV": () => upload("wide.csv", wide),
    "long CSV": () => upload("long.csv", long),
    "Parquet bomb": () => upload("bomb.parquet", bomb),
    quotes: (n) => post("/v1/quotes", { dataset, account, plan: table(n, 20) }),
    "large quotes": (n) => post("/v1/quotes", { dataset, account, plan: table(n, 199), people: 1000 }),
    releases: () =>
      post("/v1/releases", { dataset, account, plan: countPlan("0.01") }, { "idempotency-key": crypto.randomUUID() }),
    reports: (n) => send(`/v1/accounts/${account}/report?delta=1e-${(n % 8) + 2}`),
    "PDF reports": async () => {
      const { items } = await createClient({ url, token }).listReleases({ limit: 1 });
      return send(`/v1/releases/${items[0]?.id ?? "none"}/report`);
    },
    "bad tokens": (n) => send("/v1/me", { headers: { authorization: `Bearer dsm_${n}` } }, false),
    "no token": () => send("/v1/me", {}, false),
    "bad passwords": (n) =>
      post("/v1/session", { email: "teamAdmin@example.org", password: `guess ${n}` }, { "x-dosimeter": "1" }, false),
    fuzz: (n) => {
      const body = ["{", "[]", "null", `"${"x".repeat(5000)}"`, '{"__proto__":{}}', "[".repeat(10_000)][n % 6] ?? "";
      const { method } = routeAt(n);
      const headers = { "content-type": "application/json", "idempotency-key": `k${n}` };
      return send(pathAt(n), { method, headers, ...(method === "POST" ? { body } : {}) });
    },
    "wrong methods": (n) => send(pathAt(n), { method: ["PUT", "PATCH", "DELETE", "OPTIONS"][n % 4] ?? "PUT" }),
  };
}

async function attack({ target, clients, milliseconds, only }: Orders): Promise<Answers> {
  const attacks = Object.entries(await attacksOn(target)).filter(([name]) => only.length === 0 || only.includes(name));
  process.send?.(attacks.map(([name]) => name)); // ready
  await new Promise((resolve) => process.once("message", resolve));
  const end = performance.now() + milliseconds;
  const answers: Record<string, number> = {};
  const client = async (which: number) => {
    const [name, run] = attacks[which % attacks.length] ?? [];
    for (let n = which; performance.now() < end && run !== undefined; n += 1) {
      const status = await run(n).catch(
        (error: Error) => (error.cause as { code?: string } | undefined)?.code ?? error.message,
      );
      answers[`${name} ${status}`] = (answers[`${name} ${status}`] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, which) => client(which)));
  return answers;
}

process.once("message", (orders) => {
  void attack(orders as Orders)
    .then((answers) => process.send?.(answers))
    .then(() => process.disconnect());
});
