import { type BlockRange, countedTwice, type DpEvent, formatEpsilon, replay } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { describe, expect, test } from "vitest";
import { spendReport } from "../report/report.ts";
import {
  AHEAD,
  type Build,
  by,
  codeOf,
  del,
  eps,
  type Fixture,
  type FixtureOptions,
  gaussian,
  pastAhead,
  pure,
} from "../testing/fixture.kit.ts";

const monthly = { every: "month", zone: "Europe/Berlin" } as const;
/** December of the year ahead, so that the tests say which blocks had been measured. What names blocks is charged when it is past. */
const LAST = 12 * (AHEAD - 1970) + 11;
const THROUGH = `${AHEAD}-12`;
const month = (from: number, to = from): readonly BlockRange[] => [{ from: LAST + from, to: LAST + to }];
const lease = { owner: "test", seconds: 60 } as const;

/** Ledgers without blocks that get them. */
export function migrateKit(fixture: Build): void {
  const spent = async (options: FixtureOptions, charges: Readonly<Record<string, readonly DpEvent[]>>) => {
    const built = await fixture(options);
    for (const [key, events] of Object.entries(charges)) await answered(built, key, events);
    return built;
  };
  const answered = async (built: Fixture, key: string, events: readonly DpEvent[], account = built.adas) => {
    const { charge } = await built.charge(key, events, account);
    await built.database.releases.complete({ charge: charge.id, owner: "test", answers: [] });
  };
  const migration = ({ ledger }: Fixture, more: object = {}) => ({
    ...{ ledger: ledger.id, ...monthly, through: THROUGH, reason: "the table grows", by },
    ...more,
  });
  const ask = async (
    { store, ada, adas, dataset }: Fixture,
    key: string,
    events: readonly DpEvent[],
    window?: readonly BlockRange[],
  ) =>
    (await pastAhead({ store })).ledgers.charge({
      ...{ principal: ada.id, account: adas.id, dataset: dataset.id, key, request: { plan: key }, events, lease },
      ...present({ window }),
      ...(events.length === 0 ? { reusesOnly: true, answers: { answers: [] } } : {}),
      adjacency: "addRemove",
    });
  /** Of a node: the first run's end and ε, counted from the last block that had been measured. */
  const runs = async ({ database }: Fixture, node: Parameters<Fixture["database"]["ledgers"]["blockBalances"]>[0]) =>
    (await database.ledgers.blockBalances(node)).map(({ from, to, balance: { state } }) => [
      from < 0 ? "ever" : from - LAST,
      to - LAST,
      state.epsilon === null ? null : formatEpsilon(state.epsilon),
    ]);

  describe("a ledger gets blocks [M168]", () => {
    test("what was spent counts twice in each block that was measured, once in the accounts; later blocks have the whole lifetime", async () => {
      const built = await spent({ rule: "additionThenTight" }, { a: pure("0.3"), b: pure("0.4") });
      const { database, ledger, adas, teamAccount } = built;
      const after = await database.ledgers.migrateLedger(migration(built));
      const earlier = { version: 1, through: LAST, times: 2, isClosed: false };
      expect(after).toMatchObject({
        version: 2,
        activeRule: "addition",
        quota: ledger.quota,
        blocks: { ...monthly, earlier },
      });
      expect(await runs(built, ledger.id)).toEqual([["ever", 0, "1.4"]]);
      for (const { id } of [adas, teamAccount]) expect(await runs(built, id)).toEqual([["ever", 0, "0.7"]]);
      for (const words of [
        "Among the histories in which this version is the last, what was released is (5, 0.000001)-DP.",
        "what is recorded of one person in one month is added or removed.",
        `protected as version 1 says. Each month through ${THROUGH} counts it twice.`,
        "Of what was released since: over k months together, one person has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 5 and δ = 0.000001 of each month.",
        "One person with records before, and in k months asked about since, has what version 1 promises and what k months come to, the ε of both added up, and the δ of both",
      ])
        expect(after.sentence).toContain(words);
      await expect(ask(built, "old", pure("0.5"), month(0, 1))).rejects.toMatchObject({
        code: "QUOTA_EXHAUSTED",
        details: { block: THROUGH, fits: [`${AHEAD + 1}-01`] },
      });
      await ask(built, "rest", pure("0.3"), month(-11, 1));
      await ask(built, "new", pure("0.7"), month(1, 2));
      expect(await runs(built, ledger.id)).toEqual([
        ["ever", -12, "1.4"],
        [-11, 0, "1.7"],
        [1, 1, "1"],
        [2, 2, "0.7"],
      ]);
      expect((await database.audit.verify()).problems).toEqual([]);
      const raise = { ledger: ledger.id, epsilon: eps("6"), delta: ledger.quota.delta, by };
      const { isUnconditional, sentence } = await database.ledgers.previewAmendment(raise);
      expect(isUnconditional).toBe(false);
      expect(sentence).toContain(`Each month through ${THROUGH} counts it twice.`);
      await database.ledgers.proposeAmendment({ ...raise, reason: "more" });
      for (const account of [teamAccount.id, adas.id])
        await database.ledgers.allocate({ account, epsilon: eps("0.5"), delta: del("0"), by });
      await ask(built, "more", pure("0.5"), month(0));
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test.each([false, true])(
      "a report counts it twice for what is recorded of a person in one block, closed or not (%s)",
      async (isClosed) => {
        const built = await spent({ rule: "addition" }, { a: pure("0.3"), b: pure("0.4") });
        const { database, ledger, adas } = built;
        const total = async (node: typeof ledger.id | typeof adas.id) =>
          spendReport({ history: await database.reports.history({ node, points: 4 }), delta: 1e-6, threshold: 1 })
            .adaptive;
        expect(await total(ledger.id)).toBeCloseTo(0.7, 9);
        await database.ledgers.migrateLedger(migration(built, { isClosed }));
        await ask(built, "new", pure("0.3"), month(1));
        for (const node of [ledger.id, adas.id]) expect(await total(node)).toBeCloseTo(1.7, 9);
      },
    );

    test("under tight a block that was measured begins where the doubled history ends", async () => {
      const events = { a: gaussian("20"), b: pure("0.1"), c: [...gaussian("40"), ...pure("0.02")] };
      const built = await spent({ rule: "tight" }, events);
      const { database, ledger, adas } = built;
      const doubled = Object.values(events).map((each) => ({
        events: countedTwice(each),
        activeRule: "tight" as const,
      }));
      const after = await database.ledgers.migrateLedger(migration(built));
      expect(after.state).toEqual(replay(ledger.caps, doubled, "addRemove").at(-1));
      expect(after.state.mu2).toBeLessThan((await database.ledgers.balance(adas.id)).caps.mu2 + ledger.caps.mu2);
      await ask(built, "new", gaussian("10"), month(-1, 3));
      await database.ledgers.withdraw({ account: adas.id, epsilon: eps("0.05"), by });
      await database.ledgers.proposeAmendment({
        ...{ ledger: ledger.id, epsilon: eps("7"), delta: ledger.quota.delta, reason: "more", by },
      });
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("blocks that are closed count once and are not asked about; earlier answers are used again without a window, at no cost", async () => {
      const built = await spent({ rule: "addition", quota: "5", share: "2.5" }, { a: pure("2.5") });
      const { database, ledger, bobs } = built;
      await answered(built, "b", pure("0.5"), bobs);
      await expect(database.ledgers.migrateLedger(migration(built))).rejects.toMatchObject({
        code: "CONFLICT",
        details: { name: "amendment", got: ledger.id },
      });
      expect(await database.ledgers.ledger(ledger.id)).toMatchObject({ version: 1, blocks: null });
      const after = await database.ledgers.migrateLedger(migration(built, { isClosed: true }));
      expect(after.sentence).toContain(
        `Nothing more is asked about months through ${THROUGH}, and this is about later ones.`,
      );
      expect(await runs(built, ledger.id)).toEqual([["ever", 0, "3"]]);
      for (const window of [month(0), month(0, 1), month(-24)])
        await expect(ask(built, "old", pure("0.1"), window)).rejects.toMatchObject({
          code: "INVALID_PARAMETER",
          details: { name: "window" },
        });
      await ask(built, "new", pure("2.5"), month(1, 12));
      expect(await codeOf(ask(built, "unnamed", pure("0.1")))).toBe("INVALID_PARAMETER");
      const again = await ask(built, "again", []);
      expect(again.release).not.toBeNull();
      expect(await runs(built, ledger.id)).toEqual([
        ["ever", 0, "3"],
        [1, 12, "2.5"],
      ]);
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("rows count once; tables declare these blocks afterwards, and no others", async () => {
      const built = await fixture({ rule: "addition" });
      const { database } = built;
      const population = await database.catalog.createPopulation({
        ...{ name: "visits", privacyUnit: "visit", adjacency: "addRemove", by },
      });
      const declared = (more: object) => ({ columns: {}, privacyUnit: "row", ...more });
      const made = { population: population.id, name: "visits", source: { file: "f" }, by };
      const dataset = await database.catalog.createDataset({ ...made, declaration: declared({}) });
      const opened = await database.ledgers.open({
        ...{ population: population.id, epsilon: eps("1"), delta: del("1e-6"), rule: "addition", by },
      });
      const version = (declaration: object) =>
        codeOf(database.catalog.addVersion({ dataset: dataset.id, declaration, source: { file: "f" }, by } as never));
      const blocks = { column: "seen", ...monthly };
      expect(await version(declared({ blocks }))).toBe("INVALID_PARAMETER");
      const after = await database.ledgers.migrateLedger(migration({ ...built, ledger: opened }));
      expect(after.blocks?.earlier?.times).toBe(1);
      expect(await version(declared({}))).toBe("INVALID_PARAMETER");
      expect(await version(declared({ blocks: { ...blocks, every: "week" } }))).toBe("INVALID_PARAMETER");
      expect(await version(declared({ blocks }))).toBe("done");
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("a second person asks for the same, and until then nothing changes", async () => {
      const built = await spent({ rule: "addition" }, { a: pure("0.3") });
      const { database, ada, bob, dataset, ledger } = built;
      for (const { id } of [ada, bob])
        await database.people.grantRole({ by, principal: id, role: "datasetAdmin", object: dataset.id });
      const asks = (who: typeof ada, more: object = {}) =>
        database.ledgers.migrateLedger(migration(built, { by: who.id, ...more }));
      expect(await asks(ada)).toMatchObject({ blocks: null, version: 1 });
      expect(await database.ledgers.isMigrationAsked(ledger.id)).toBe(true);
      expect(await asks(ada)).toMatchObject({ blocks: null });
      expect(await asks(bob, { isClosed: true })).toMatchObject({ blocks: null });
      expect(await asks(bob)).toMatchObject({ version: 2, blocks: { earlier: { isClosed: false } } });
      expect(await database.ledgers.isMigrationAsked(ledger.id)).toBe(false);
      const [version] = await database.ledgers.versions(ledger.id);
      expect(version).toMatchObject({ version: 2, decidedBy: ada.id, secondedBy: bob.id, reason: "the table grows" });
      expect(await codeOf(asks(ada))).toBe("CONFLICT");
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("an ask ends with the next one of that person, and with the role", async () => {
      const built = await spent({ rule: "addition" }, { a: pure("0.3") });
      const { database, ada, bob, dataset, ledger } = built;
      const cleo = await database.people.createPrincipal({ kind: "user", name: "Cleo", email: "cleo@example.org", by });
      const grant = (who: typeof ada) =>
        database.people.grantRole({ by, principal: who.id, role: "datasetAdmin", object: dataset.id });
      await grant(ada);
      await grant(cleo);
      const { id: binding } = await grant(bob);
      const asks = async (who: typeof ada, more: object = {}) =>
        (await database.ledgers.migrateLedger(migration(built, { by: who.id, ...more }))).version;
      expect(await asks(ada)).toBe(1);
      expect(await asks(ada, { isClosed: true })).toBe(1);
      expect(await asks(bob)).toBe(1);
      await database.people.revokeRole({ binding, by });
      expect(await asks(cleo)).toBe(1);
      expect(await asks(ada)).toBe(2);
      const [version] = await database.ledgers.versions(ledger.id);
      expect(version).toMatchObject({ decidedBy: cleo.id, secondedBy: ada.id });
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("a platform admin only gives the same as an admin of the datasets asked for", async () => {
      const built = await spent({ rule: "addition" }, { a: pure("0.3") });
      const { database, ada, bob, dataset, ledger } = built;
      const cleo = await database.people.createPrincipal({ kind: "user", name: "Cleo", email: "cleo@example.org", by });
      await database.people.grantRole({ by, principal: ada.id, role: "datasetAdmin", object: dataset.id });
      for (const { id } of [bob, cleo]) await database.people.grantRole({ by, principal: id, role: "platformAdmin" });
      const asks = (who: typeof ada, more: object = {}) =>
        database.ledgers.migrateLedger(migration(built, { by: who.id, ...more }));
      for (const who of [bob, cleo]) await expect(asks(who)).rejects.toMatchObject({ code: "FORBIDDEN" });
      expect((await asks(ada)).version).toBe(1);
      for (const who of [bob, cleo]) expect(await codeOf(asks(who, { isClosed: true }))).toBe("FORBIDDEN");
      expect((await database.ledgers.ledger(ledger.id)).version).toBe(1);
      expect((await asks(cleo)).version).toBe(2);
    });

    test("refused where blocks would be wrong: a waiting charge, a cap, a declared ceiling, a switched rule, replaced neighbours, a block before today", async () => {
      const codes = async (built: Fixture, more: object = {}) => {
        try {
          await built.database.ledgers.migrateLedger(migration(built, more));
          return "done";
        } catch (error) {
          const { code, details } = error as { code: string; details: { name: string; got: string } };
          return details.name === "ceiling" ? `${code} ceiling ${details.got}` : `${code} ${details.name}`;
        }
      };
      const built = await fixture({ rule: "addition" });
      const { database, bob, ledger } = built;
      expect(await codes(built, { through: "2001-01" })).toBe("INVALID_PARAMETER through");
      expect(await codes(built, { through: String(AHEAD) })).toBe("INVALID_PARAMETER through");
      expect(await codes(built, { every: "decade" })).toBe("INVALID_PARAMETER blocks.every");
      expect(await codes(built, { zone: "Mars" })).toBe("INVALID_PARAMETER blocks.zone");
      await database.ledgers.freezeLedger({ ledger: ledger.id, reason: "looking", by });
      expect(await codes(built)).toBe("CONFLICT ledger");
      await database.ledgers.setLedger({ ledger: ledger.id, status: "open", by });
      const holder = { kind: "principal", id: bob.id } as const;
      await database.ledgers.closeAccount({ account: built.bobs.id, by });
      const cap = await database.ledgers.openAccount({
        ...{ ledger: ledger.id, parent: built.teamAccount.id, holder, kind: "cap", epsilon: eps("0.1"), by },
      });
      expect(await codes(built)).toBe("CONFLICT account");
      await database.ledgers.closeAccount({ account: cap.id, by });
      const { charge } = await built.charge("waits", pure("0.1"));
      expect(await codes(built)).toBe("CONFLICT charge");
      await database.releases.complete({ charge: charge.id, owner: "test", answers: [] });
      expect(await codes(built)).toBe("done");
      expect((await database.audit.verify()).problems).toEqual([]);

      const switched = await spent({}, { a: pure("0.01") });
      await switched.database.ledgers.switchRule({ ledger: switched.ledger.id, by });
      expect(await codes(switched)).toBe("CONFLICT rule");
      for (const [adjacency, ceiling, refused] of [
        ["replace", undefined, "INVALID_PARAMETER adjacency"],
        ["addRemove", { epsilon: eps("2"), delta: del("1e-6") }, "CONFLICT ceiling (2, 0.000001)"],
        ["addRemove", { epsilon: eps("1"), delta: del("2e-6") }, "CONFLICT ceiling (1, 0.000002)"],
      ] as const) {
        const other = await database.catalog.createPopulation({ name: refused, privacyUnit: "person", adjacency, by });
        const opened = await database.ledgers.open({
          ...{ population: other.id, epsilon: eps("1"), delta: del("1e-6"), rule: "addition", ceiling, by },
        });
        expect(await codes({ ...built, ledger: opened })).toBe(refused);
      }
    });

    test("a database from before the ledger had blocks stays frozen once the checkpoint is of one that has them", async () => {
      const built = await spent({ rule: "addition" }, { a: pure("0.3") });
      const { database, ledger } = built;
      const sumsOf = async () => (await database.audit.checkpoint())?.ledgers[ledger.id];
      expect(await sumsOf()).not.toHaveProperty("hasBlocks");
      const kept = await database.audit.checkpoint();
      if (kept === null) throw new RangeError("no line");
      const spentThen = { activeRule: "addition", epsilon: "600000000000", delta: "0", mu2: null } as const;
      const sums = { ...spentThen, version: "1", hasBlocks: true } as const;
      const ahead = { ...kept, seq: `${kept.seq}0`, hash: "0".repeat(64), ledgers: { [ledger.id]: sums } };
      expect((await database.audit.compareCheckpoint(ahead))?.frozen).toEqual([ledger.id]);
      const reopening = { ledger: ledger.id, epsilon: eps("1"), delta: del("0"), reason: "restored", by };
      await expect(database.ledgers.reopenLedger(reopening)).rejects.toMatchObject({
        code: "CONFLICT",
        details: { name: "backup" },
      });
      expect(await codeOf(database.ledgers.setLedger({ ledger: ledger.id, status: "open", by }))).toBe("CONFLICT");
      expect(await sumsOf()).toHaveProperty("hasBlocks", true);
      const other = await spent({ rule: "addition" }, { a: pure("0.3") });
      await other.database.ledgers.migrateLedger(migration(other));
      expect((await other.database.audit.checkpoint())?.ledgers[other.ledger.id]).toHaveProperty("hasBlocks", true);
    });

    test("a state that forgets what was spent before is found", async () => {
      const built = await spent({ rule: "addition" }, { a: pure("0.3") });
      const { database, store, ledger } = built;
      await database.ledgers.migrateLedger(migration(built));
      const change = (less: bigint) =>
        store.transact(({ run }) =>
          run("UPDATE block_run SET state_epsilon = state_epsilon - ? WHERE node_id = ?", [less, ledger.id]),
        );
      await change(eps("0.3"));
      expect((await database.audit.verify()).problems).toMatchObject([{ table: "block_run", id: ledger.id }]);
      await change(-eps("0.3"));
    });
  });
}
