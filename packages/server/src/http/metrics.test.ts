import { expect, test } from "vitest";
import { ORIGIN, openTestHouse } from "../instance.kit.ts";

const get = (house: { fetch: (request: Request) => Response | Promise<Response> }, path: string) =>
  house.fetch(new Request(`${ORIGIN}${path}`));

test("metrics count routes, refusals and releases, by names of this program only", async () => {
  const house = await openTestHouse({ metrics: true });
  try {
    expect((await get(house, "/v1/ready")).status).toBe(200);
    expect((await get(house, "/v1/datasets/a-secret-name")).status).toBe(401);
    const answer = await get(house, "/metrics");
    expect(answer.headers.get("content-type")).toContain("text/plain");
    const text = await answer.text();
    expect(text).toContain('dosimeter_requests_total{route="ready",status="200"} 1');
    expect(text).toContain('dosimeter_refusals_total{code="UNAUTHENTICATED"} 1');
    expect(text).toContain('dosimeter_releases{stage="queued"} 0');
    expect(text).toContain("dosimeter_ready 1");
    expect(text).not.toContain("a-secret-name");
  } finally {
    await house.close();
  }
});

test("nobody is told anything unless the operator asked for it", async () => {
  const house = await openTestHouse();
  expect((await get(house, "/metrics")).status).toBe(404);
  await house.close();
});

test("a server that is stopping is not ready", async () => {
  const house = await openTestHouse();
  await house.drain();
  const answer = await get(house, "/v1/ready");
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: "NOT_READY" });
  await house.close();
});
