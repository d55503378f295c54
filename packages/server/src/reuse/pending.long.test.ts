import type { Plan } from "@dosimeter/client";
import { type ChargeId, QuestionClaimed } from "@dosimeter/ledger";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { canonicalOf } from "@dosimeter/reuse";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import {
  buildFixture,
  clientOf,
  declaration,
  type Fixture,
  haveFailed,
  openTestInstance,
  tokenFor,
  withoutRows,
} from "../instance.kit.ts";
import { LEASE_SECONDS } from "../release/deps.ts";
import { requestOf } from "../release/request.ts";
import { answeredByPending } from "./pending.ts";

let place: string;
let fixture: Fixture;
beforeEach(async () => {
  place = temporaryFolder();
  fixture = await buildFixture(await openTestInstance({ folder: place }));
});
afterEach(() => fixture.instance.close());

const count = (epsilon = "0.1"): Plan => ({ statistics: [{ id: "people", statistic: "count", epsilon }] });
const asked = (plan: Plan) => ({
  dataset: fixture.dataset,
  account: fixture.memberAccount,
  plan,
  reuse: "asAccurate" as const,
});
const spent = async () =>
  (await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent;

test("a request for what is being paid for has an address at once, pays nothing, and is answered by the first charge", async () => {
  const { member } = fixture.as;
  const ask = (key: string) => member.createRelease(asked(count()), { idempotencyKey: key });
  await withoutRows(place, async () => {
    const one = await ask("a");
    const started = performance.now();
    const others = await Promise.all(["b", "c", "d"].map(ask));
    expect(performance.now() - started, "nobody waits for a lease").toBeLessThan(500 * LEASE_SECONDS);
    expect(new Set([one, ...others].map(({ id }) => id)).size).toBe(4);
    // They fail together, and their callers learn it; no one pays again.
    await haveFailed(fixture, others);
    expect(await spent()).toBe("0.1");
  });
  // Any of them, asked again under its key, takes up what it waits for.
  const b = await member.releaseAndWait(asked(count()), { idempotencyKey: "b" });
  const a = await member.releaseAndWait(asked(count()), { idempotencyKey: "a" });
  expect(a.answers?.[0]?.origin).toBeUndefined();
  expect(b.answers?.[0]).toMatchObject({
    origin: { kind: "same", from: [{ release: a.id, row: "people" }] },
    cells: a.answers?.[0]?.cells,
  });
  expect(await spent()).toBe("0.1");
  expect((await fixture.as.auditor.verify({})).problems).toEqual([]);
});

test("rows of one plan wait and are drawn side by side; the whole is there when both are", async () => {
  const { member } = fixture.as;
  const sum = { id: "ages", statistic: "sum", column: "age", epsilon: "0.05" };
  const more = { statistics: [...count().statistics, sum] };
  await withoutRows(place, async () => {
    const one = await member.createRelease(asked(count()), { idempotencyKey: "a" });
    const both = await member.createRelease(asked(more), { idempotencyKey: "b" });
    expect(await spent()).toBe("0.15");
    await haveFailed(fixture, [one, both]);
  });
  const { answers } = await member.releaseAndWait(asked(more), { idempotencyKey: "b" });
  expect(answers?.map(({ id, origin }) => [id, origin?.kind])).toEqual([
    ["people", "same"],
    ["ages", undefined],
  ]);
  expect(await spent()).toBe("0.15");
});

test("what the pending answer cannot give is paid for at once: more accuracy, another confidence, a sample", async () => {
  const { member } = fixture.as;
  const sampled: Plan = { sample: { rate: "0.5" }, ...count("0.02") };
  await withoutRows(place, async () => {
    await member.createRelease(asked(count()), { idempotencyKey: "a" });
    await member.createRelease(asked(count("0.2")), { idempotencyKey: "b" });
    expect(await spent()).toBe("0.3");
    await member.createRelease(asked({ ...count(), confidence: 0.9 }), { idempotencyKey: "c" });
    expect(await spent()).toBe("0.4");
    await member.createRelease(asked(sampled), { idempotencyKey: "d" });
    const once = Number(await spent());
    await member.createRelease(asked(sampled), { idempotencyKey: "e" });
    expect(Number(await spent())).toBeGreaterThan(once);
  });
});

test("two people top up one answer at once: one of them pays, the other is given both draws where it may have both", async () => {
  const { member, teamAdmin, datasetAdmin } = fixture.as;
  const { id } = await clientOf(fixture.instance, fixture.instance.operatorToken).createPerson({ name: "colleague" });
  await teamAdmin.addMember({ team: fixture.team, person: id });
  const { id: account } = await teamAdmin.createAccount({
    ledger: fixture.ledger,
    parent: fixture.teamAccount,
    holder: { kind: "person", id },
    epsilon: "0.5",
  });
  const colleague = clientOf(fixture.instance, await tokenFor(fixture.instance, id));
  await datasetAdmin.setReusePolicy({ dataset: fixture.dataset, visibility: "team", price: "free" });
  await datasetAdmin.switchRule({ ledger: fixture.ledger });
  const one = await member.releaseAndWait(asked({ statistics: [{ statistic: "count", rho: "0.005" }] }));
  const more = { ...asked({ statistics: [{ statistic: "count", rho: "0.02" }] }), reuse: { s1: "refined" } };
  await withoutRows(place, async () => {
    const two = await member.createRelease(more, { idempotencyKey: "a" });
    await colleague.createRelease({ ...more, account }, { idempotencyKey: "b" });
    const { mu2 } = (await colleague.showAccount({ account })).balance;
    expect(mu2.left).toBe(mu2.cap);

    const charge = await fixture.instance.database.releases.chargeOf(two.id as ChargeId);
    const about = { dataset: fixture.dataset, version: 1, declaration: checkDeclaration(declaration) };
    const [statistic] = boundPlan(more.plan as never, about.declaration).statistics;
    if (statistic === undefined) throw new Error("no statistic");
    const rows = [{ statistic, key: canonicalOf(statistic, about).key, confidence: 0.95, rows: 6 }];
    const { plan, version = null, resolutions = [] } = requestOf(charge);
    const of = async (closed: ReadonlySet<string>) => {
      const pending = { charge: charge.id, plan, version, resolutions, closed };
      const answered = await answeredByPending(pending, rows, { choice: "asAccurate", about });
      return answered.map(({ kind, from }) => [kind, from.length]);
    };
    expect(await of(new Set())).toEqual([["pooled", 2]]);
    expect(await of(new Set(["s1"]))).toEqual([]);
  });
  const b = await colleague.releaseAndWait({ ...more, account }, { idempotencyKey: "b" });
  const a = await member.releaseAndWait(more, { idempotencyKey: "a" });
  expect(a.answers?.[0]?.origin).toMatchObject({ kind: "refined", from: [{ release: one.id }] });
  expect(b.answers?.[0]?.origin?.kind).toBe("pooled");
  expect(b.answers?.[0]?.origin?.from.map(({ release }) => release).sort()).toEqual([one.id, a.id].sort());
  expect(b.answers?.[0]?.cells[0]?.value).toBeCloseTo(a.answers?.[0]?.cells[0]?.value ?? Number.NaN, 9);
  expect((await fixture.as.auditor.verify({})).problems).toEqual([]);
});

test("a question whose charge no one works on any more is not waited for", async () => {
  const { database } = fixture.instance;
  const { id } = await fixture.as.member.releaseAndWait(asked(count("0.01")));
  const { principal, account, dataset, events } = await database.releases.chargeOf(id as ChargeId);
  const key = "0".repeat(64);
  const pay = async (name: string, seconds: number) =>
    database.ledgers.charge({
      principal,
      account,
      dataset,
      key: name,
      request: { name },
      events,
      adjacency: "addRemove",
      lease: { owner: "elsewhere", seconds },
      claims: { keys: [key], readers: { principal, accounts: [] }, horizon: await database.reuse.horizon() },
    });
  await pay("one", 0.05);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { charge } = await pay("two", 60);
  await expect(pay("three", 60)).rejects.toEqual(new QuestionClaimed(charge.id));
  // It was not refused: it waits for that answer.
  expect((await database.audit.lines({ action: "charge.refuse" })).items).toEqual([]);
});
