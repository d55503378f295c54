import { expect, test } from "vitest";
import { ORIGIN, openTestInstance } from "../instance.kit.ts";

const get = (instance: { fetch: (request: Request) => Response | Promise<Response> }, path: string) =>
  instance.fetch(new Request(`${ORIGIN}${path}`));

test("metrics count routes, refusals and releases, by names of this program only", async () => {
  const instance = await openTestInstance({ metrics: true });
  try {
    expect((await get(instance, "/v1/ready")).status).toBe(200);
    expect((await get(instance, "/v1/datasets/a-secret-name")).status).toBe(401);
    const answer = await get(instance, "/metrics");
    expect(answer.headers.get("content-type")).toContain("text/plain");
    const text = await answer.text();
    expect(text).toContain('dosimeter_requests_total{route="ready",status="200"} 1');
    expect(text).toContain('dosimeter_refusals_total{code="UNAUTHENTICATED"} 1');
    expect(text).toContain('dosimeter_releases{stage="queued"} 0');
    expect(text).toContain("dosimeter_ready 1");
    expect(text).not.toContain("a-secret-name");
  } finally {
    await instance.close();
  }
});

test("metrics are off unless the operator switches them on", async () => {
  const instance = await openTestInstance();
  expect((await get(instance, "/metrics")).status).toBe(404);
  await instance.close();
});

test("a server that is stopping is not ready", async () => {
  const instance = await openTestInstance();
  await instance.drain();
  const answer = await get(instance, "/v1/ready");
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: "NOT_READY" });
  await instance.close();
});
