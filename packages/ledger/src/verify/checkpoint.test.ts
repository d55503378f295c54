import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { blockAt, type DpEvent } from "@dosimeter/core";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import type { BlockBalance } from "../accounts/balance.ts";
import { type LedgerDatabase, openLedgerDatabase } from "../ledger-database.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import {
  buildFixture,
  by,
  codeOf,
  del,
  eps,
  type Fixture,
  gaussian,
  pure,
  reopenByTwo,
} from "../testing/fixture.kit.ts";
import type { Checkpoint } from "./checkpoint.ts";

const folder = temporaryFolder();
let files = 0;

interface Restored {
  readonly database: LedgerDatabase;
  readonly fixture: Fixture;
  readonly kept: Checkpoint;
  readonly charge: Fixture["charge"];
}

/** Goes back to a copy made before `later` and compares it with the checkpoint made after it. */
async function restored(
  options: Parameters<typeof buildFixture>[1],
  before: (fixture: Fixture) => Promise<unknown>,
  later: (fixture: Fixture) => Promise<unknown>,
): Promise<Restored> {
  const path = join(folder, `${files++}.sqlite`);
  const first = await buildFixture(await sqliteStore(path), options);
  await before(first);
  await first.database.close();
  const backup = join(folder, `${files++}.sqlite`);
  copyFileSync(path, backup);
  const database = await openLedgerDatabase(await sqliteStore(path));
  const chargeOn =
    ({ ledgers }: LedgerDatabase): Fixture["charge"] =>
    (key, events, account = first.adas) =>
      ledgers.charge({
        principal: first.ada.id,
        account: account.id,
        dataset: first.dataset.id,
        key,
        request: { plan: key },
        events,
        adjacency: "addRemove",
        lease: { owner: "test", seconds: 60 },
      });
  await later({ ...first, database, charge: chargeOn(database) });
  const kept = await database.audit.checkpoint();
  await database.close();
  if (kept === null) throw new Error("nothing was kept");
  const older = await openLedgerDatabase(await sqliteStore(backup));
  return { database: older, fixture: first, kept, charge: chargeOn(older) };
}

const reason = "restored";

test("Gaussian noise behind a switch that was forgotten is written off by remaining μ², and the rule is kept", async () => {
  const { database, fixture, kept } = await restored(
    { rule: "additionThenTight" },
    ({ charge }) => charge("a", pure("0.1")),
    async ({ database: now, ledger, charge }) => {
      await now.ledgers.switchRule({ ledger: ledger.id, by });
      for (let n = 0; n < 5; n += 1) await charge(`g${n}`, gaussian("20"));
    },
  );
  const ledger = fixture.ledger.id;
  expect(await database.audit.compareCheckpoint(kept)).toMatchObject({ frozen: [ledger] });
  const reopen = (epsilon: string) =>
    codeOf(reopenByTwo(database, { ledger, epsilon: eps(epsilon), delta: del("0"), reason }));
  expect(await reopen("0")).toBe("INVALID_PARAMETER");
  expect(await reopen("0.01")).toBe("INVALID_PARAMETER");
  expect(await reopen("0.15")).toBe("done");
  const open = await database.ledgers.ledger(ledger);
  expect(open).toMatchObject({ status: "open", activeRule: "tight" });
  expect(open.state.mu2).toBeLessThanOrEqual(BigInt(kept.ledgers[ledger]?.mu2 ?? 0));
  expect((await database.audit.verify()).problems).toEqual([]);
  await database.close();
});

test("a ledger that was frozen when the backup was made does not escape, and a gap that was not paid adds up", async () => {
  const { database, fixture, kept } = await restored(
    { rule: "addition" },
    ({ database: now, ledger }) => now.ledgers.freezeLedger({ ledger: ledger.id, reason, by }),
    async ({ database: now, ledger, charge }) => {
      await now.ledgers.reopenLedger({ ledger: ledger.id, epsilon: eps("0"), delta: del("0"), reason, by });
      await charge("a", pure("0.4"));
    },
  );
  const ledger = fixture.ledger.id;
  expect(await database.audit.compareCheckpoint(kept)).toMatchObject({ frozen: [ledger] });
  // What is kept now knows of the gap, so that restoring once more does not lose it.
  expect((await database.audit.checkpoint())?.ledgers[ledger]?.epsilon).toBe(String(eps("0.4")));
  expect(await codeOf(database.ledgers.setLedger({ ledger, status: "open", by }))).toBe("CONFLICT");
  const less = { ledger, epsilon: eps("0.3"), delta: del("0"), reason };
  expect(await codeOf(reopenByTwo(database, less))).toBe("INVALID_PARAMETER");
  await reopenByTwo(database, { ...less, epsilon: eps("0.4") });
  expect((await database.ledgers.ledger(ledger)).state.epsilon).toBe(eps("0.4"));
  await database.ledgers.freezeLedger({ ledger, reason, by });
  await database.ledgers.setLedger({ ledger, status: "open", by });
  await database.close();
});

const months = (from: number, to = from) => [{ from: 648 + from, to: 648 + to }];
const monthly = { every: "month", zone: "UTC" } as const;
const over =
  ({ database: { ledgers }, ada, adas, dataset }: Pick<Fixture, "database" | "ada" | "adas" | "dataset">) =>
  async (key: string, events: readonly DpEvent[], window: ReturnType<typeof months>) => {
    const paying = { principal: ada.id, account: adas.id, dataset: dataset.id, adjacency: "addRemove" } as const;
    await ledgers.charge({ ...paying, key, request: key, events, window, lease: { owner: "test", seconds: 60 } });
  };

test.each(["addition", "tight"] as const)(
  "with blocks, each is brought up to the fullest of the checkpoint: none has less than it had, under %s [M169]",
  async (rule) => {
    const events = (size: number): readonly DpEvent[] =>
      rule === "tight" ? gaussian(String(40 / size)) : pure(String(size / 10));
    let spent: readonly BlockBalance[] = [];
    const { database, fixture, kept } = await restored(
      { rule, blocks: monthly, epsilon: "2", quota: "2", share: "1" },
      async (built) => over(built)("a", events(3), months(1, 3)),
      async (built) => {
        const charge = over(built);
        await charge("b", events(5), months(5));
        await charge("c", events(1), months(2, 3));
        spent = await built.database.ledgers.blockBalances(built.ledger.id);
      },
    );
    const { id: ledger } = fixture.ledger;
    expect(await database.audit.compareCheckpoint(kept)).toMatchObject({ frozen: [ledger] });
    const reopen = (epsilon: string) =>
      codeOf(reopenByTwo(database, { ledger, epsilon: eps(epsilon), delta: del("0"), reason }));
    if (rule === "addition") expect(await reopen("0.1")).toBe("INVALID_PARAMETER");
    expect(await reopen("20")).toBe("BUDGET_EXHAUSTED");
    expect((await database.ledgers.ledger(ledger)).status).toBe("frozen");
    expect(await reopen(rule === "addition" ? "0.2" : "0")).toBe("done");
    const now = await database.ledgers.blockBalances(ledger);
    expect(spent.length).toBeGreaterThan(2);
    for (const { from, to, balance } of spent) {
      const there = now.find((run) => run.from <= from && to <= run.to)?.balance.state;
      if (rule === "addition") expect(there?.epsilon).toBeGreaterThanOrEqual(balance.state.epsilon ?? 0n);
      else expect(there?.mu2).toBeLessThanOrEqual(balance.state.mu2 ?? 0n);
    }
    // Of the fullest block it is what it was.
    const { state } = await database.ledgers.ledger(ledger);
    if (rule === "addition") expect(state.epsilon).toBe(eps("0.5"));
    else expect(state.mu2).toBe(BigInt(kept.ledgers[ledger]?.mu2 ?? -1));
    expect((await database.audit.verify()).problems).toEqual([]);
    await database.close();
  },
);

test.each(["an older checkpoint", "one from before the ledger was opened"])(
  "what is missing stays missing after a look at %s",
  async (which) => {
    const { database, fixture, kept } = await restored(
      { rule: "addition" },
      ({ charge }) => charge("a", pure("0.1")),
      ({ charge }) => charge("b", pure("0.2")),
    );
    const ledger = fixture.ledger.id;
    const now = await database.audit.checkpoint();
    if (now === null) throw new RangeError("no line");
    await database.audit.compareCheckpoint(kept);
    const ledgers = which === "an older checkpoint" ? now.ledgers : {};
    await database.audit.compareCheckpoint({ ...now, ledgers }, { copy: "another", isSame: false });
    const reopen = (epsilon: string) =>
      codeOf(reopenByTwo(database, { ledger, epsilon: eps(epsilon), delta: del("0"), reason }));
    expect(await reopen("0.199")).toBe("INVALID_PARAMETER");
    expect(await reopen("0.2")).toBe("done");
    await database.close();
  },
);

test.each([
  ["addition", "0.2", "open"],
  ["addition", "0.199", "frozen"],
  ["tight", "0.2", "open"],
  ["tight", "0.15", "frozen"],
] as const)(
  "a server that was away when another copy took over knows of a lost ε of 0.2: under %s, with %s written off, the ledger stays %s [M404]",
  async (rule, epsilon, status) => {
    const { database, fixture, kept, charge } = await restored(
      { rule },
      (built) => built.charge("a", pure("0.1")),
      (built) => built.charge("lost", pure("0.2")),
    );
    const ledger = fixture.ledger.id;
    const known = await database.audit.checkpoint();
    if (known === null) throw new RangeError("no line");
    const standby = { copy: "standby", isSame: false, from: "primary" };
    expect(await database.audit.compareCheckpoint(known, standby)).toMatchObject({ frozen: [ledger] });
    await reopenByTwo(database, { ledger, epsilon: eps(epsilon), delta: del("0"), reason });
    // What is charged since hides nothing.
    await charge("later", pure("0.3"));
    const compared = await database.audit.compareCheckpoint(kept, standby);
    expect(compared === null ? "open" : "frozen").toBe(status);
    expect((await database.ledgers.ledger(ledger)).status).toBe(status);
    expect(await database.audit.compareCheckpoint(kept, { ...standby, copy: "another" })).not.toBeNull();
    expect((await database.audit.verify()).problems).toEqual([]);
    await database.close();
  },
);

test.each(["raised there too, by less", "given blocks there too"])(
  "what was spent after a lifetime that a standby knows nothing of was %s is not hidden by what is counted there [M404]",
  async (then) => {
    const isRaised = then.startsWith("raised");
    const change = async ({ ledgers }: LedgerDatabase, { ledger: { id, quota } }: Fixture, to: string) => {
      if (isRaised) await ledgers.proposeAmendment({ ledger: id, epsilon: eps(to), delta: quota.delta, reason, by });
      else await ledgers.migrateLedger({ ledger: id, ...monthly, isClosed: true, reason, by });
    };
    const { database, fixture, kept } = await restored(
      { rule: isRaised ? "tight" : "addition", epsilon: "2", quota: "2", share: "1" },
      async (built) => {
        const { charge } = await built.charge("a", isRaised ? gaussian("20") : pure("0.3"));
        await built.database.releases.complete({ charge: charge.id, owner: "test", answers: [] });
      },
      async (built) => {
        await change(built.database, built, "5");
        // A later block would be the one to spend less than the time before had.
        if (!isRaised) return;
        for (const account of [built.teamAccount, built.adas])
          await built.database.ledgers.allocate({ account: account.id, epsilon: eps("2.9"), delta: del("0"), by });
        await built.charge("lost", gaussian("1.2"));
      },
    );
    const ledger = fixture.ledger.id;
    const known = await database.audit.checkpoint();
    if (known === null) throw new RangeError("no line");
    const standby = { copy: "standby", isSame: false, from: "primary" };
    await database.audit.compareCheckpoint(known, standby);
    if (isRaised) await change(database, fixture, "2.01");
    await reopenByTwo(database, { ledger, epsilon: eps("0"), delta: del("0"), reason });
    if (!isRaised) {
      await change(database, fixture, "2");
      const { id: other } = (await database.people.principals()).find(({ name }) => name === "Other") ?? fixture.ada;
      await database.ledgers.migrateLedger({ ledger, ...monthly, isClosed: true, reason, by: other });
    }
    expect((await database.ledgers.ledger(ledger)).version).toBe(2);
    expect(await database.audit.compareCheckpoint(kept, standby)).toMatchObject({ frozen: [ledger] });
    await database.close();
  },
);

test("under tight, an ε that is stated counts on top of what the checkpoint had counted [M169]", async () => {
  const leftAfter = async (epsilon: string) => {
    const { database, fixture, kept } = await restored(
      { rule: "tight", blocks: monthly, epsilon: "2", quota: "2", share: "1" },
      async (built) => over(built)("a", gaussian("20"), months(5)),
      async (built) => over(built)("b", gaussian("5"), months(5)),
    );
    const { id: ledger } = fixture.ledger;
    await database.audit.compareCheckpoint(kept);
    await reopenByTwo(database, { ledger, epsilon: eps(epsilon), delta: del("0"), reason });
    const { state } = await database.ledgers.ledger(ledger);
    await database.close();
    return { kept: BigInt(kept.ledgers[ledger]?.mu2 ?? -1), left: state.mu2 ?? -1n };
  };
  const nothing = await leftAfter("0");
  expect(nothing.left).toBe(nothing.kept);
  const more = await leftAfter("0.15");
  expect(more.left).toBeLessThan(nothing.left);
  // A pure ε of 0.15 costs at least 0.0225 / 4 of μ².
  expect(nothing.left - more.left).toBeGreaterThan(5_600_000_000n);
});

test.each([true, false])(
  "a backup from before a raise stays frozen where μ² counts: what is left of it does not say what was spent (blocks: %s)",
  async (hasBlocks) => {
    const charge = (built: Fixture, key: string, size: string) =>
      hasBlocks ? over(built)(key, gaussian(size), months(5)) : built.charge(key, gaussian(size));
    const { database, fixture, kept } = await restored(
      { rule: "tight", epsilon: "2", quota: "2", share: "1", ...(hasBlocks ? { blocks: monthly } : {}) },
      (built) => charge(built, "a", "20"),
      async (built) => {
        const { ledgers } = built.database;
        const { id, quota } = built.ledger;
        await ledgers.proposeAmendment({ ledger: id, epsilon: eps("5"), delta: quota.delta, reason, by });
        for (const account of [built.teamAccount, built.adas])
          await ledgers.allocate({ account: account.id, epsilon: eps("2"), delta: del("0"), by });
        await charge(built, "b", "2");
      },
    );
    const { id: ledger } = fixture.ledger;
    expect(await database.audit.compareCheckpoint(kept)).toMatchObject({ frozen: [ledger] });
    const reopen = (epsilon: string) =>
      codeOf(reopenByTwo(database, { ledger, epsilon: eps(epsilon), delta: del("0"), reason }));
    expect(await reopen("0")).toBe("CONFLICT");
    expect(await reopen("0.5")).toBe("CONFLICT");
    expect(await codeOf(database.ledgers.setLedger({ ledger, status: "open", by }))).toBe("CONFLICT");
    // What is kept now knows of it, in case the same backup is restored again.
    const { version } = await database.ledgers.ledger(ledger);
    expect((await database.audit.checkpoint())?.ledgers[ledger]?.version).toBe(String(version + 1));
    await database.close();
  },
);

test("without a checkpoint each block pays what is stated, as far as blocks have begun [M169]", async () => {
  const fixture = await buildFixture(await sqliteStore(join(folder, `${files++}.sqlite`)), {
    ...{ rule: "addition", blocks: monthly },
  });
  const { database } = fixture;
  const { id: ledger } = fixture.ledger;
  await over(fixture)("a", pure("0.3"), months(1, 3));
  expect(await database.audit.freezeUnvouched()).toEqual([ledger]);
  await reopenByTwo(database, { ledger, epsilon: eps("0.2"), delta: del("1e-8"), reason });
  const now = await database.ledgers.blockBalances(ledger);
  expect(now.map(({ balance: { state } }) => [state.epsilon, state.delta])).toEqual(
    ["0.2", "0.5", "0.2"].map((epsilon) => [eps(epsilon), del("1e-8")]),
  );
  expect((await database.audit.verify()).problems).toEqual([]);
  await database.close();
});

test("a database that goes on from the checkpoint is left alone, and another database is refused as it is", async () => {
  const { database, fixture, kept } = await restored(
    {},
    async () => undefined,
    async () => undefined,
  );
  expect(await database.audit.compareCheckpoint(kept)).toBeNull();
  const other = { ...kept, database: "0".repeat(64), hash: "0".repeat(64) };
  expect(await codeOf(database.audit.compareCheckpoint(other))).toBe("CONFLICT");
  expect(await database.audit.checkpoint(kept.hash)).toBeNull();
  expect((await database.ledgers.ledger(fixture.ledger.id)).status).toBe("open");
  await database.close();
});

test("a clock that is behind after a restore leaves no block out that the audit has seen begin [M169]", async () => {
  const store = await sqliteStore(join(folder, `${files++}.sqlite`));
  const fixture = await buildFixture(store, { rule: "addition", blocks: monthly });
  const { database } = fixture;
  const { id: ledger } = fixture.ledger;
  const began = blockAt(monthly, Date.now() / 1000);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 70 * 86_400_000 });
  try {
    await database.audit.freezeUnvouched();
    await reopenByTwo(database, { ledger, epsilon: eps("0.2"), delta: del("0"), reason });
  } finally {
    vi.useRealTimers();
  }
  const last = (await database.ledgers.blockBalances(ledger)).at(-1);
  expect(last?.to).toBeGreaterThanOrEqual(began);
  expect(last?.balance.state.epsilon).toBe(eps("0.2"));
  await database.close();
});

test("a clock that is behind after a restore leaves no block out that a lost charge had named when the checkpoint was kept [M169]", async () => {
  const [before, after] = ["2025-06-15T00:00:00Z", "2025-09-15T00:00:00Z"].map((at) => Date.parse(at)) as [
    number,
    number,
  ];
  const named = blockAt(monthly, after / 1000);
  vi.useFakeTimers({ toFake: ["Date"], now: before });
  try {
    const { database, fixture, kept } = await restored(
      { rule: "addition", blocks: monthly },
      async () => undefined,
      async (built) => {
        vi.setSystemTime(after);
        await over(built)("lost", pure("0.3"), [{ from: named, to: named }]);
        vi.setSystemTime(before);
      },
    );
    const { id: ledger } = fixture.ledger;
    expect(kept.ledgers[ledger]).toMatchObject({ through: named });
    expect(await database.audit.compareCheckpoint(kept)).toMatchObject({ frozen: [ledger] });
    // What is kept while it is frozen, in case the same backup is restored again, knows of it too.
    expect((await database.audit.checkpoint())?.ledgers[ledger]).toMatchObject({ through: named });
    await reopenByTwo(database, { ledger, epsilon: eps("0.3"), delta: del("0"), reason });
    const last = (await database.ledgers.blockBalances(ledger)).at(-1);
    expect(last).toMatchObject({ to: named, balance: { state: { epsilon: eps("0.3") } } });
    expect((await database.audit.verify()).problems).toEqual([]);
    await database.close();
  } finally {
    vi.useRealTimers();
  }
});
