import { formatEpsilon } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, eps, type Fixture, gaussian, pure } from "../testing/fixture.kit.ts";
import type { ScheduleId } from "../values/id.ts";
import type { SchedulePoint } from "./point.ts";
import type { NewSchedule } from "./schedule.ts";

const monthly = { every: "month", zone: "Europe/Berlin" } as const;
const JANUARY = 648; // of 2024
const month = (number: number) => JANUARY + number - 1;

interface MonthsCharge {
  readonly from: number;
  readonly to?: number;
  readonly epsilon?: string;
  readonly schedule?: ScheduleId;
}

/** Reports over the latest months, the first one when December of 2024 is over. */
export function scheduleKit(fixture: Build): void {
  const open = () => fixture({ rule: "addition", blocks: monthly });
  const asked = ({ ada, adas, dataset }: Fixture, more: Partial<NewSchedule> = {}): NewSchedule => ({
    ...{ by: ada.id, dataset: dataset.id, from: adas.id, name: "Visits", plan: "{}", events: pure("0.05") },
    ...{ latest: 12, first: month(12), recipients: [] },
    ...more,
  });
  const charge = (
    { database, ada, adas, dataset }: Fixture,
    key: string,
    { from, to = from, epsilon = "0.5", schedule }: MonthsCharge,
  ) =>
    database.ledgers.charge({
      ...present({ schedule }),
      ...{ principal: ada.id, account: adas.id, dataset: dataset.id, key, request: {}, events: pure(epsilon) },
      ...{ window: [{ from: month(from), to: month(to) }], adjacency: "addRemove" },
      lease: { owner: "test", seconds: 60 },
    });

  describe("schedules", () => {
    test("a schedule sets aside what each month pays over its life, in an account of its own", async () => {
      const built = await open();
      const { schedules, ledgers } = built.database;
      expect(formatEpsilon((await schedules.earmark(asked(built))).epsilon)).toBe("0.6");
      const made = await schedules.createSchedule(asked(built));
      expect(made).toMatchObject({ owner: built.ada.id, latest: 12, first: month(12), status: "active" });
      expect(made.price).toEqual({ epsilon: eps("0.05"), delta: 0n });
      expect(await ledgers.account(made.account)).toMatchObject({
        ...{ parent: built.adas.id, holder: { kind: "purpose", id: "Visits" } },
        quota: { epsilon: eps("0.6"), delta: 0n },
      });
      // What is set aside is not there for another one.
      const second = asked(built, { name: "Again" });
      await expect(schedules.createSchedule(second)).rejects.toMatchObject({ code: "QUOTA_UNAVAILABLE" });
      expect(await schedules.schedules(built.dataset.id)).toEqual([made]);
      // The account pays for twelve reports of one month, and for no thirteenth.
      const pay = (key: string, to: number) =>
        ledgers.charge({
          ...{ schedule: made.id, principal: built.ada.id, account: made.account, dataset: built.dataset.id },
          ...{ key, request: {} },
          ...{ events: pure("0.05"), window: [{ from: month(to - 11), to: month(to) }], adjacency: "addRemove" },
          lease: { owner: "test", seconds: 60 },
        });
      for (let to = 12; to < 24; to++) await pay(`${to}`, to);
      const again = pay("once more", 23);
      await expect(again).rejects.toMatchObject({ code: "QUOTA_EXHAUSTED", details: { block: "2024-12" } });
    });

    test("what is set aside pays for its own reports alone, until it ends", async () => {
      const built = await open();
      const { schedules, ledgers } = built.database;
      const made = await schedules.createSchedule(asked(built));
      const spending = { account: made.account, principal: built.ada.id };
      const aside = { ...built, adas: await ledgers.account(made.account) };
      const other = () => charge(aside, "march", { from: 3 });
      const refused = { code: "FORBIDDEN", message: expect.stringContaining("set aside for a scheduled report") };
      await expect(other()).rejects.toMatchObject(refused);
      expect(await ledgers.whyNotSpend(spending)).toMatchObject(refused);
      // A charge of its own in the same commit opens the account to no other one.
      const both = [charge(aside, "report", { from: 3, epsilon: "0.05", schedule: made.id }), other()];
      expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      await schedules.setSchedule({ schedule: made.id, by: built.ada.id, status: "paused" });
      await expect(other()).rejects.toMatchObject(refused);
      const second = asked(built, { name: "Next", events: pure("0.01"), first: month(24) });
      const { id: wrong } = await schedules.createSchedule(second);
      expect(await codeOf(charge(aside, "wrong", { from: 3, schedule: wrong }))).toBe("FORBIDDEN");
      // Another purpose of the same person pays for what it likes.
      const purpose = await ledgers.openAccount({
        ...{ by: built.ada.id, ledger: built.adas.ledger, parent: built.adas.id },
        ...{ holder: { kind: "purpose", id: "Other" }, epsilon: eps("0.1") },
      });
      expect(await ledgers.maySpend({ ...spending, account: purpose.id })).toBe(true);
      await charge({ ...built, adas: purpose }, "other", { from: 3, epsilon: "0.1" });
      await schedules.endSchedule({ schedule: made.id, by: built.ada.id });
      expect(await codeOf(other())).toBe("ACCOUNT_CLOSED");
    });

    test("nothing is set aside below a node that is overbooked, as others could spend it", async () => {
      const built = await open();
      const { schedules, ledgers } = built.database;
      const by = built.ada.id;
      await ledgers.setLedger({ ledger: built.adas.ledger, mode: "overbooked", by });
      expect(await codeOf(schedules.earmark(asked(built)))).toBe("QUOTA_UNAVAILABLE");
      await ledgers.setLedger({ ledger: built.adas.ledger, mode: "funded", by });
      await ledgers.setAccount({ account: built.teamAccount.id, mode: "overbooked", by });
      await expect(schedules.createSchedule(asked(built))).rejects.toThrow("overbooked");
      await ledgers.setAccount({ account: built.teamAccount.id, mode: "funded", by });
      await schedules.createSchedule(asked(built));
    });

    test("what an account spent by itself is kept from quota that it gives while a report has set aside the rest", async () => {
      const built = await open();
      const { schedules, ledgers } = built.database;
      const { ada, adas } = built;
      await charge(built, "november", { from: 11, epsilon: "0.5" });
      await schedules.createSchedule(asked(built, { latest: 2, events: pure("0.1") }));
      const purpose = (epsilon: string, name = "Other") =>
        ledgers.openAccount({
          ...{ by: ada.id, ledger: adas.ledger, parent: adas.id },
          ...{ holder: { kind: "purpose", id: name }, epsilon: eps(epsilon) },
        });
      // Of November the report pays once, 0.1, and of December twice.
      await expect(purpose("0.41")).rejects.toMatchObject({
        ...{ code: "QUOTA_UNAVAILABLE", details: { block: "2024-11" } },
        message: expect.stringContaining("could lose what it set aside"),
      });
      const { id } = await purpose("0.4");
      expect(await codeOf(ledgers.allocate({ account: id, epsilon: eps("0.01"), by }))).toBe("QUOTA_UNAVAILABLE");
      expect(await codeOf(ledgers.withdraw({ account: adas.id, epsilon: eps("0.01"), by }))).toBe("QUOTA_UNAVAILABLE");
      const again = asked(built, { name: "Again", latest: 1, first: month(11), events: pure("0.01") });
      expect(await codeOf(schedules.createSchedule(again))).toBe("QUOTA_UNAVAILABLE");
      // An account that may promise more than it has keeps nothing.
      await ledgers.setAccount({ account: adas.id, mode: "overbooked", by });
      await purpose("0.1", "Overbooked");
    });

    test.each([
      ["pure answers", pure("0.1")],
      ["noise", gaussian("12")],
      ["both", [...pure("0.1"), ...gaussian("12")]],
    ])("what an account may still give back leaves its reports what they take of μ²: %s [M23]", async (_, events) => {
      const built = await fixture({ rule: "tight", blocks: monthly });
      const { schedules, ledgers } = built.database;
      const { ada, adas, dataset } = built;
      await charge(built, "november", { from: 11, epsilon: "0.2" });
      const { id, account } = await schedules.createSchedule(asked(built, { latest: 2, events }));
      for (let size = 1 << 19; size > 0; size >>= 1)
        await codeOf(ledgers.withdraw({ account: adas.id, epsilon: eps(`${size}e-6`), by }));
      const report = ledgers.charge({
        ...{ schedule: id, principal: ada.id, account, dataset: dataset.id, key: "report", request: {}, events },
        ...{ window: [{ from: month(11), to: month(12) }], adjacency: "addRemove" },
        lease: { owner: "test", seconds: 60 },
      });
      expect(await codeOf(report)).toBe("done");
    });

    test("an earmark larger than a block has room for is refused, and the block and its report are named", async () => {
      const built = await open();
      const { schedules } = built.database;
      await charge(built, "june", { from: 6, epsilon: "0.95" });
      // June pays for the reports of December to May: six of them.
      const needs = (epsilon: string) => asked(built, { events: pure(epsilon) });
      await expect(schedules.createSchedule(needs("0.01"))).rejects.toMatchObject({
        code: "QUOTA_EXHAUSTED",
        details: { block: "2024-06", report: "2025-05" },
      });
      expect(await schedules.schedules(built.dataset.id)).toEqual([]);
      // One that begins later asks June less often.
      const later = { ...needs("0.01"), first: month(13) };
      expect(formatEpsilon((await schedules.createSchedule(later)).earmark.epsilon)).toBe("0.12");
    });

    test("under the tight rule what is set aside pays for the last report too, and hardly more", async () => {
      const built = await fixture({ rule: "tight", blocks: monthly });
      const { schedules, ledgers } = built.database;
      for (const [name, events] of [
        ["pure", pure("0.02")],
        ["Gaussian", gaussian("60")],
      ] as const) {
        const made = await schedules.createSchedule(asked(built, { name, events, latest: 6 }));
        const pay = (key: string) =>
          ledgers.charge({
            ...{ schedule: made.id, principal: built.ada.id, account: made.account, dataset: built.dataset.id },
            ...{ key, request: {} },
            ...{ events, window: [{ from: month(1), to: month(1) }], adjacency: "addRemove" },
            lease: { owner: "test", seconds: 60 },
          });
        for (let report = 0; report < 6; report++) await pay(`${name} ${report}`);
        expect(await codeOf(pay(`${name} 6`)), name).toBe("QUOTA_EXHAUSTED");
      }
    });

    test("what a schedule cannot be is refused, and nothing is set aside", async () => {
      const built = await open();
      const { schedules, ledgers } = built.database;
      for (const [more, code] of [
        [{ latest: 0 }, "INVALID_PARAMETER"],
        [{ latest: 61 }, "INVALID_PARAMETER"],
        [{ latest: 1.5 }, "INVALID_PARAMETER"],
        [{ from: built.bobs.id }, "FORBIDDEN"],
        [{ from: built.teamAccount.id }, "FORBIDDEN"],
        [{ events: pure("0.5") }, "QUOTA_EXHAUSTED"],
        [{ events: gaussian("60") }, "UNSUPPORTED_EVENT"],
        [{ name: " " }, "INVALID_PARAMETER"],
      ] as const)
        expect([more, await codeOf(schedules.createSchedule(asked(built, more)))]).toEqual([more, code]);
      await charge(built, "much later", { from: 1 });
      const early = asked(built, { events: pure("0.001"), first: month(-400) });
      expect(await codeOf(schedules.createSchedule(early))).toBe("INVALID_PARAMETER");
      expect(await ledgers.accountsOf(built.ada.id)).toHaveLength(1);
      const whole = await fixture();
      expect(await codeOf(whole.database.schedules.createSchedule(asked(whole)))).toBe("INVALID_PARAMETER");
    });

    test("what it asks is fixed; it is paused, taken up and ended, and gives back what it did not spend", async () => {
      const built = await open();
      const { database, store, ada, adas } = built;
      const made = await database.schedules.createSchedule(asked(built));
      const id = { schedule: made.id, by: ada.id };
      for (const set of [{ plan: "{more}" }, { latest: 3n }, { block_first: 0n }, { dataset_id: "other" }] as const) {
        const edit = store.transact(({ db }) =>
          db
            .updateTable("schedule")
            .set(set as never)
            .where("id", "=", made.id)
            .execute(),
        );
        await expect(edit, Object.keys(set)[0]).rejects.toThrow();
      }
      await database.schedules.setSchedule({ ...id, status: "paused" });
      expect(await database.schedules.activeSchedules()).toEqual([]);
      await database.schedules.setSchedule({ ...id, status: "active" });
      expect(await database.schedules.activeSchedules()).toEqual([made]);
      const given = async () => formatEpsilon((await database.ledgers.account(adas.id)).allocated.epsilon);
      expect(await given()).toBe("0.6");
      await database.schedules.endSchedule(id);
      await database.schedules.endSchedule(id);
      expect(await given()).toBe("0");
      expect((await database.schedules.schedule(made.id)).status).toBe("ended");
      expect(await codeOf(database.schedules.setSchedule({ ...id, status: "active" }))).toBe("CONFLICT");
      // One whose account someone else closed has ended too.
      const other = await database.schedules.createSchedule(asked(built, { name: "Other" }));
      await database.ledgers.closeAccount({ account: other.account, by: ada.id });
      expect((await database.schedules.schedule(other.id)).status).toBe("ended");
      expect(await database.schedules.activeSchedules()).toEqual([]);
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("a charge stays the point of its month, a refusal gives way to it, and each is notified of once", async () => {
      const built = await open();
      const { database, ada, bob } = built;
      const made = await database.schedules.createSchedule(asked(built));
      const { charge: paid } = await charge({ ...built, adas: await database.ledgers.account(made.account) }, "k", {
        from: 1,
        to: 12,
        epsilon: "0.05",
        schedule: made.id,
      });
      const put = (block: number, what: Pick<SchedulePoint, "charge" | "refusal">) =>
        database.schedules.putPoint({
          schedule: made.id,
          block,
          ...what,
          to: [ada.id, bob.id],
          period: `month ${block}`,
        });
      const refusal = { code: "QUOTA_EXHAUSTED", message: "no room" } as const;
      const notified = async () =>
        (await database.outbox.notifications({ principal: bob.id })).items
          .filter(({ kind }) => kind === "report")
          .map(({ facts }) => [facts.period, facts.outcome])
          .reverse();
      expect(await database.schedules.lastPoint(made.id)).toBeNull();
      await put(1, { charge: null, refusal });
      await put(1, { charge: null, refusal });
      await put(2, { charge: paid.id, refusal: null });
      await put(2, { charge: null, refusal });
      expect(await notified()).toEqual([["month 1", "QUOTA_EXHAUSTED"]]);
      await put(1, { charge: paid.id, refusal: null });
      expect(await database.schedules.lastPoint(made.id)).toBe(2);
      expect(await database.schedules.points({ schedule: made.id, limit: 10 })).toMatchObject([
        { block: 1, charge: paid.id, refusal: null },
        { block: 2, charge: paid.id, refusal: null },
      ]);
      expect(await database.schedules.points({ schedule: made.id, limit: 1 })).toMatchObject([{ block: 2 }]);
      expect((await database.schedules.unannouncedPoints()).map(({ block }) => block).sort()).toEqual([1, 2]);
      const announcing = { schedule: made.id, block: 2, to: [bob.id], period: "month 2" };
      await Promise.all([database.schedules.announcePoint(announcing), database.schedules.announcePoint(announcing)]);
      expect(await notified()).toEqual([
        ["month 1", "QUOTA_EXHAUSTED"],
        ["month 2", "released"],
      ]);
      expect((await database.schedules.unannouncedPoints()).map(({ block }) => block)).toEqual([1]);
    });
  });
}
