import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { within } from "../../../../test/within.kit.ts";
import { buildFixture, type Fixture } from "../instance.kit.ts";
import { serve } from "../serve.ts";
import { createLog } from "../telemetry/log.ts";

const lines: { readonly level: number; readonly msg: string; readonly route?: string; readonly code?: string }[] = [];
const place = temporaryFolder();
let serving: Awaited<ReturnType<typeof serve>>;
let fixture: Fixture;

beforeAll(async () => {
  const log = createLog("info", (line) => lines.push(JSON.parse(line)));
  serving = await serve({ folder: place, port: 0, webRoot: null, log, metrics: true });
  fixture = await buildFixture(serving.instance);
});
afterAll(() => serving.close());

test.each([
  ["an upload", "uploadFile", "POST /v1/files?name=a.csv", "text/csv", "person,age\n1,"],
  ["an upload in parts", "uploadFile", "POST /v1/files?name=a.csv", "text/csv", null],
  ["a release", "createRelease", "POST /v1/releases", "application/json", '{"dataset":'],
  ["a message of an agent", "mcp", "POST /mcp", "application/json", '{"jsonrpc":'],
])("a client that dies while it sends %s is no fault of this server", async (_, route, line, type, sent) => {
  const { hostname, port } = new URL(serving.url);
  const before = lines.length;
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const length = sent === null ? "Transfer-Encoding: chunked" : "Content-Length: 100000";
  const head = [
    `${line} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${fixture.tokens.datasetAdmin}`,
  ];
  const fields = [`Content-Type: ${type}`, "Idempotency-Key: k", "Expect: 100-continue", length];
  socket.write(`${[...head, ...fields].join("\r\n")}\r\n\r\n`);
  const [said] = await within("the go-ahead", once(socket, "data"), 20_000);
  expect(`${said}`).toMatch(/^HTTP\/1\.1 100 /);
  await new Promise<unknown>((resolve) => socket.write(sent ?? "5\r\nperso\r\n", resolve));
  socket.destroy();
  await expect.poll(() => lines.slice(before).some((one) => one.route === route), { timeout: 20_000 }).toBe(true);
  const logged = lines.slice(before).filter((one) => one.route === route);
  expect(logged.map(({ level, msg, code }) => [level, msg, code])).toEqual([[30, "left", undefined]]);
  const metrics = await (await fetch(`${serving.url}/metrics`)).text();
  expect(metrics).not.toContain('dosimeter_refusals_total{code="INTERNAL"}');
});
