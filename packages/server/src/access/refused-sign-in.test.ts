import { present } from "@dosimeter/core/internal";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientOf, ORIGIN, openTestInstance } from "../instance.kit.ts";
import { usualRates } from "./rates.ts";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let ana: string;
beforeEach(async () => {
  // However slow the machine is, nothing is forgiven meanwhile.
  const slow = (rate: { readonly burst: number }) => ({ burst: rate.burst, perMinute: 1e-6 });
  const rates = Object.fromEntries(Object.entries(usualRates).map(([name, rate]) => [name, slow(rate)]));
  instance = await openTestInstance({ metrics: true, rates: rates as typeof usualRates, publicUrl: ORIGIN });
  const operator = clientOf(instance, instance.operatorToken);
  ana = (await operator.createPerson({ name: "Ana Silva", email: "ana@example.org" })).id;
});
afterEach(() => instance.close());

const ask = async (path: string, { from = "192.0.2.1", ...init }: RequestInit & { readonly from?: string } = {}) =>
  instance.fetch(
    new Request(`${ORIGIN}${path}`, {
      ...init,
      headers: { "x-forwarded-for": from, "content-type": "application/json", "x-dosimeter": "1", ...init.headers },
    }),
  );
const signIn = (body: object, from?: string) =>
  ask("/v1/session", { method: "POST", body: JSON.stringify(body), ...present({ from }) });

async function lines() {
  await instance.settled();
  const { items } = await clientOf(instance, instance.operatorToken).listAudit({ action: "signIn", limit: 100 });
  return items;
}

/** As something inside the network reads them. */
const metrics = async () => (await instance.fetch(new Request(`${ORIGIN}/metrics`))).text();

test("a sign-in that is refused leaves a line with method, address and request, and is counted; no secret is in it", async () => {
  const answers = [
    await signIn({ email: "ana@example.org", password: "guess-number-one" }),
    await signIn({ email: "zoe@example.org", password: "guess-number-two" }),
    await signIn({ link: `dsl_${"x".repeat(43)}` }),
    await ask("/v1/me", { headers: { authorization: "Bearer dsm_guess-number-three", "x-request-id": "mine" } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  const ids = answers.map(({ headers }) => headers.get("x-request-id"));
  expect(ids).not.toContain("mine");
  const found = await lines();
  const detail = (method: string, at: number) => ({
    method,
    code: "UNAUTHENTICATED",
    address: "192.0.2.1",
    request: ids[at],
  });
  expect(found.map(({ subject }) => subject).toSorted()).toEqual([ana, "unknown", "unknown", "unknown"].toSorted());
  expect(found.map((line) => line.detail)).toEqual(
    expect.arrayContaining([detail("password", 0), detail("password", 1), detail("link", 2), detail("token", 3)]),
  );
  expect(JSON.stringify(found)).not.toMatch(/guess|zoe@|ana@/);
  const text = await metrics();
  expect(text).toContain('dosimeter_sign_ins_refused_total{method="password",code="UNAUTHENTICATED"} 2');
  expect(text).toContain('dosimeter_sign_ins_refused_total{method="token",code="UNAUTHENTICATED"} 1');
});

test("a flood is counted in full and fills no audit: of one address twenty, and another address is still seen", async () => {
  for (let tries = 0; tries < 30; tries += 1) await signIn({ link: `dsl_${"x".repeat(43)}` });
  await signIn({ link: `dsl_${"x".repeat(43)}` }, "198.51.100.7");
  const found = await lines();
  expect(found).toHaveLength(21);
  expect(found.filter(({ detail }) => (detail as { address: string }).address === "198.51.100.7")).toHaveLength(1);
  expect(await metrics()).toContain('{method="link",code="UNAUTHENTICATED"} 31');
  expect((await clientOf(instance, instance.operatorToken).verify()).ok).toBe(true);
});

test("a flood from many addresses hides no try to be a person who exists, and the next line tells how many left none", async () => {
  const tries = Array.from({ length: 400 }, (_, index) => `203.0.113.${index % 40}`);
  await Promise.all(tries.map((from) => signIn({ link: `dsl_${"x".repeat(43)}` }, from)));
  await instance.settled();
  await signIn({ email: "ana@example.org", password: "guess-number-one" }, "198.51.100.7");
  await instance.settled();
  const [newest, ...before] = await lines();
  expect(newest).toMatchObject({
    subject: ana,
    detail: { method: "password", address: "198.51.100.7", unwritten: 100 },
  });
  expect(before.every(({ subject }) => subject === "unknown")).toBe(true);
});
