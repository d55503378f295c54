import { afterEach, expect, test, vi } from "vitest";
import { readJson } from "./body.ts";

afterEach(() => vi.useRealTimers());

const sent = (body: BodyInit) =>
  new Request("http://localhost/v1/teams", { method: "POST", body, duplex: "half" } as RequestInit);

test("a body that trickles in is given up after half a minute, with a clear word and no hold on the connection", async () => {
  vi.useFakeTimers();
  let cancelled = false;
  const drip = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      controller.enqueue(new TextEncoder().encode(" "));
    },
    cancel() {
      cancelled = true;
    },
  });
  const refused = expect(readJson(sent(drip))).rejects.toMatchObject({
    code: "INVALID_PARAMETER",
    details: { name: "body", want: "sent within 30 s" },
  });
  await vi.advanceTimersByTimeAsync(29_000);
  expect(cancelled).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  await refused;
  expect(cancelled).toBe(true);
});

test("a body that arrives in time is read, in however many pieces", async () => {
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of ['{"na', 'me": "', "é", '"}']) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  expect(await readJson(sent(pieces))).toEqual({ name: "é" });
});
