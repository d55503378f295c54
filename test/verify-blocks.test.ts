import { join } from "node:path";
import {
  type BlockRange,
  blockAt,
  calendarUnits,
  columnMu2,
  countedTwice,
  type DpEvent,
  formatDate,
  type Mu2Amount,
  periodOfDay,
  priceEvents,
  rangeName,
} from "@dosimeter/core";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { checkExport } from "@dosimeter/verify";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  AHEAD,
  buildFixture,
  by,
  del,
  eps,
  type Fixture,
  type FixtureOptions,
  gaussian,
  pastAhead,
  pure,
  reopenByTwo,
} from "../packages/ledger/src/testing/fixture.kit.ts";
import { periodAt, windowText } from "../packages/verify/src/calendar.ts";
import { priceOf } from "../packages/verify/src/price.ts";
import { squaresOf } from "../packages/verify/src/steps.ts";
import { exported } from "./export.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { changeNames, forged } from "./forged.kit.ts";

const folder = temporaryFolder();
let files = 0;

const open = async (options: FixtureOptions): Promise<Fixture> =>
  buildFixture(await sqliteStore(join(folder, `${files++}.sqlite`)), options);

const monthly = { every: "month", zone: "Europe/Berlin" } as const;
const cohorts = { ...monthly, protects: "person" } as const;
/** December of the year ahead. What names blocks is charged when it is past. */
const LAST = 12 * (AHEAD - 1970) + 11;
const months = (from: number, to = from): BlockRange => ({ from: LAST + from, to: LAST + to });
const lease = { owner: "test", seconds: 60 } as const;

let keys = 0;
async function charge(
  built: Fixture,
  events: readonly DpEvent[],
  window?: readonly BlockRange[],
  account = built.adas,
) {
  const { database, dataset, ada, bob, bobs } = built;
  const key = `k${keys++}`;
  const { ledgers } = window === undefined ? database : await pastAhead(built);
  const { charge: made } = await ledgers.charge({
    ...{ principal: account.id === bobs.id ? bob.id : ada.id, account: account.id, dataset: dataset.id, key },
    ...{ request: { plan: key }, events, adjacency: "addRemove", lease },
    ...(window === undefined ? {} : { window }),
  });
  await database.releases.complete({ charge: made.id, owner: "test", answers: [] });
}

const HORIZON = 4;
const running = { horizon: HORIZON, statistics: [{ statistic: "runningCount" }] };

/** Steps of a running total that goes on, from `first` to `last`, the reports of one schedule; the ledger is frozen by hand after each. [M209] */
async function total(built: Fixture, first: number, last: number) {
  const { database, dataset, ada, adas } = built;
  const mu2 = 10_000_000_000n as Mu2Amount;
  const costing = (step: number) =>
    gaussian(String((1 + 1e-15) / Math.sqrt(Number(columnMu2(mu2, { horizon: HORIZON, step })) / 1e12)));
  const schedule = await database.schedules.createSchedule({
    ...{ by: ada.id, dataset: dataset.id, from: adas.id, name: `total ${keys++}`, plan: JSON.stringify(running) },
    ...{ events: costing(1), latest: 1, first, recipients: [] },
  });
  const { ledgers } = await pastAhead(built);
  const continues: string[] = [];
  for (let block = first; block <= last; block++) {
    const window = { blocks: [rangeName(formatDate(first, "month"), formatDate(block, "month"))] };
    const { charge: made } = await ledgers.charge({
      ...{ schedule: schedule.id, principal: ada.id, account: schedule.account, dataset: dataset.id },
      ...{ key: `k${keys++}`, events: costing(block - first + 1), window: [{ from: block, to: block }] },
      request: { plan: { ...running, window }, window, ...(block === first ? {} : { continues: [...continues] }) },
      ...{ adjacency: "addRemove", lease },
    });
    await database.releases.complete({ charge: made.id, owner: "test", answers: [], statistics: [] });
    continues.push(made.id);
    await database.ledgers.freezeLedger({ ledger: built.ledger.id, reason: "a question", by });
    const none = { epsilon: eps("0"), delta: del("0") };
    await database.ledgers.reopenLedger({ ledger: built.ledger.id, ...none, reason: "answered", by });
  }
}

async function writeOff({ ledger, database }: Fixture, epsilon: string, delta: string) {
  const kept = await database.audit.checkpoint();
  if (kept === null) throw new RangeError("no line");
  await database.audit.compareCheckpoint({ ...kept, seq: `${kept.seq}0` });
  await reopenByTwo(database, { ledger: ledger.id, epsilon: eps(epsilon), delta: del(delta), reason: "was forgotten" });
}

async function more(built: Fixture, epsilon: string) {
  const { database, ledger, teamAccount, adas } = built;
  const { quota } = await database.ledgers.ledger(ledger.id);
  await database.ledgers.proposeAmendment({
    ledger: ledger.id,
    epsilon: eps(epsilon),
    delta: quota.delta,
    reason: "more",
    by,
  });
  for (const account of [teamAccount.id, adas.id])
    await database.ledgers.allocate({ account, epsilon: eps("0.5"), delta: del("0"), by });
}

const migration = ({ ledger }: Fixture, over: object = {}) => ({
  ...{ ledger: ledger.id, ...monthly, through: `${AHEAD}-12`, reason: "the table grows", by },
  ...over,
});

const approximate: readonly DpEvent[] = [{ kind: "approximate", epsilon: "0.1", delta: "1e-9" }];

const ledgers: Readonly<Record<string, () => Promise<Fixture>>> = {
  "under addition, raised, with a write-off": async () => {
    const built = await open({ rule: "addition", blocks: monthly });
    await charge(built, pure("0.3"), [months(-20, -10)]);
    await charge(built, approximate, [months(-15), months(-12, -5)], built.bobs);
    await more(built, "6");
    await charge(built, pure("1.2"), [months(-12, -9)]);
    await writeOff(built, "0.25", "1e-8");
    return built;
  },
  "with totals that go on, until something is written off": async () => {
    const built = await open({ rule: "tight", blocks: monthly });
    await total(built, LAST - 50, LAST - 48);
    await charge(built, gaussian("20"), [months(-49, -40)], built.bobs);
    await writeOff(built, "0", "0");
    await total(built, LAST - 49, LAST - 46);
    return built;
  },
  "under tight, raised": async () => {
    const built = await open({ rule: "tight", blocks: monthly });
    await charge(built, gaussian("12"), [months(-20, -10)]);
    await charge(built, [...pure("0.1"), ...gaussian("30")], [months(-15, -5)], built.bobs);
    await more(built, "6");
    await charge(built, pure("0.05"), [months(-12, -9)]);
    await charge(built, approximate, [months(-12, -9)]);
    return built;
  },
  "of cohorts, raised": async () => {
    const built = await open({ rule: "tight", blocks: cohorts });
    await charge(built, gaussian("12"), [months(-20, -10)]);
    await more(built, "6");
    await charge(built, pure("0.05"), [months(-12, -9)]);
    return built;
  },
  "that got blocks, by addition": async () => {
    const built = await open({ rule: "additionThenTight" });
    await charge(built, pure("0.3"));
    await charge(
      built,
      [...approximate, { kind: "parallel", events: [...pure("0.1"), ...pure("0.05")] }],
      undefined,
      built.bobs,
    );
    await built.database.ledgers.migrateLedger(migration(built));
    await charge(built, pure("0.2"), [months(-1, 2)]);
    await more(built, "7");
    await charge(built, pure("0.2"), [months(0, 1)]);
    return built;
  },
  "that got blocks, under tight": async () => {
    const built = await open({ rule: "tight" });
    await charge(built, gaussian("20"));
    await charge(built, [...pure("0.1"), ...gaussian("40")]);
    await built.database.ledgers.migrateLedger(migration(built));
    await charge(built, pure("0.02"), [months(-1, 2)]);
    return built;
  },
  "whose old blocks were closed": async () => {
    const built = await open({ rule: "tight" });
    await charge(built, pure("0.3"));
    await built.database.ledgers.migrateLedger(migration(built, { isClosed: true }));
    await charge(built, pure("0.1"), [months(1, 2)]);
    return built;
  },
};

test.each(Object.entries(ledgers))(
  "an honest ledger passes, and one other number, window or row is found: %s",
  async (_, make) => {
    const built = await make();
    expect((await built.database.audit.verify()).problems).toEqual([]);
    const text = await exported(built, false);
    await built.database.close();
    expect((await checkExport(text)).problems).toEqual([]);
    const lines = text.trimEnd().split("\n");
    const places = lines.flatMap((line, at) => placesIn(line).map((place) => ({ at, ...place })));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), async ({ at, what, forged }) => {
        const changed = [...lines.slice(0, at), ...forged, ...lines.slice(at + 1)].join("\n");
        const found = await checkExport(changed).then(({ problems }) => problems.length > 0);
        expect(found, what).toBe(true);
      }),
      { numRuns: RUNS },
    );
  },
);

const RUNS = Number(process.env.FORGED ?? 25);

test("of totals that go on, two forged changes are found too, where every hash fits them [M209]", async () => {
  const built = await ledgers["with totals that go on, until something is written off"]?.();
  if (built === undefined) throw new RangeError("no ledger");
  const text = await exported(built, false);
  await built.database.close();
  expect(forged(text, [])).toBe(text);
  const change = fc.tuple(fc.nat({ max: STEPS - 1 }), fc.constantFrom(...changeNames));
  const pair = fc.uniqueArray(change, { minLength: 1, maxLength: 2, selector: ([at, what]) => `${at} ${what}` });
  await fc.assert(
    fc.asyncProperty(pair, async (made) => {
      const { problems } = await checkExport(forged(text, made));
      expect(
        problems.filter(({ where }) => where.startsWith("entry")),
        String(made),
      ).not.toEqual([]);
    }),
    { numRuns: 4 * RUNS },
  );
});
/** Of both totals. */
const STEPS = 7;

interface Forgery {
  readonly what: string;
  /** In place of the line. */
  readonly forged: readonly string[];
}

/** What no line vouches for, as nothing depends on it: the number of a row in the database, and when people were declared. */
const unsaid = new Set(["entry.seq", "population.created_at"]);
/** Of amounts, which may differ from ours by a unit or two; what is left of μ² may also be less than ours. */
const MANY = 10n ** 6n;

function placesIn(line: string): readonly Forgery[] {
  const { table, row } = JSON.parse(line) as { table?: string; row?: Record<string, string | null> };
  if (table === undefined || row === undefined) return [];
  const changed = (column: string, value: string | null): Forgery => ({
    what: `${table}.${column}: ${value}`,
    forged: [JSON.stringify({ table, row: { ...row, [column]: value } })],
  });
  const numbers = Object.entries(row).flatMap(([column, value]) => {
    if (value === null || !/^-?\d+$/.test(value) || unsaid.has(`${table}.${column}`)) return [];
    const isAmount = /^(state|price)_|_(before|after)$/.test(column);
    const by = isAmount ? MANY : 1n;
    const more = changed(column, String(BigInt(value) + by));
    const isLoss = /^state_remaining|_(before|after)$/.test(column);
    return isLoss ? [more] : [more, changed(column, String(BigInt(value) - by))];
  });
  return [...numbers, { what: `${table}: no row`, forged: [] }, { what: `${table}: twice`, forged: [line, line] }];
}

test("whom a ledger of cohorts protects, and up to when, is in its sentence [M170]", async () => {
  const built = await open({ rule: "addition", blocks: cohorts });
  const text = await exported(built, false);
  await built.database.close();
  const said = async (was: string, is: string) => {
    expect(text).toContain(was);
    return (await checkExport(text.replaceAll(was, is))).problems.map(({ problem }) => problem);
  };
  const protects = String.raw`,\"protects\":\"person\"`;
  const people = "does not protect people";
  expect(await said(protects, "")).toContain("names other people in its sentence than its population");
  expect(await said(protects, protects.replace("person", "group"))).toContain(`has cohorts, but ${people}`);
  const rows = String.raw`\"unit\":`;
  expect(await said(`${rows}null`, String.raw`${rows}\"row\"`)).toContain(`has cohorts, but ${people}`);
  const never = "does not say that it holds as long as no one's cohort is rewritten";
  expect(await said("which is the month", "which is the year")).toContain(never);
});

const small = fc.integer({ min: 1, max: 4000 }).map((thousandths) => String(thousandths / 1000));
const { event: anyEvent } = fc.letrec<{ event: DpEvent; leaf: DpEvent }>((tie) => ({
  leaf: fc.oneof(
    small.map((epsilon): DpEvent => ({ kind: "pure", epsilon })),
    fc.tuple(small, small).map(([epsilon, x]): DpEvent => ({ kind: "approximate", epsilon, delta: `${x}e-9` })),
    small.map((noiseMultiplier): DpEvent => ({ kind: "laplace", noiseMultiplier })),
    small.map((scale): DpEvent => ({ kind: "discreteLaplace", sensitivity: 3, scale })),
    small.map((noiseMultiplier): DpEvent => ({ kind: "gaussian", noiseMultiplier })),
    small.map((mu): DpEvent => ({ kind: "gdp", mu })),
  ),
  event: fc.oneof(
    { depthSize: "small" },
    tie("leaf"),
    fc.tuple(fc.nat({ max: 4 }), tie("event")).map(([count, event]): DpEvent => ({ kind: "repeated", count, event })),
    fc.array(tie("event"), { maxLength: 3 }).map((events): DpEvent => ({ kind: "composed", events })),
    fc.array(tie("event"), { maxLength: 3 }).map((events): DpEvent => ({ kind: "parallel", events })),
    tie("leaf").map((event): DpEvent => ({ kind: "poissonSampled", rate: "0.5", event })),
  ),
}));

test("what counts twice costs the same by both implementations [M168]", () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const ours = priceEvents(countedTwice([event]), "addRemove");
      const { epsilon, delta, slack } = priceOf([event], "addRemove", { units: 2n, mayRepeat: () => true });
      expect(epsilon).toBe(ours.epsilon);
      expect(ours.delta >= delta && ours.delta <= delta + slack).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("both say in which period an instant lies, whatever the zone", () => {
  const zones = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati", "Pacific/Pago_Pago"];
  const at = fc.integer({ min: 0, max: 4_102_444_800 });
  fc.assert(
    fc.property(fc.constantFrom(...calendarUnits), fc.constantFrom(...zones), at, (every, zone, second) => {
      expect(periodAt(every, zone, new Date(1000 * second).toISOString())).toBe(blockAt({ every, zone }, second));
    }),
    { numRuns: 300 },
  );
});

test("both call periods the same, and price their columns alike [M208]", () => {
  const day = fc.integer({ min: -719_000, max: 2_932_000 });
  fc.assert(
    fc.property(fc.constantFrom(...calendarUnits), day, fc.nat({ max: 500 }), (every, first, length) => {
      const from = periodOfDay(first, every);
      const to = Math.min(from + length, periodOfDay(2_932_000, every));
      expect(windowText(every, from, to)).toBe(rangeName(formatDate(from, every), formatDate(to, every)));
    }),
    { numRuns: 500 },
  );
  const one = (10n ** 40n) as Mu2Amount;
  for (const horizon of [1, 2, 3, 12, 120, 1000]) {
    const squares = squaresOf(horizon);
    const whole = squares[horizon] ?? 0n;
    for (let step = 1; step <= horizon; step += 1 + (horizon >> 6))
      expect(((squares[horizon - step + 1] ?? 0n) * one + whole - 1n) / whole).toBe(columnMu2(one, { horizon, step }));
  }
});

test("a charge that repeats its steps without end is not followed, counted twice or not", async () => {
  const terms = (blocks?: object): string =>
    JSON.stringify({
      ...{ rule: "tight", adjacency: "addRemove", epsilon: "1000000000000", delta: "1000000000000" },
      ...{ deltaFilter: "900000000000", deltaSelection: "100000000000", mu2: "30000000000", blocks },
    });
  const earlier = { version: 2, through: 700, times: 2, isClosed: false };
  const migrated = terms({ every: "month", zone: "UTC", earlier });
  const events = JSON.stringify([
    { kind: "repeated", count: Number.MAX_SAFE_INTEGER, event: { kind: "pure", epsilon: "1e-12" } },
  ]);
  const row = (table: string, fields: object) => ({ table, row: fields });
  const entry = { account_id: "a", dataset_id: "d", request: "{}", active_rule: "tight" };
  const { problems } = await checkExport(
    [
      { format: "dosimeter-ledger", version: 1, ledger: "led_x", at: "2026-01-01", head: "0".repeat(64) },
      row("ledger", { id: "led_x", population_id: "p", terms: migrated }),
      row("guarantee_version", { ledger_id: "led_x", version: "1", terms: terms(), sentence: "" }),
      row("guarantee_version", { ledger_id: "led_x", version: "2", terms: migrated, sentence: "" }),
      row("entry", { ...entry, seq: "1", number: "1", kind: "charge", events }),
      row("entry", { seq: "2", number: "2", kind: "amend", active_rule: "tight" }),
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
  expect(problems.map(({ problem }) => problem).join()).toContain("repeats more steps than the 10000");
});
