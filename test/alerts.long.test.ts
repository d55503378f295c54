import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createClient } from "@dosimeter/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSigned } from "./certificate.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { freePort } from "./port.kit.ts";
import { openPostgres, type PostgresServer } from "./postgres.kit.ts";
import { STEP_MS, within } from "./within.kit.ts";

/** The alerts of `examples/grafana`, in a real Prometheus that reads real servers, while what each is about happens. */
const rules = readFileSync(join(import.meta.dirname, "../examples/grafana/alerts.json"), "utf8");
const command = join(import.meta.dirname, "../packages/dosimeter/bin/dosimeter.cjs");

const works = (program: string, ...args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: "ignore", timeout: STEP_MS });
    return true;
  } catch {
    return false;
  }
};
const reason = works("prometheus", "--version") ? null : "no prometheus on this machine: apt install prometheus";

/** A minute of a rule is a second here. */
const soon = (text: string): string =>
  text.replaceAll(/(\d+)([mh])\b/g, (_, count, unit) => `${Number(count) * (unit === "h" ? 60 : 1)}s`);

const folder = temporaryFolder();
const small = join(folder, "small");
mkdirSync(small);
const isSmall = reason === null && works("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", small);
const running = new Set<ChildProcess>();
let database: PostgresServer;
let prometheus: string;
const ports = { one: 0, two: 0, small: 0 };
type Name = keyof typeof ports;
const servers = new Map<Name, ChildProcess>();

/** The servers share a database; the small one has its own, in a folder of a small disk. */
async function start(name: Name): Promise<void> {
  const shared = { DATABASE_URL: database.url, DOSIMETER_FILES: join(folder, "files") };
  const first = {
    DOSIMETER_WITNESS: pathToFileURL(join(folder, "witness", "checkpoint")).href,
    DOSIMETER_SOURCES: join(folder, "sources.json"),
    DOSIMETER_POSTGRES_WIRE: String(await freePort()),
    DOSIMETER_POSTGRES_WIRE_CERTIFICATE: join(folder, "certificate.pem"),
    DOSIMETER_POSTGRES_WIRE_KEY_FILE: join(folder, "key.pem"),
  };
  const child = spawn(
    process.execPath,
    [command, "serve", "--json", "--metrics", "--port", `${ports[name]}`, ...(name === "one" ? ["--demo"] : [])],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        DOSIMETER_DATA: name === "small" ? small : join(folder, name),
        ...(name === "small" ? {} : shared),
        ...(name === "one" ? first : {}),
      },
    },
  );
  running.add(child);
  servers.set(name, child);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  child.stdout.once("data", () => resolve());
  await within(`the start of ${name}`, promise, 2 * STEP_MS);
}

const kill = (name: Name): void => void servers.get(name)?.kill("SIGKILL");

async function firing(): Promise<readonly string[]> {
  const answer = await fetch(`${prometheus}/api/v1/alerts`, { signal: AbortSignal.timeout(STEP_MS) });
  const { data } = (await answer.json()) as {
    data: { alerts: readonly { state: string; labels: Readonly<Record<string, string>> }[] };
  };
  return data.alerts.flatMap(({ state, labels }) => (state === "firing" ? [labels.alertname ?? ""] : []));
}

/** Waits until an alert rings, or has stopped. */
async function expectAlert(alert: string, { rings }: { readonly rings: boolean }): Promise<void> {
  for (const until = performance.now() + STEP_MS; ; ) {
    const now = await firing();
    if (now.includes(alert) === rings) return;
    if (performance.now() > until) expect.fail(`${alert} ${rings ? "does not ring" : "rings on"}: ${now.join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** It rings once something has happened, and stops once that is over. */
async function expectRing(alert: string, happens: () => unknown, ends: () => unknown): Promise<void> {
  expect(await firing()).not.toContain(alert);
  await happens();
  await expectAlert(alert, { rings: true });
  await ends();
  await expectAlert(alert, { rings: false });
}

const operator = () =>
  createClient({
    url: `http://127.0.0.1:${ports.one}`,
    token: readFileSync(join(folder, "files", "operator.token"), "utf8").trim(),
  });

async function asPerson(person: string) {
  const url = `http://127.0.0.1:${ports.one}`;
  const link = (await operator().createDemoLinks()).items.find(({ name }) => name === person)?.url ?? "";
  const headers = { "content-type": "application/json", "x-dosimeter": "1" };
  const body = JSON.stringify({ link: new URL(link).hash.slice(1) });
  const session = await fetch(`${url}/v1/session`, { method: "POST", headers, body });
  const cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return createClient({
    url,
    fetch: (request) => {
      const asked = new Request(request);
      asked.headers.set("cookie", cookie);
      return fetch(asked);
    },
  });
}

const writeCertificate = (end?: number): void => {
  const { certificate, key } = selfSigned("127.0.0.1", end);
  writeFileSync(join(folder, "certificate.pem"), certificate);
  writeFileSync(join(folder, "key.pem"), key, { mode: 0o600 });
};
const writeSources = (port: number): void =>
  writeFileSync(
    join(folder, "sources.json"),
    JSON.stringify({ a: { url: `postgres://postgres@127.0.0.1:${port}/postgres` } }),
  );

async function again(name: Name): Promise<void> {
  kill(name);
  await start(name);
}

describe.skipIf(reason !== null)(`alerts${reason === null ? "" : `: ${reason}`}`, () => {
  beforeAll(async () => {
    mkdirSync(join(folder, "witness"));
    writeCertificate();
    database = await openPostgres({ settings: { fsync: "on" } });
    writeSources(database.port);
    for (const name of Object.keys(ports) as Name[]) ports[name] = await freePort();
    await start("one");
    await start("two");
    if (isSmall) await start("small");
    const port = await freePort();
    const names: readonly Name[] = isSmall ? ["one", "two", "small"] : ["one", "two"];
    writeFileSync(join(folder, "rules.json"), soon(rules));
    writeFileSync(
      join(folder, "prometheus.json"),
      JSON.stringify({
        global: { scrape_interval: "500ms", scrape_timeout: "500ms", evaluation_interval: "500ms" },
        rule_files: ["rules.json"],
        scrape_configs: [
          {
            job_name: "dosimeter",
            static_configs: [{ targets: names.map((name) => `127.0.0.1:${ports[name]}`) }],
          },
        ],
      }),
    );
    prometheus = `http://127.0.0.1:${port}`;
    running.add(
      spawn(
        "prometheus",
        [
          `--config.file=${join(folder, "prometheus.json")}`,
          `--storage.tsdb.path=${join(folder, "series")}`,
          `--web.listen-address=127.0.0.1:${port}`,
        ],
        { stdio: "ignore" },
      ),
    );
    for (const until = performance.now() + STEP_MS; !(await fetch(`${prometheus}/-/ready`).catch(() => null))?.ok; )
      if (performance.now() > until) throw new Error("Prometheus does not start");
  });
  afterAll(async () => {
    for (const child of running) child.kill("SIGKILL");
    await database?.close();
    if (isSmall) works("umount", "-l", small);
  });

  test("Prometheus takes the rules as they are, and finds nothing odd in the metrics", async () => {
    const checked = join(import.meta.dirname, "../examples/grafana/alerts.json");
    execFileSync("promtool", ["check", "rules", checked], { timeout: STEP_MS });
    const text = await (await fetch(`http://127.0.0.1:${ports.one}/metrics`)).text();
    execFileSync("promtool", ["check", "metrics"], { input: text, timeout: STEP_MS });
  });

  test("a server that is killed, then all of them", async () => {
    await expectRing(
      "DosimeterDown",
      () => kill("two"),
      () => start("two"),
    );
    const all = (isSmall ? ["one", "two", "small"] : ["one", "two"]) as readonly Name[];
    await expectRing(
      "DosimeterAbsent",
      () => all.forEach(kill),
      async () => {
        for (const name of all) await start(name);
      },
    );
  });

  test("the database is away", () =>
    expectRing(
      "DosimeterNotReady",
      () => database.stop(),
      () => database.start(),
    ));

  test("a ledger is frozen", async () => {
    const dana = await asPerson("Dana Ortiz");
    const { ledger } = (await dana.listDatasets({})).items.find(({ name }) => name === "adults") ?? {};
    if (typeof ledger !== "object" || ledger === null) throw new Error("the demo has no ledger");
    await expectRing(
      "DosimeterLedgerFrozen",
      () => dana.freezeLedger({ ledger: ledger.id, reason: "an audit runs" }),
      () => dana.reopenLedger({ ledger: ledger.id, epsilon: "0", delta: "0", reason: "it is over" }),
    );
  });

  test("a table's database is away", () =>
    expectRing(
      "DosimeterSourceDown",
      () => {
        writeSources(1);
        return again("one");
      },
      () => {
        writeSources(database.port);
        return again("one");
      },
    ));

  test("a certificate ends", () =>
    expectRing(
      "DosimeterCertificateEnds",
      () => {
        writeCertificate(2021);
        return again("one");
      },
      () => {
        writeCertificate();
        return again("one");
      },
    ));

  test.skipIf(!isSmall)("a disk is nearly full, then full", async () => {
    await expectAlert("DosimeterDiskLow", { rings: true });
    await expectRing(
      "DosimeterNotReady",
      () => works("dd", "if=/dev/zero", `of=${join(small, "filling")}`, "bs=1M"),
      () => rmSync(join(small, "filling")),
    );
    expect(existsSync(join(small, "filling"))).toBe(false);
  });

  test("the process that reads rows ends again and again", async () => {
    const ana = await asPerson("Ana Silva");
    const dataset = (await ana.listDatasets({})).items.find(({ name }) => name === "adults")?.id ?? "";
    const account = (await ana.listMyAccounts({ text: "adults" })).items[0]?.id ?? "";
    await expectRing(
      "DosimeterReaderRestarts",
      async () => {
        for (let times = 0; times < 6; times++) {
          works("pkill", "-KILL", "-P", String(servers.get("one")?.pid));
          const plan = { statistics: [{ id: `n${times}`, statistic: "count" as const, epsilon: "0.001" }] };
          const { id } = await ana.createRelease({ dataset, account, plan });
          for await (const { stage } of ana.watchRelease({ release: id })) expect(stage).not.toBe("setAside");
        }
      },
      () => undefined,
    );
  });
});
