import { execFileSync } from "node:child_process";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { within } from "../../../../test/within.kit.ts";
import { buildFixture, ORIGIN, openTestInstance } from "../instance.kit.ts";
import { classEnd } from "../release/timetable.ts";
import { createLog } from "./log.ts";
import { spanFacts } from "./span-facts.ts";

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly Value[] };
}
type Attributes = readonly { readonly key: string; readonly value: Value }[];
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly events?: readonly unknown[];
}

const sent: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[] = [];
const receiver = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    sent.push({ path: request.url ?? "", headers: request.headers, text: Buffer.concat(parts).toString() });
    response.setHeader("content-type", "application/json").end("{}");
  });
});
const addressOf = () => `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise<unknown>((resolve) => receiver.close(resolve)));

const spansOf = (texts: readonly string[]): readonly SentSpan[] =>
  texts.flatMap((text) =>
    (JSON.parse(text).resourceSpans as { scopeSpans: { spans: SentSpan[] }[] }[]).flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
const plain = ({ stringValue, intValue, doubleValue, arrayValue }: Value): unknown =>
  arrayValue === undefined ? (stringValue ?? intValue ?? doubleValue) : arrayValue.values.map(plain);
const factsOf = ({ attributes }: SentSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
const lasted = ({ startTimeUnixNano, endTimeUnixNano }: SentSpan) =>
  Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6;

test("[M418] one release is one tree of spans, from its route over the process that reads rows to the ledger, of public facts alone", async () => {
  const instance = await openTestInstance({ otlp: `http://ana:s%40crit@${addressOf()}` });
  const fixture = await buildFixture(instance);
  const { tokens, dataset, memberAccount: account } = fixture;
  const where = { op: ">", column: "age", value: 41 };
  const plan = {
    statistics: [
      { id: "few", statistic: "count", epsilon: "0.0371", where },
      { id: "pay", statistic: "mean", column: "salary", epsilon: "0.0371" },
    ],
  };
  const answer = await instance.fetch(
    new Request(`${ORIGIN}/v1/releases`, {
      method: "POST",
      body: JSON.stringify({ dataset, account, plan }),
      headers: {
        authorization: `Bearer ${tokens.member}`,
        "content-type": "application/json",
        "idempotency-key": "traced",
        traceparent: "00-11111111111111111111111111111111-2222222222222222-01",
      },
    }),
  );
  const { id, detail } = (await answer.json()) as { readonly id: string; readonly detail?: string };
  expect(answer.status, detail).toBe(202);
  const released = await fixture.as.member.showRelease({ release: id, wait: 20 });
  expect(released.state).toBe("released");
  await instance.close();

  const traces = sent.filter(({ path }) => path === "/v1/traces");
  const spans = spansOf(traces.map(({ text }) => text));
  const request = answer.headers.get("x-request-id");
  const root = spans.find((one) => factsOf(one)["dosimeter.request"] === request)!;
  expect(root).toMatchObject({ name: "createRelease" });
  expect(root.parentSpanId ?? "").toBe("");
  expect(root.traceId).not.toMatch(/^1+$/);
  const own = spans.filter(({ traceId }) => traceId === root.traceId);
  const nameOf = (spanId: string | undefined) => own.find((one) => one.spanId === spanId)?.name;
  expect(Object.fromEntries(own.map((one) => [one.name, nameOf(one.parentSpanId)]))).toEqual({
    createRelease: undefined,
    charge: "createRelease",
    quote: "charge",
    "ledger.charge": "charge",
    queue: "createRelease",
    release: "createRelease",
    measure: "release",
    "ledger.release": "release",
  });
  const measure = own.find(({ name }) => name === "measure")!;
  const { "dosimeter.departure": departure, ...said } = factsOf(measure);
  expect(said).toEqual({ "dosimeter.statistics": ["count", "mean"] });
  expect(lasted(measure), "what was measured took less").toBeCloseTo(Number(departure), 3);
  expect(classEnd(Number(departure)), "a departure of the grid").toBeCloseTo(Number(departure), 6);
  expect(Math.log2(lasted(root)) % 1).toBe(0);

  for (const one of spans) {
    expect(one.events ?? []).toEqual([]);
    for (const { key, value } of one.attributes) {
      const fact = key.replace(/^dosimeter\./, "") as keyof typeof spanFacts;
      expect(spanFacts[fact]?.(plain(value)), `${one.name}: ${key}`).toBe(true);
    }
  }
  const everything = JSON.stringify(sent.map(({ text }) => text));
  for (const private_ of ["salary", "0.0371", "staff", "member", "analysis", id, "7123450", "s@crit", instance.folder])
    expect(everything, private_).not.toContain(private_);
  expect(sent[0]?.headers.authorization).toBe(`Basic ${Buffer.from("ana:s@crit").toString("base64")}`);
});

test("the metrics that Prometheus would read are sent too, with their labels, and without /metrics being open", async () => {
  const from = sent.length;
  const instance = await openTestInstance({ otlp: `http://${addressOf()}/below/` });
  await instance.fetch(new Request(`${ORIGIN}/v1/ready`));
  expect((await instance.fetch(new Request(`${ORIGIN}/metrics`))).status).toBe(404);
  await instance.close();
  const { text = "{}" } = sent.slice(from).findLast(({ path }) => path === "/below/v1/metrics") ?? {};
  const [resource] = JSON.parse(text).resourceMetrics;
  expect(resource.resource.attributes.map(({ key }: { key: string }) => key).sort()).toEqual([
    "service.name",
    "service.version",
  ]);
  const metrics = new Map(
    resource.scopeMetrics.flatMap(({ metrics }: { metrics: { name: string }[] }) =>
      metrics.map((one) => [one.name, one]),
    ),
  ) as ReadonlyMap<string, Record<string, { dataPoints: Record<string, unknown>[] }>>;
  expect(metrics.get("dosimeter_requests_total")?.sum?.dataPoints[0]).toMatchObject({
    asDouble: 1,
    attributes: expect.arrayContaining([{ key: "route", value: { stringValue: "ready" } }]),
  });
  expect(metrics.get("dosimeter_ledgers_frozen")?.gauge?.dataPoints).toHaveLength(1);
  const [seconds = {}] = metrics.get("dosimeter_request_seconds")?.histogram?.dataPoints ?? [];
  const { bucketCounts, explicitBounds, count } = seconds as Record<string, number[]>;
  expect(bucketCounts).toHaveLength((explicitBounds ?? []).length + 1);
  expect(bucketCounts?.reduce((sum, one) => sum + Number(one), 0)).toBe(Number(count));
});

test("a receiver that does not answer delays nothing, and is one line in the log", async () => {
  const lines: { readonly code?: string }[] = [];
  const log = createLog("error", (line) => lines.push(JSON.parse(line)));
  const instance = await openTestInstance({ otlp: "http://127.0.0.1:1", log });
  expect((await instance.fetch(new Request(`${ORIGIN}/v1/ready`))).status).toBe(200);
  await within("the end", instance.close(), 60_000);
  expect(lines.map(({ code }) => code)).toEqual(["TELEMETRY_NOT_SENT"]);
});

test("a receiver that answers a letter at a time holds no one up at the end", async () => {
  const slow = createServer((request, response) => {
    request.resume();
    response.writeHead(200);
    const timer = setInterval(() => response.write("x"), 100);
    response.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  const instance = await openTestInstance({ otlp: `http://127.0.0.1:${(slow.address() as AddressInfo).port}` });
  await instance.fetch(new Request(`${ORIGIN}/v1/ready`));
  await within("the end", instance.close(), 30_000);
  slow.closeAllConnections();
  slow.close();
});

test("without a receiver nothing of the library is loaded", async () => {
  const folder = temporaryFolder();
  const code = `import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) { if (/opentelemetry.(sdk|exporter)|otlp/.test(name)) console.log(name); return next(name, context); } });
    const { openInstance } = await import("@dosimeter/server");
    const instance = await openInstance({ folder: process.argv[1] });
    await instance.close();`;
  const loaded = execFileSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", code, folder],
    { encoding: "utf8", timeout: 120_000, cwd: new URL("../..", import.meta.url) },
  );
  expect(loaded).toBe("");
});
