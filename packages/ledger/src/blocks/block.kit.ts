import { type BlockRange, blockAt, type DpEvent, formatEpsilon } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { describe, expect, test } from "vitest";
import type { Account } from "../accounts/account.ts";
import { openLedgerDatabase } from "../index.ts";
import {
  type Build,
  by,
  codeOf,
  del,
  eps,
  type Fixture,
  type FixtureOptions,
  gaussian,
  pure,
  reopenByTwo,
} from "../testing/fixture.kit.ts";
import type { Json } from "../values/json.ts";

const monthly = { every: "month", zone: "Europe/Berlin" } as const;
const JANUARY = 648; // of 2024
const months = (from: number, to = from): readonly BlockRange[] => [{ from: JANUARY + from - 1, to: JANUARY + to - 1 }];

/** Charges over months of 2024. */
export function blockKit(fixture: Build): void {
  const open = (options: FixtureOptions = {}) => fixture({ rule: "addition", blocks: monthly, ...options });
  const ask = (
    { database, ada, adas, dataset }: Fixture,
    key: string,
    {
      events,
      window,
      account = adas,
    }: { events: readonly DpEvent[]; window?: readonly BlockRange[]; account?: Account },
  ) =>
    database.ledgers.charge({
      ...{ principal: ada.id, account: account.id, dataset: dataset.id, key, request: { plan: key }, events },
      ...present({ window }),
      adjacency: "addRemove",
      lease: { owner: "test", seconds: 60 },
    });
  const runs = async ({ store }: Fixture, node: string) =>
    (
      await store.read
        .selectFrom("block_run")
        .selectAll()
        .where("node_id", "=", node as never)
        .orderBy("block_from")
        .execute()
    ).map(({ block_from, block_to, state_epsilon }) => [
      Number(block_from) - JANUARY + 1,
      Number(block_to) - JANUARY + 1,
      state_epsilon === null ? null : formatEpsilon(state_epsilon),
    ]);

  describe("blocks", () => {
    test("each month has the whole quota, is debited by the charges that name it, and is refused by itself [M160]", async () => {
      const built = await open();
      const { adas, ledger, teamAccount } = built;
      await ask(built, "year", { events: pure("0.25"), window: months(1, 12) });
      await ask(built, "march", { events: pure("0.75"), window: months(3) });
      const spent = [
        [1, 2, "0.25"],
        [3, 3, "1"],
        [4, 12, "0.25"],
      ];
      for (const node of [adas.id, teamAccount.id, ledger.id]) expect(await runs(built, node)).toEqual(spent);
      await expect(ask(built, "again", { events: pure("0.1"), window: months(2, 12) })).rejects.toMatchObject({
        code: "QUOTA_EXHAUSTED",
        details: {
          account: adas.id,
          block: "2024-03",
          fits: ["2024-02", "2024-04 to 2024-12"],
          available: "0",
          requested: "0.1",
          largestEpsilon: "0",
        },
      });
      expect(await runs(built, ledger.id)).toEqual(spent);
      const quoted = { account: adas.id, events: pure("0.1"), window: months(2, 12) };
      expect(await built.database.ledgers.quote(quoted)).toMatchObject({
        admitted: false,
        largestEpsilon: 0n,
        blocks: { first: "2024-03", fits: ["2024-02", "2024-04 to 2024-12"] },
      });
      // What a quote shows is of the window alone: March, which is full, is not in it.
      const shown = await built.database.ledgers.quote({ ...quoted, window: months(1, 2) });
      expect(shown).toMatchObject({ admitted: true, before: [{ state: { epsilon: eps("0.25") } }, {}, {}] });
      expect(shown).toMatchObject({ after: [{ state: { epsilon: eps("0.35") } }, {}, {}] });
      await ask(built, "april", { events: pure("0.75"), window: months(4, 4) });
      await ask(built, "next year", { events: pure("1"), window: months(13, 24) });
      expect(await runs(built, adas.id)).toEqual([
        [1, 2, "0.25"],
        [3, 4, "1"],
        [5, 12, "0.25"],
        [13, 24, "1"],
      ]);
    });

    test("room for more like the last charge is that of the blocks it named, not of the fullest", async () => {
      const built = await open();
      const { database, adas } = built;
      const more = () => database.reports.roomForMore({ account: adas.id });
      await ask(built, "march", { events: pure("1"), window: months(3) });
      expect(await more()).toMatchObject({ count: 0, isAtLeast: false });
      await ask(built, "later", { events: pure("0.2"), window: months(5, 6) });
      expect(await more()).toMatchObject({ count: 4, isAtLeast: false, isDelta: false });
      await ask(built, "gap", { events: pure("0.5"), window: [...months(5), ...months(8)] });
      expect(await more()).toMatchObject({ count: 0 });
      await ask(built, "august", { events: pure("0.25"), window: months(8) });
      expect(await more()).toMatchObject({ count: 1 });
    });

    test("a list is a set: rising ranges, whatever the order it is named in; the same key with another window is refused", async () => {
      const built = await open();
      const named = [...months(3), ...months(1, 2)];
      const first = await ask(built, "k", { events: pure("0.1"), window: named });
      expect(first.repeated).toBe(false);
      expect((await ask(built, "k", { events: pure("0.1"), window: months(1, 3) })).repeated).toBe(true);
      expect(await codeOf(ask(built, "k", { events: pure("0.1"), window: months(1, 2) }))).toBe("IDEMPOTENCY_CONFLICT");
      expect(await runs(built, built.ledger.id)).toEqual([[1, 3, "0.1"]]);
      for (const window of [
        [],
        [...months(1, 3), ...months(2)],
        [{ from: 0, to: 10_000 }],
        [{ from: 2, to: 1 }],
        [{ from: 0.5, to: 1 }],
      ])
        expect(await codeOf(ask(built, "bad", { events: pure("0.1"), window }))).toBe("INVALID_PARAMETER");
    });

    test("a window is named where the ledger has blocks, and only there", async () => {
      const built = await open();
      expect(await codeOf(ask(built, "none", { events: pure("0.1") }))).toBe("INVALID_PARAMETER");
      expect(await runs(built, built.ledger.id)).toEqual([]);
      const whole = await fixture();
      expect(await codeOf(ask(whole, "some", { events: pure("0.1"), window: months(1) }))).toBe("INVALID_PARAMETER");
      expect(whole.ledger.blocks).toBeNull();
      expect(built.ledger.sentence).toContain(
        "when what is recorded of any one person in any one month is added or removed",
      );
      expect(whole.ledger.sentence).toContain("when any one person is added or removed");
      expect(built.ledger.blocks).toEqual(monthly);
    });

    test("a window of the future is refused by the ledger itself, and nothing is written [M169]", async () => {
      const built = await open();
      const { database, adas, ledger } = built;
      const begun = blockAt(monthly, Date.now() / 1000) - JANUARY + 1;
      // The month may end between these lines: the one after the next has not begun in either case.
      for (const window of [months(begun + 2), months(1, begun + 2), [...months(1), ...months(2400)]]) {
        const asked = { events: pure("0.1"), window };
        await expect(ask(built, "ahead", asked)).rejects.toMatchObject({
          code: "INVALID_PARAMETER",
          details: { name: "window" },
        });
        await expect(database.ledgers.quote({ account: adas.id, ...asked })).rejects.toThrow(
          "later ones have not begun",
        );
      }
      expect(await runs(built, ledger.id)).toEqual([]);
      await ask(built, "now", { events: pure("0.1"), window: months(begun) });
      expect(await runs(built, ledger.id)).toEqual([[begun, begun, "0.1"]]);
    });

    test("under tight each month keeps its own μ²; quota moved between accounts replays every month", async () => {
      const built = await open({ rule: "tight", epsilon: "1", quota: "1", share: "0.3" });
      const { database, adas, store, ledger } = built;
      await ask(built, "a", { events: gaussian("40"), window: months(1, 12) });
      await ask(built, "b", { events: pure("0.05"), window: months(6) });
      await database.ledgers.allocate({ account: adas.id, epsilon: eps("0.25"), by });
      await ask(built, "c", { events: [...gaussian("60"), ...pure("0.01")], window: months(5, 7) });
      await database.ledgers.withdraw({ account: adas.id, epsilon: eps("0.05"), by });
      expect((await runs(built, adas.id)).map(([from, to]) => [from, to])).toEqual([
        [1, 4],
        [5, 5],
        [6, 6],
        [7, 7],
        [8, 12],
      ]);
      const rows = await store.read.selectFrom("block_run").selectAll().where("node_id", "=", ledger.id).execute();
      // A line says how far μ² fell in its fullest month: noise takes 1/σ² of every one, and a pure ε the more the less there was.
      const { items } = await database.ledgers.entries({ ledger: ledger.id, kind: "charge" });
      const [c, b, a] = items.map(({ mu2Spent }) => Number(mu2Spent) / 1e12);
      expect(a).toBeCloseTo(1 / 40 ** 2, 9);
      expect(b).toBeGreaterThan(0);
      expect(c).toBeGreaterThan(1 / 60 ** 2);
      const least = rows.map(({ state_remaining_mu2 }) => state_remaining_mu2 ?? 0n).reduce((a, b) => (a < b ? a : b));
      expect((await database.ledgers.ledger(ledger.id)).state.mu2).toBe(least);
      await expect(database.ledgers.withdraw({ account: adas.id, epsilon: eps("0.7"), by })).rejects.toMatchObject({
        code: "QUOTA_UNAVAILABLE",
      });
    });

    test("two charges of one group see what the other took", async () => {
      const built = await open();
      const codes = await Promise.all(
        ["a", "b", "c", "d"].map((key) => codeOf(ask(built, key, { events: pure("0.4"), window: months(1, 3) }))),
      );
      expect(codes.toSorted()).toEqual(["QUOTA_EXHAUSTED", "QUOTA_EXHAUSTED", "done", "done"]);
      expect(await runs(built, built.adas.id)).toEqual([[1, 3, "0.8"]]);
    });

    test("a block that two servers ask about first is opened once, also one far from all others", async () => {
      const built = await open();
      const servers = [built.database, await openLedgerDatabase(built.store)];
      for (const [place, month] of [1, -2400].entries()) {
        const asking = ["a", "b", "c", "d"].map((key, index) =>
          codeOf(
            ask({ ...built, database: servers[index % 2] ?? built.database }, `${key}${place}`, {
              events: pure("0.6"),
              window: months(month),
            }),
          ),
        );
        expect((await Promise.all(asking)).filter((code) => code === "done")).toHaveLength(1);
      }
      const once = [
        [-2400, -2400, "0.6"],
        [1, 1, "0.6"],
      ];
      expect(await runs(built, built.adas.id)).toEqual(once);
      expect(await runs(built, built.ledger.id)).toEqual(once);
    });

    test("a raise is one of every block: all are replayed, and a month that nothing had named has it until a further raise [M166]", async () => {
      const built = await open({ rule: "tight", epsilon: "1", quota: "1", share: "0.5" });
      const { database, adas, bobs, ledger, teamAccount } = built;
      await ask(built, "a", { events: gaussian("20"), window: months(1, 3) });
      await ask(built, "b", { events: pure("0.05"), window: months(2, 6) });
      const before = await Promise.all([adas, bobs, teamAccount].map(({ id }) => runs(built, id)));
      const raise = { ledger: ledger.id, epsilon: eps("1.5"), delta: ledger.quota.delta, by };
      const preview = await database.ledgers.previewAmendment(raise);
      const untouched =
        "In each month that no charge had named by then, what was released is (1.5, 0.000001)-DP, whatever happens before a further raise.";
      expect(preview).toMatchObject({ answersSeen: true, isUnconditional: false });
      expect(preview.sentence).toContain(untouched);
      expect(preview.sentence).toContain("what is recorded of one person in one month is added or removed");
      await database.ledgers.proposeAmendment({ ...raise, reason: "more" });
      const raised = await database.ledgers.ledger(ledger.id);
      expect(raised).toMatchObject({ version: 2, blocks: monthly, sentence: preview.sentence });
      // Σε is what it was in every block; what is left is more.
      expect(await Promise.all([adas, bobs, teamAccount].map(({ id }) => runs(built, id)))).toEqual(before);
      expect(raised.state.mu2).toBeGreaterThan(ledger.caps.mu2 / 2n);
      await database.ledgers.allocate({ account: teamAccount.id, epsilon: eps("0.5"), delta: del("0"), by });
      await database.ledgers.allocate({ account: adas.id, epsilon: eps("0.5"), delta: del("0"), by });
      await ask(built, "c", { events: gaussian("10"), window: months(1, 12) });
      await ask(built, "d", { events: gaussian("6"), window: months(12) });
      // December was charged under the second version: the third says nothing of it, and the second promised nothing about the third.
      const again = await database.ledgers.previewAmendment({ ...raise, epsilon: eps("3") });
      expect(again.sentence).toContain(
        "In each month that no charge had named by then, what was released is (3, 0.000001)-DP",
      );
      expect(`${raised.sentence} ${again.sentence}`).not.toMatch(/-DP unconditionally/);
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("a raise that a share of one block would not carry is refused as a whole", async () => {
      const built = await open({ rule: "tight", epsilon: "1", quota: "1", share: "0.5" });
      const { database, ledger } = built;
      // All δ of Ada's share in March; four times the δ with the same part for the events leaves her a quarter of it.
      await ask(built, "a", { events: [{ kind: "approximate", epsilon: "0.1", delta: "5e-8" }], window: months(3) });
      const before = await runs(built, built.adas.id);
      const raise = { ledger: ledger.id, epsilon: eps("1.5"), by, reason: "more" };
      const all = { ...raise, delta: del("4e-6"), deltaSelection: ledger.terms.deltaSelection };
      expect(await codeOf(database.ledgers.proposeAmendment(all))).toBe("CONFLICT");
      expect(await database.ledgers.ledger(ledger.id)).toMatchObject({ version: 1 });
      expect(await runs(built, built.adas.id)).toEqual(before);
      expect(await codeOf(database.ledgers.proposeAmendment({ ...raise, delta: del("4e-6") }))).toBe("done");
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("what cannot be done block by block is refused: caps, other rules, other neighbours", async () => {
      const built = await open();
      const { database, bob, ledger } = built;
      const cap = { ledger: ledger.id, parent: null, holder: { kind: "principal", id: bob.id }, kind: "cap" } as const;
      expect(await codeOf(database.ledgers.openAccount({ ...cap, epsilon: eps("0.1"), by }))).toBe("CONFLICT");
      for (const [adjacency, rule, name] of [
        ["addRemove", "additionThenTight", "rule"],
        ["replace", "addition", "adjacency"],
      ] as const) {
        const other = await database.catalog.createPopulation({ name: rule, privacyUnit: "person", adjacency, by });
        const declaration = { columns: {}, blocks: { column: "seen", ...monthly } };
        await database.catalog.createDataset({ population: other.id, name: rule, declaration, source: {}, by });
        const asked = { population: other.id, epsilon: eps("1"), delta: del("1e-6"), rule, by };
        await expect(database.ledgers.open(asked)).rejects.toMatchObject({
          code: "INVALID_PARAMETER",
          details: { name },
        });
      }
      const [read] = [await ask(built, "first", { events: pure("0.1"), window: months(1) })];
      const again = {
        principal: bob.id,
        account: built.bobs.id,
        dataset: built.dataset.id,
        adjacency: "addRemove",
      } as const;
      const readings = { key: "read", request: {}, events: pure("0.1"), window: months(1), readings: [read.charge.id] };
      const lease = { owner: "test", seconds: 60 };
      expect(await codeOf(database.ledgers.charge({ ...again, ...readings, lease }))).toBe("UNSUPPORTED_QUERY");
      expect(await runs(built, built.bobs.id)).toEqual([]);
    });

    test("a charge whose request reads other blocks than it pays for is refused, and nothing is spent [M160]", async () => {
      const built = await open();
      const { database, ada, adas, dataset, ledger } = built;
      const reading = (request: Json) =>
        database.ledgers.charge({
          ...{ principal: ada.id, account: adas.id, dataset: dataset.id, key: "reads", request },
          ...{ events: pure("0.1"), window: months(1), adjacency: "addRemove" },
          lease: { owner: "test", seconds: 60 },
        });
      const before = (await database.ledgers.ledger(ledger.id)).head;
      for (const request of [
        { plan: {} },
        { plan: { window: { blocks: ["2024-02"] } } },
        { plan: {}, window: { blocks: ["2024-01 to 2024-02"] } },
      ])
        await expect(reading(request), JSON.stringify(request)).rejects.toMatchObject({
          code: "INVALID_PARAMETER",
          details: { name: "request.window" },
        });
      expect((await database.ledgers.ledger(ledger.id)).head).toBe(before);
      await reading({ plan: {}, window: { blocks: ["2024-01"] } });
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("a frozen ledger opens again where no charge is missing; where any block may lack one, each is brought up to the fullest [M169]", async () => {
      const built = await open();
      const { database, store, ledger } = built;
      await ask(built, "a", { events: pure("0.3"), window: months(1, 3) });
      await database.ledgers.freezeLedger({ ledger: ledger.id, reason: "a question", by });
      expect(await codeOf(ask(built, "b", { events: pure("0.1"), window: months(5) }))).toBe("ACCOUNT_CLOSED");
      const reopening = { ledger: ledger.id, epsilon: eps("0"), delta: del("0"), reason: "answered", by };
      expect(await codeOf(database.ledgers.reopenLedger({ ...reopening, epsilon: eps("0.1") }))).toBe(
        "INVALID_PARAMETER",
      );
      // Frozen twice by hand: no charge is missing.
      await database.ledgers.freezeLedger({ ledger: ledger.id, reason: "another", by });
      expect((await database.ledgers.reopenLedger(reopening)).status).toBe("open");
      await ask(built, "b", { events: pure("0.1"), window: months(5) });
      expect(await runs(built, ledger.id)).toEqual([
        [1, 3, "0.3"],
        [5, 5, "0.1"],
      ]);
      expect((await database.audit.verify()).problems).toEqual([]);

      const kept = await database.audit.checkpoint();
      if (kept === null) throw new RangeError("no line");
      const older = await openLedgerDatabase(store);
      const ahead = { ...kept, seq: kept.seq + 1, hash: "0".repeat(64) };
      expect((await older.audit.compareCheckpoint(ahead))?.frozen).toEqual([ledger.id]);
      expect(await codeOf(older.ledgers.setLedger({ ledger: ledger.id, status: "open", by }))).toBe("CONFLICT");
      expect((await reopenByTwo(older, { ...reopening, epsilon: eps("0.2") })).status).toBe("open");
      const levelled = await older.ledgers.blockBalances(ledger.id);
      expect(levelled.map(({ balance }) => formatEpsilon(balance.state.epsilon ?? eps("0")))).toEqual(["0.5"]);
      expect(levelled[0]?.from).toBeLessThan(-20_000);
      expect(levelled[0]?.to).toBeGreaterThan(JANUARY + 30);
    });

    test("states, windows and remaining μ² that were changed by hand are found", async () => {
      const built = await open({ rule: "tight" });
      const { database, store, adas } = built;
      await ask(built, "a", { events: pure("0.1"), window: months(1, 3) });
      expect((await database.audit.verify()).problems).toEqual([]);
      const change = (more: 1 | -1) =>
        store.transact(({ run }) =>
          run("UPDATE block_run SET state_remaining_mu2 = state_remaining_mu2 + ? WHERE node_id = ?", [
            BigInt(more),
            adas.id,
          ]),
        );
      await change(1);
      expect((await database.audit.verify()).problems).toMatchObject([{ table: "block_run", id: adas.id }]);
      await change(-1);
    });
  });
}
