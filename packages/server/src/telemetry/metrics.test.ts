import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { buildFixture, ORIGIN, openTestInstance } from "../instance.kit.ts";
import { metricRows } from "./metrics.ts";

const get = (instance: { fetch: (request: Request) => Response | Promise<Response> }, path: string) =>
  instance.fetch(new Request(`${ORIGIN}${path}`));

test("metrics count routes, refusals and releases, by names of this program only", async () => {
  const instance = await instanceOfTest({ metrics: true });
  expect((await get(instance, "/v1/ready")).status).toBe(200);
  expect((await get(instance, "/v1/datasets/a-secret-name")).status).toBe(401);
  const answer = await get(instance, "/metrics");
  expect(answer.headers.get("content-type")).toContain("text/plain");
  const text = await answer.text();
  expect(text).toContain('dosimeter_requests_total{route="ready",status="200"} 1');
  expect(text).toContain('dosimeter_refusals_total{code="UNAUTHENTICATED"} 1');
  expect(text).toContain('dosimeter_releases{stage="queued"} 0');
  expect(text).toContain("dosimeter_ready 1");
  const sum = Number(/dosimeter_request_seconds_sum\{route="ready"\} (\S+)/.exec(text)?.[1]);
  expect(Math.log2(1000 * sum) % 1, "how long one took, a power of two of milliseconds").toBe(0);
  expect(text).not.toContain("a-secret-name");
  const passedOn = new Request(`${ORIGIN}/%6Detrics`, { headers: { "x-forwarded-for": "203.0.113.9" } });
  expect((await instance.fetch(passedOn)).status, "what a proxy passes on is from outside").toBe(404);
});

test("the dashboard and the alerts name only metrics that are there, and every one of the server's own is in the dashboard", async () => {
  const folder = temporaryFolder();
  const sources = join(folder, "sources.json");
  await writeFile(sources, JSON.stringify({ a: { url: "postgres://r@127.0.0.1:1/d" } }));
  const witness = pathToFileURL(join(folder, "witness.json")).href;
  const instance = await openTestInstance({ metrics: true, sources, witness });
  try {
    const text = await (await get(instance, "/metrics")).text();
    const known = [...text.matchAll(/^# TYPE (dosimeter_\w+) (\w+)$/gm)].map(([, name = "", type]) => ({ name, type }));
    const all = known.flatMap(({ name, type }) => (type === "histogram" ? [name, `${name}_bucket`] : [name]));
    const read = (name: string) =>
      readFile(new URL(`../../../../examples/grafana/${name}.json`, import.meta.url), "utf8");
    const namesIn = (json: string) => new Set(json.match(/dosimeter_\w+/g));
    for (const name of ["dashboard", "alerts"]) {
      const json = await read(name);
      expect(() => JSON.parse(json)).not.toThrow();
      for (const one of namesIn(json)) expect(all, `${name}: ${one}`).toContain(one);
    }
    const shown = [...namesIn(await read("dashboard"))];
    const own = known.filter(({ name }) => !/^dosimeter_(process|nodejs)_/.test(name));
    const rows = Object.entries<{ type: string }>(metricRows).map(([name, { type }]) => ({
      name: `dosimeter_${name}`,
      type,
    }));
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    expect(own.toSorted(byName)).toEqual(rows.toSorted(byName));
    for (const { name } of own)
      expect(
        shown.some((one) => one.startsWith(name)),
        name,
      ).toBe(true);
    for (const value of ["ledgers_frozen 0", "outbox_waiting 0", "checkpoint_age_seconds ", 'build_info{version="'])
      expect(text).toContain(`dosimeter_${value}`);
  } finally {
    await instance.close();
  }
});

test("a frozen ledger is counted, and readiness and its page say why to those who audit it", async () => {
  const instance = await instanceOfTest({ metrics: true });
  const { as, ledger } = await buildFixture(instance);
  await as.datasetAdmin.freezeLedger({ ledger, reason: "an audit runs" });
  expect(await (await get(instance, "/metrics")).text()).toContain("dosimeter_ledgers_frozen 1");
  const since = expect.any(String);
  expect((await as.platformAdmin.ready()).frozen).toEqual([{ ledger, since, reason: "an audit runs" }]);
  expect(await as.member.ready()).toEqual({ ready: true });
  expect((await as.auditor.showLedger({ ledger })).frozen).toEqual({ since, reason: "an audit runs" });
  expect((await as.member.showLedger({ ledger })).frozen).toEqual({ since, reason: null });
  await as.datasetAdmin.reopenLedger({ ledger, epsilon: "0", delta: "0", reason: "it is over" });
  expect((await as.auditor.showLedger({ ledger })).frozen).toBeUndefined();
});

test("metrics are off unless the operator switches them on", async () => {
  const instance = await instanceOfTest();
  expect((await get(instance, "/metrics")).status).toBe(404);
});

test("a server that is stopping is not ready", async () => {
  const instance = await instanceOfTest();
  await instance.drain();
  const answer = await get(instance, "/v1/ready");
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: "NOT_READY" });
});
