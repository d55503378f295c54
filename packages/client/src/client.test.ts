import { readFileSync } from "node:fs";
import { PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { createClient } from "./client.ts";
import { serverSentEvents } from "./events.ts";

/** A server of canned answers: what is tested is what the SDK sends and how it reads what comes back. */
function answering(...answers: (() => Response)[]) {
  const sent: Request[] = [];
  const client = createClient({
    url: "http://instance.test/",
    token: "secret",
    fetch(request) {
      sent.push(request);
      return (answers.shift() ?? (() => Response.json({})))();
    },
  });
  return { client, sent };
}

test("path, query and body are taken from one flat input", async () => {
  const { client, sent } = answering();
  await client.createRelease(
    { dataset: "d", account: "a", plan: { statistics: [] }, wait: 3 },
    { idempotencyKey: "k" },
  );
  const [request] = sent;
  expect(request?.url).toBe("http://instance.test/v1/releases?wait=3");
  expect(request?.headers.get("idempotency-key")).toBe("k");
  expect(request?.headers.get("authorization")).toBe("Bearer secret");
  expect(await request?.json()).toEqual({ dataset: "d", account: "a", plan: { statistics: [] } });
});

test("ids are escaped into the path and never empty", async () => {
  const { client, sent } = answering();
  await client.showLedger({ ledger: "../../me?x=1" });
  expect(sent[0]?.url).toBe("http://instance.test/v1/ledgers/..%2F..%2Fme%3Fx%3D1");
  for (const person of [".", ".."])
    await expect(client.createServiceToken({ person, name: "n", scopes: ["read"] })).rejects.toMatchObject({
      name: "PrivacyError",
    });
  await expect(client.showLedger({ ledger: "" })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
});

test("a problem becomes a PrivacyError with its facts; an answer of something else than us does not pass for one", async () => {
  const problem = {
    type: "t",
    title: "t",
    status: 409,
    code: "QUOTA_EXHAUSTED",
    detail: "no room",
    largestEpsilon: "0.3",
  };
  const { client } = answering(
    () => Response.json(problem, { status: 409 }),
    () => new Response("<html>Bad gateway", { status: 502 }),
    () => new Response("<html>captive portal"),
  );
  const error = await client.me().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PrivacyError);
  expect(error).toMatchObject({ code: "QUOTA_EXHAUSTED", message: "no room", details: { largestEpsilon: "0.3" } });
  await expect(client.me()).rejects.toMatchObject({ code: "INTERNAL", details: { status: 502 } });
  await expect(client.me()).rejects.toMatchObject({ code: "INTERNAL" });
});

test("releaseAndWait takes a lost connection up again under the same key, and a refusal never", async () => {
  const waiting = { id: "chg_1", stage: "queued", failure: null };
  const { client, sent } = answering(
    () => {
      throw new TypeError("connection reset");
    },
    () => Response.json(waiting, { status: 202 }),
    () => Response.json({ ...waiting, stage: "done" }),
  );
  const stages: string[] = [];
  const asked = { dataset: "d", account: "a", plan: { statistics: [] } };
  expect(await client.releaseAndWait(asked, { onStage: (stage) => stages.push(stage) })).toMatchObject({
    stage: "done",
  });
  expect(stages).toEqual(["queued", "done"]);
  const [first, second] = sent.map((request) => request.headers.get("idempotency-key"));
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toBe(first);

  const refusal = answering(() => Response.json({ code: "EMPTY_PLAN", detail: "x" }, { status: 422 }));
  await expect(refusal.client.releaseAndWait(asked)).rejects.toMatchObject({ code: "EMPTY_PLAN" });
  expect(refusal.sent).toHaveLength(1);
});

test("releaseAndWait waits as long as a server that is asked too often says, if that is short", async () => {
  const asked = { dataset: "d", account: "a", plan: { statistics: [] } };
  const tooMany = (seconds: number) => () =>
    Response.json({ code: "RATE_LIMITED", detail: "too many requests", seconds }, { status: 429 });
  const { client, sent } = answering(tooMany(0.01), tooMany(0.01), () => Response.json({ id: "chg_1", stage: "done" }));
  expect(await client.releaseAndWait(asked)).toMatchObject({ stage: "done" });
  expect(new Set(sent.map((request) => request.headers.get("idempotency-key"))).size).toBe(1);
  expect(sent).toHaveLength(3);

  const longer = answering(tooMany(31));
  await expect(longer.client.releaseAndWait(asked)).rejects.toMatchObject({ code: "RATE_LIMITED" });
  expect(longer.sent).toHaveLength(1);
});

test("pages join into one sequence", async () => {
  const { client, sent } = answering(
    () => Response.json({ items: [{ id: "1" }, { id: "2" }], next: "2" }),
    () => Response.json({ items: [{ id: "3" }], next: null }),
  );
  const ids: string[] = [];
  for await (const { id } of client.all("listPeople", { limit: 2 })) ids.push(id);
  expect(ids).toEqual(["1", "2", "3"]);
  expect(sent[1]?.url).toBe("http://instance.test/v1/people?limit=2&cursor=2");
});

test("events are read whatever the pieces they come in", async () => {
  const bytes = new TextEncoder().encode(
    ': hello\n\ndata: {"a":"é"}\n\nevent: x\r\ndata: {"a":\r\ndata: 2}\r\n\r\ndata: lost',
  );
  for (const size of [1, 2, 7, bytes.length]) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const events: unknown[] = [];
    for await (const event of serverSentEvents(stream)) events.push(event);
    expect(events).toEqual([{ a: "é" }, { a: 2 }]);
  }
});

test("the root of the package loads no schema library: what it imports at run time are its own files and core", () => {
  const seen = new Set<string>();
  const outside = new Set<string>();
  const visit = (file: URL): void => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    const text = readFileSync(file, "utf8");
    for (const [, name = ""] of text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from "([^"]+)";/gms))
      if (name.startsWith(".")) visit(new URL(name, file));
      else outside.add(name);
  };
  visit(new URL("./index.ts", import.meta.url));
  expect([...outside]).toEqual(["@dosimeter/core"]);
});
