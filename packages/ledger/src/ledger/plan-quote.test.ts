import { join } from "node:path";
import type { DpEvent } from "@dosimeter/core";
import { planQuotes } from "@dosimeter/core/accounting";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { balancesOf, buildFixture, by, eps, pure } from "../testing/fixture.kit.ts";

const folder = temporaryFolder();

/** Four answers with Laplace noise: together they lose less than one after another by their ε. */
const answers: readonly DpEvent[] = [{ kind: "repeated", count: 4, event: { kind: "laplace", noiseMultiplier: "4" } }];

test("quote, charge, replay and verification of a plan agree bit for bit, and a larger quota prices it again", async () => {
  let priced = 0;
  const fixture = await buildFixture(await sqliteStore(join(folder, "plan.sqlite")), {
    rule: "tight",
    epsilon: "6",
    delta: "1e-5",
    quota: "5",
    share: "2",
    quotes: async (...plan) => {
      priced += 1;
      return planQuotes(...plan);
    },
  });
  const { ledgers, audit } = fixture.database;
  const quoted = await ledgers.quote({ account: fixture.adas.id, events: answers });
  if (!quoted.admitted) throw new Error("refused");
  const { charge } = await fixture.charge("train", answers);
  const after = await balancesOf(fixture.database, fixture.adas.id);
  expect(after).toEqual(quoted.after);
  expect(after.map(({ caps, state }) => state.delta / (caps.delta / 100n))).toEqual([1n, 1n, 1n]);
  const { items } = await ledgers.entries({ ledger: fixture.ledger.id });
  expect(items[0]).toMatchObject({ charge: charge.id, mu2After: after[0]?.state.mu2 });
  expect(items[0]?.slack).toBe(after[0]?.state.delta);
  expect((await audit.verify()).problems).toEqual([]);

  // A simple charge asks for no plan price.
  const before = priced;
  await fixture.charge("count", pure("0.1"));
  expect(priced).toBe(before);

  // Under other caps the run meets another r: it is priced there, and everything still replays.
  await ledgers.allocate({ account: fixture.adas.id, epsilon: eps("0.5"), by });
  expect(priced).toBe(before + 1);
  await ledgers.withdraw({ account: fixture.bobs.id, epsilon: eps("0.5"), by });
  const later = await balancesOf(fixture.database, fixture.adas.id);
  expect(later[2]?.state.mu2).not.toBe(after[2]?.state.mu2);
  expect(later[0]?.state.mu2 ?? 0n).toBeLessThan(after[0]?.state.mu2 ?? 0n);
  expect((await audit.verify()).problems).toEqual([]);
  const report = await fixture.database.reports.history({ node: fixture.adas.id, points: 4 });
  expect([...report.plans.keys()]).toEqual([0]);
  await fixture.database.close();
});

test("two runs at once: the second is priced at what the first left", async () => {
  const fixture = await buildFixture(await sqliteStore(join(folder, "race.sqlite")), {
    rule: "tight",
    epsilon: "6",
    delta: "1e-5",
    quota: "5",
    share: "2",
  });
  await Promise.all([fixture.charge("a", answers), fixture.charge("b", answers, fixture.bobs)]);
  const { items } = await fixture.database.ledgers.entries({ ledger: fixture.ledger.id });
  expect(items.filter(({ slack }) => slack > 0n)).toHaveLength(2);
  const lines = await fixture.database.audit.lines({});
  expect(lines.items.filter(({ action }) => action === "charge.refuse")).toEqual([]);
  expect((await fixture.database.audit.verify()).problems).toEqual([]);
  await fixture.database.close();
});

test("a price that the plan's profile does not certify is found", async () => {
  const store = await sqliteStore(join(folder, "false.sqlite"));
  const fixture = await buildFixture(store, {
    rule: "tight",
    epsilon: "6",
    delta: "1e-5",
    quota: "5",
    share: "2",
    // A build that lies: half of what the plan costs.
    quotes: async (...plan) =>
      planQuotes(...plan).map((quote) => ({ ...quote, after: ((quote.before + quote.after) / 2n) as never })),
  });
  await fixture.charge("cheap", answers);
  const { problems } = await fixture.database.audit.verify();
  expect(problems.map(({ table }) => table)).toContain("plan_quote");
  await fixture.database.close();
});
