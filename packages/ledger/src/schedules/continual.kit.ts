import { columnMu2, formatDate, type Mu2Amount, rangeName } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { describe, expect, test } from "vitest";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { reopenLedgerIn } from "../restore/restore-gap.ts";
import {
  askToReopen,
  type Build,
  by,
  codeOf,
  del,
  eps,
  type Fixture,
  gaussian,
  reopenByTwo,
} from "../testing/fixture.kit.ts";
import type { ChargeId } from "../values/id.ts";
import type { Schedule } from "./schedule.ts";

const monthly = { every: "month", zone: "UTC" } as const;
const JANUARY = 648; // of 2024
const HORIZON = 4;
const MU2 = 10_000_000_000n as Mu2Amount;
const plan = { horizon: HORIZON, statistics: [{ statistic: "runningCount" }] };

const nameOf = (step: number): string => formatDate(JANUARY + step - 1, "month");
const priceOf = (step: number): bigint => columnMu2(MU2, { horizon: HORIZON, step });
/** Noise that costs this number of units, a little more than it has to be. */
const costing = (units: bigint) => gaussian(String((1 + 1e-15) / Math.sqrt(Number(units) / 1e12)));

interface Step {
  readonly step: number;
  readonly continues?: readonly string[];
  readonly horizon?: number;
  readonly price?: bigint;
  readonly blocks?: readonly { readonly from: number; readonly to: number }[];
  readonly reads?: string;
  readonly key?: string;
}

/** Running totals that go on, step by step [M209]. */
export function continualKit(fixture: Build): void {
  const totals = ({ ada, adas, dataset, database }: Fixture, name = "Totals") =>
    database.schedules.createSchedule({
      ...{ by: ada.id, dataset: dataset.id, from: adas.id, name, plan: JSON.stringify(plan) },
      ...{ events: costing(priceOf(1)), latest: 1, first: JANUARY, recipients: [] },
    });
  const open = async () => {
    const built = await fixture({ rule: "tight", blocks: monthly });
    return { built, schedule: await totals(built) };
  };

  const charge = ({ database, ada, dataset }: Fixture, schedule: Schedule, asked: Step) => {
    const { step, continues, horizon = HORIZON, price = priceOf(step), key = `step ${step}` } = asked;
    const newest = JANUARY + step - 1;
    const { blocks = [{ from: newest, to: newest }], reads = rangeName(nameOf(1), nameOf(step)) } = asked;
    return database.ledgers.charge({
      ...{ schedule: schedule.id, principal: ada.id, account: schedule.account, dataset: dataset.id, key },
      request: {
        plan: { ...plan, horizon, window: { blocks: [reads] } },
        window: { blocks: [reads] },
        ...present({ continues }),
      },
      ...{ events: costing(price), window: blocks, adjacency: "addRemove", lease: { owner: "test", seconds: 60 } },
    });
  };

  const released = async (built: Fixture, schedule: Schedule, asked: Step): Promise<string> => {
    const { id } = (await charge(built, schedule, asked)).charge;
    await built.database.releases.complete({ charge: id, owner: "test", answers: [], statistics: [] });
    return id;
  };

  describe("running totals that go on [M209]", () => {
    test("each block pays its column once, in the charge of its own step, and all of it verifies", async () => {
      const { built, schedule } = await open();
      expect(schedule).toMatchObject({ latest: 1, horizon: HORIZON });
      const { ledgers, audit } = built.database;
      const done: string[] = [];
      for (let step = 1; step <= HORIZON; step++)
        done.push(await released(built, schedule, { step, ...(step === 1 ? {} : { continues: [...done] }) }));
      const cap = (await ledgers.ledger(built.ledger.id)).caps.mu2 ?? 0n;
      const runs = await ledgers.blockBalances(built.ledger.id);
      const spent = Array.from({ length: HORIZON }, (_, at) => {
        const run = runs.find(({ from, to }) => from <= JANUARY + at && JANUARY + at <= to);
        return cap - (run?.balance.state.mu2 ?? cap);
      });
      expect(spent).toEqual([1, 2, 3, 4].map(priceOf));
      // The same key again is the same charge.
      expect((await charge(built, schedule, { step: 4, continues: done.slice(0, 3) })).repeated).toBe(true);
      expect((await audit.verify()).problems).toEqual([]);
    });

    test("a step whose blocks are not all paid for is refused, and nothing is spent", async () => {
      const { built, schedule } = await open();
      const { ledgers } = built.database;
      const refused = async (asked: Step) => codeOf(charge(built, schedule, { key: "wrong", ...asked }));
      expect(await refused({ step: 2, continues: [] })).toBe("CONFLICT");
      expect(await refused({ step: 1, price: 2n * MU2, blocks: [{ from: JANUARY, to: JANUARY + 1 }] })).toBe(
        "CONFLICT",
      );
      const first = await released(built, schedule, { step: 1 });
      const waiting = (await charge(built, schedule, { step: 2, continues: [first] })).charge.id;
      const before = (await ledgers.ledger(built.ledger.id)).head;
      // Its answers are not there yet.
      expect(await refused({ step: 3, continues: [first, waiting] })).toBe("CONFLICT");
      await built.database.releases.complete({ charge: waiting, owner: "test", answers: [], statistics: [] });
      for (const wrong of [
        { step: 3, continues: [first] },
        { step: 3, continues: [waiting, first] },
        { step: 3, continues: [first, first] },
        { step: 3, continues: [first, waiting], price: priceOf(4) },
        { step: 3, continues: [first, waiting], price: 2n * priceOf(3) },
        { step: 3, continues: [first, waiting], horizon: HORIZON + 1 },
        { step: 3, continues: [first, waiting], reads: rangeName(nameOf(1), nameOf(4)) },
        { step: 3, continues: [first, waiting], blocks: [{ from: JANUARY + 1, to: JANUARY + 2 }] },
        // A second one of February would read January once more.
        { step: 2, continues: [first] },
      ] satisfies readonly Step[])
        expect([wrong, await refused(wrong)]).toEqual([wrong, "CONFLICT"]);
      const { items: lines } = await built.database.audit.lines({ action: "charge.refuse" });
      expect(lines.map(({ detail }) => detail)).toEqual(Array(12).fill(expect.objectContaining({ code: "CONFLICT" })));
      expect((await ledgers.ledger(built.ledger.id)).head).toEqual(before);
      expect((await built.database.audit.verify()).problems).toEqual([]);
    });

    test("a write-off ends what has begun, with the reason, and gives back what was set aside: later steps may have been released", async () => {
      const { built, schedule } = await open();
      const { ada, ledger, database } = built;
      const { ledgers, audit, schedules, outbox } = database;
      const first = await released(built, schedule, { step: 1 });
      const point = { schedule: schedule.id, block: JANUARY, period: nameOf(1), to: [], charge: first as ChargeId };
      await schedules.putPoint({ ...point, refusal: null });
      const later = await totals(built, "Totals that have not begun");
      // Of one the server stopped between the charge and its point, another was refused for a reason of its own, a third one is complete.
      const [stopped, refused, complete] = [
        await totals(built, "Stopped"),
        await totals(built, "Refused"),
        await totals(built, "Complete"),
      ];
      const charges = new Map<string, string[]>();
      for (const [one, steps] of [
        [stopped, 1],
        [refused, 1],
        [complete, HORIZON],
      ] as const) {
        const done: string[] = [];
        for (let step = 1; step <= steps; step++)
          done.push(
            await released(built, one, {
              ...{ step, key: `${one.name} ${step}` },
              ...(step === 1 ? {} : { continues: [...done] }),
            }),
          );
        charges.set(one.id, done);
      }
      const refusal = { code: "CONFLICT", message: "the declaration has changed" } as const;
      await schedules.putPoint({
        ...point,
        schedule: refused.id,
        refusal: null,
        charge: charges.get(refused.id)?.[0] as ChargeId,
      });
      await schedules.putPoint({
        ...point,
        schedule: refused.id,
        block: JANUARY + 1,
        period: nameOf(2),
        charge: null,
        refusal,
      });
      for (const { id } of [schedule, later])
        await schedules.setSchedule({ schedule: id, by: ada.id, status: "paused" });
      const kept = await audit.checkpoint();
      if (kept === null) throw new RangeError("no line");
      await audit.compareCheckpoint({ ...kept, seq: kept.seq + 1, hash: "0".repeat(64) });
      const none = { epsilon: eps("0"), delta: del("0") };
      await reopenByTwo(built.database, { ledger: ledger.id, ...none, reason: "restored" });

      expect(await codeOf(charge(built, schedule, { step: 2, continues: [first] }))).toBe("ACCOUNT_CLOSED");
      const all = [schedule, stopped, refused, complete, later];
      const statuses = await Promise.all(all.map(async ({ id }) => (await schedules.schedule(id)).status));
      expect(statuses).toEqual(["ended", "ended", "ended", "ended", "paused"]);
      for (const { id } of [schedule, stopped, refused])
        expect(await schedules.points({ schedule: id, limit: 10 })).toMatchObject([
          { block: JANUARY, refusal: null },
          { block: JANUARY + 1, charge: null, refusal: { message: expect.stringContaining("has ended") } },
        ]);
      // A refusal that a server was about to keep says nothing else.
      const late = { code: "ACCOUNT_CLOSED", message: "the account is closed" } as const;
      await schedules.putPoint({ ...point, block: JANUARY + 1, period: nameOf(2), charge: null, refusal: late });
      expect((await schedules.points({ schedule: schedule.id, limit: 10 })).at(-1)?.refusal?.code).toBe("CONFLICT");
      const last = await schedules.points({ schedule: complete.id, limit: 10 });
      expect(last).toMatchObject([{ block: JANUARY + HORIZON - 1, charge: charges.get(complete.id)?.at(-1) }]);
      const { items: lines } = await audit.lines({ action: "schedule.report" });
      const causedBy = lines.flatMap(({ actor, detail }) =>
        JSON.stringify(detail).includes("CONFLICT") ? [actor] : [],
      );
      expect(causedBy.filter((actor) => actor === by)).toHaveLength(3);
      const { items } = await outbox.notifications({ principal: ada.id });
      const told = items.filter(({ facts }) => facts.outcome === "ended").map(({ facts }) => facts.name);
      expect(told.sort()).toEqual(["Refused", "Stopped", "Totals"]);
      const accounts = await Promise.all(all.map(async ({ account }) => (await ledgers.account(account)).status));
      expect(accounts).toEqual(["closed", "closed", "closed", "closed", "active"]);
      expect((await audit.verify()).problems).toEqual([]);
    });

    test("a ledger that lacks nothing opens without a write-off, and its totals go on", async () => {
      const { built, schedule } = await open();
      const { ledger, database } = built;
      const first = await released(built, schedule, { step: 1 });
      const none = { epsilon: eps("0"), delta: del("0") };
      const { entries } = await database.ledgers.ledger(ledger.id);
      await database.ledgers.freezeLedger({ ledger: ledger.id, reason: "a question", by });
      await database.ledgers.reopenLedger({ ledger: ledger.id, ...none, reason: "answered", by });
      const second = await released(built, schedule, { step: 2, continues: [first] });
      // A folder that was moved without its checkpoint, and its witness, whose newest line is there.
      await database.audit.nameWitness("its key");
      const kept = await database.audit.checkpoint();
      if (kept === null) throw new RangeError("no line");
      await database.audit.freezeUnvouched();
      const moved = { ledger: ledger.id, ...none, reason: "moved", by };
      await database.ledgers.reopenLedger({ ...moved, witness: { kept, signedBy: "its key" } });
      await released(built, schedule, { step: 3, continues: [first, second] });
      expect((await database.schedules.schedule(schedule.id)).status).toBe("active");
      expect((await database.ledgers.ledger(ledger.id)).entries).toBe(entries + 2);
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("after a write-off since the first step, the charge of a step is refused too", async () => {
      const { built, schedule } = await open();
      const { ledger, database, store } = built;
      const { putPoint } = database.schedules;
      const first = await released(built, schedule, { step: 1 });
      const point = { schedule: schedule.id, block: JANUARY, period: nameOf(1), to: [], charge: first as ChargeId };
      await putPoint({ ...point, refusal: null });
      const kept = await database.audit.checkpoint();
      if (kept === null) throw new RangeError("no line");
      await database.audit.compareCheckpoint({ ...kept, seq: kept.seq + 1, hash: "0".repeat(64) });
      const context = { store, kept: (make: (of: Context) => unknown) => make(context) } as Context;
      const reopening = { ledger: ledger.id, epsilon: eps("0"), delta: del("0"), reason: "restored" };
      await askToReopen(database, reopening);
      await change(context, (tx, chain) => reopenLedgerIn(context, { tx, chain }, { ...reopening, by }));
      await expect(charge(built, schedule, { step: 2, continues: [first] })).rejects.toMatchObject({
        code: "CONFLICT",
        message: expect.stringContaining("the ledger was reopened with a write-off since the first report"),
      });
    });

    test("only the report of a schedule goes on, and it has no window of several blocks to pay for", async () => {
      const { built, schedule } = await open();
      const { ada, adas, bob, bobs, dataset, database } = built;
      for (const [person, account] of [
        [ada, adas],
        [bob, bobs],
      ] as const)
        expect(
          await codeOf(
            database.ledgers.charge({
              ...{ principal: person.id, account: account.id, dataset: dataset.id, key: "own" },
              request: { plan, window: { blocks: [nameOf(1)] } },
              ...{ events: costing(MU2), window: [{ from: JANUARY, to: JANUARY }], adjacency: "addRemove" },
              lease: { owner: "test", seconds: 60 },
            }),
          ),
        ).toMatch(/INVALID_PARAMETER|FORBIDDEN/);
      const { name: _, ...again } = schedule;
      const wide = { ...again, by: ada.id, from: adas.id, name: "Wide", events: costing(MU2), latest: 2 };
      expect(await codeOf(database.schedules.createSchedule(wide))).toBe("INVALID_PARAMETER");
    });
  });
}
