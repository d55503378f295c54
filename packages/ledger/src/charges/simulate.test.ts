import { join } from "node:path";
import { type DpEvent, formatEpsilon, PrivacyError, quotaDelta, simulate } from "@dosimeter/core";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import type { Account } from "../accounts/account.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { buildFixture, type Fixture, gaussian, pure } from "../testing/fixture.kit.ts";

const folder = temporaryFolder();

const monthly = { every: "month", zone: "UTC" } as const;
const JANUARY = 648; // of 2024

/** Two people of a team that has the whole budget, so that their shares and the budget are what decides. */
interface Case {
  readonly rule: "addition" | "tight";
  readonly epsilon: string;
  readonly share: string;
  readonly reports: readonly { who: "ada" | "bob"; events: readonly DpEvent[]; latest: number; every: number }[];
}

const cases: readonly Case[] = [
  {
    ...{ rule: "addition", epsilon: "1", share: "0.5" },
    reports: [
      { who: "ada", events: pure("0.05"), latest: 12, every: 1 },
      { who: "bob", events: pure("0.13"), latest: 3, every: 1 },
      { who: "bob", events: [...pure("0.1"), ...pure("0.07")], latest: 1, every: 5 },
    ],
  },
  {
    ...{ rule: "tight", epsilon: "1", share: "0.5" },
    reports: [
      { who: "ada", events: gaussian("18"), latest: 12, every: 1 },
      { who: "bob", events: pure("0.06"), latest: 4, every: 1 },
      { who: "bob", events: gaussian("12"), latest: 2, every: 3 },
    ],
  },
];

/** The charges of 24 months on a real ledger, in the same order: who is refused first, when, and what is spent in the end. */
async function charged(built: Fixture, { reports }: Case, hasBlocks: boolean) {
  const { database, ledger, dataset } = built;
  const of = { ada: [built.ada, built.adas], bob: [built.bob, built.bobs] } as const;
  const refused: Record<string, { block: number; report: number }> = {};
  const paid = { ada: 0, bob: 0 };
  for (let block = 1; block <= 24; block++) {
    for (const [report, { who, events, latest, every }] of reports.entries()) {
      if (block < latest || block % every !== 0) continue;
      const [principal, account]: readonly [{ id: Fixture["ada"]["id"] }, Account] = of[who];
      const key = `${report} ${block}`;
      const window = [{ from: JANUARY + block - latest, to: JANUARY + block - 1 }];
      try {
        await database.ledgers.charge({
          ...{ principal: principal.id, account: account.id, dataset: dataset.id, key, request: { key }, events },
          ...(hasBlocks ? { window } : {}),
          adjacency: "addRemove",
          lease: { owner: "test", seconds: 60 },
        });
        paid[who] += 1;
      } catch (error) {
        if (!(error instanceof PrivacyError && error.code.endsWith("_EXHAUSTED"))) throw error;
        refused[who] ??= { block, report };
      }
    }
  }
  const runs = await database.ledgers.blockBalances(ledger.id);
  const inBlocks = Array.from(
    { length: 24 },
    (_, index) => runs.find(({ from, to }) => from <= JANUARY + index && JANUARY + index <= to)?.balance.used ?? 0,
  );
  const { used } = await database.ledgers.balance(ledger.id);
  return {
    teams: (["ada", "bob"] as const).map((team) => ({ team, paid: paid[team], firstRefusal: refused[team] ?? null })),
    used: hasBlocks ? inBlocks : used,
  };
}

test.each(cases)("what is simulated is what a ledger of the same numbers does, under $rule [M161]", async (one) => {
  const { rule, epsilon, share } = one;
  const build = async (blocks: typeof monthly | null) =>
    buildFixture(await sqliteStore(join(folder, `${rule}-${blocks === null}.sqlite`)), {
      ...{ rule, epsilon, share, quota: epsilon },
      ...(blocks === null ? {} : { blocks }),
    });
  const [whole, divided] = [await build(null), await build(monthly)];
  const { terms } = divided.ledger;
  const quota = divided.adas.quota;
  expect(quota).toEqual({ epsilon: quota.epsilon, delta: quotaDelta(terms, { epsilon: quota.epsilon }) });
  expect(formatEpsilon(quota.epsilon)).toBe(share);
  const course = simulate({
    ...{ blocks: 24, terms, teams: ["ada", "bob"].map((name) => ({ name, quota })) },
    reports: one.reports.map(({ who, ...report }) => ({ team: who, ...report })),
  });
  const inLedger = { whole: await charged(whole, one, false), divided: await charged(divided, one, true) };
  expect(course.lifetime).toMatchObject({ teams: inLedger.whole.teams });
  expect(course.lifetime.used.at(-1)).toBe(inLedger.whole.used);
  expect(course.blocks).toMatchObject(inLedger.divided);
  // The case says something: both budgets refuse some reports and pay others.
  for (const { teams } of [course.lifetime, course.blocks])
    expect(teams.some(({ paid, firstRefusal }) => paid > 0 && firstRefusal !== null)).toBe(true);
  for (const { database } of [whole, divided]) {
    expect((await database.audit.verify()).problems).toEqual([]);
    await database.close();
  }
});
