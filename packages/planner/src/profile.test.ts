import { epsilonAmount, formatPeriod, PrivacyError, parsePeriod, periodOfDay } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { boundNumber } from "../../query/src/declaration/dates.ts";
import { quotePlan } from "../../query/src/quote/quote.ts";
import { scaleOf } from "../../query/src/quote/usefulness.ts";
import { emptyDraft, type PlanDraft } from "./draft.ts";
import { fitnessOf } from "./grade.ts";
import { practiceData } from "./practice/practice-data.ts";
import { profileDraft, profileOf } from "./profile.ts";

const described = {
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 2 },
  size: { assumed: 20_000 },
  columns: {
    person: { type: "integer" },
    age: { type: "integer", lower: 17, upper: 90 },
    children: { type: "integer", lower: 0, upper: 9, required: true },
    income: { type: "number", lower: 0, upper: 200_000 },
    share: { type: "number", lower: -0.35, upper: 0.4 },
    weight: { type: "number" },
    married: { type: "boolean" },
    region: { type: "category", categories: ["N", "S"], required: true },
    state: { type: "category", categories: Array.from({ length: 50 }, (_, at) => `state ${at}`) },
    word: { type: "text" },
    note: { type: "text" },
  },
} as const;
const people = checkDeclaration(described);

const asPlan = ({ rows }: ReturnType<typeof profileOf>, confidence = 0.95) => ({
  confidence,
  statistics: rows.map(({ id, request, epsilon }) => ({ id, ...request, epsilon }) as never),
});

test("every declared column gets what fits its type; what nothing can be asked of is named with the reason", () => {
  const { rows, leftOut } = profileOf(people, { epsilon: "0.5" });
  expect(rows.map(({ request: { statistic, column } }) => [statistic, column ?? ""].join(" "))).toEqual([
    "count ",
    "histogram age",
    "quantiles age",
    "count age",
    "histogram children",
    "quantiles children",
    "histogram income",
    "quantiles income",
    "count income",
    "histogram share",
    "quantiles share",
    "count share",
    "histogram married",
    "count married",
    "histogram region",
    "topValues state",
    "count state",
  ]);
  const binsOf = (column: string) =>
    rows.find(({ request }) => request.statistic === "histogram" && request.column === column)?.request.bins;
  expect(binsOf("age")).toEqual([17, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect(binsOf("children")).toBeUndefined();
  expect(binsOf("income")).toEqual([0, 20e3, 40e3, 60e3, 80e3, 100e3, 120e3, 140e3, 160e3, 180e3, 200e3]);
  expect(binsOf("share")).toEqual([-0.35, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4]);
  expect(leftOut).toEqual([
    { column: "weight", reason: "its range is not declared" },
    { column: "word", reason: "its values are texts, which are found only with a δ" },
    { column: "note", reason: "its values are texts, which are found only with a δ" },
  ]);
});

test("dates get bins of the calendar, few enough to read, and quartiles", () => {
  const seen = { type: "date", lower: "2020-01-01", upper: "2024-12-31", required: true };
  const { rows } = profileOf(checkDeclaration({ ...described, columns: { person: { type: "integer" }, seen } }), {
    epsilon: "0.5",
  });
  expect(rows.map(({ request }) => request)).toEqual([
    { statistic: "count" },
    { statistic: "histogram", column: "seen" },
    { statistic: "quantiles", column: "seen" },
  ]);
});

test.each([
  [
    { type: "date", lower: "1900-01-01", upper: "2024-12-31" },
    ["1900-01-01", "1920-01-01", "2020-01-01", "2024-12-31"],
    8,
  ],
  [
    { type: "date", lower: "2000-06-01", upper: "9999-12-31" },
    ["2000-06-01", "3000-01-01", "9000-01-01", "9999-12-31"],
    9,
  ],
  [
    { type: "date", granularity: "month", lower: "0001-01", upper: "0099-12" },
    ["0001-01", "0010-01", "0090-01", "0099-12"],
    11,
  ],
  [
    { type: "timestamp", zone: "Europe/Berlin", lower: "1950-01-01", upper: "2049-12-31" },
    [
      "1950-01-01T00:00:00+01:00",
      "1960-01-01T00:00:00+01:00",
      "2040-01-01T00:00:00+01:00",
      "2049-12-31T23:59:59+01:00",
    ],
    11,
  ],
])("many years of %j are about ten bins of round years", (column, [lower, second, last, upper], count) => {
  const seen = { ...column, required: true };
  const declaration = checkDeclaration({ ...described, columns: { person: { type: "integer" }, seen } });
  const profile = profileOf(declaration, { epsilon: "0.5" });
  const bins = profile.rows[1]?.request.bins as readonly string[];
  expect([bins[0], bins[1], bins.at(-2), bins.at(-1), bins.length]).toEqual([lower, second, last, upper, count]);
  expect(boundPlan(asPlan(profile), declaration).statistics).toHaveLength(3);
});

const written: Readonly<Record<string, (day: string) => string>> = {
  week: (day) => formatPeriod(periodOfDay(parsePeriod(day, "day") ?? 0, "week"), "week"),
  month: (day) => day.slice(0, 7),
  quarter: (day) => `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
  year: (day) => day.slice(0, 4),
};
const dateIn = (year: number, month: number, day: number): string =>
  `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;

/** Columns of every granularity, and the first year in which the zone is whole minutes and hours ahead of UTC. */
const manyYears = fc.oneof(
  fc
    .constantFrom("day", "week", "month", "quarter", "year")
    .map((granularity) => ({ type: "date", granularity, since: 2 })),
  fc.record({
    ...{
      type: fc.constant("timestamp"),
      granularity: fc.constantFrom("second", "day", "week", "month", "quarter", "year"),
    },
    ...{ zone: fc.constantFrom("UTC", "Asia/Kolkata", "Pacific/Apia", "America/New_York"), since: fc.constant(2) },
  }),
  fc.record({
    ...{ type: fc.constant("timestamp"), granularity: fc.constantFrom("minute", "hour"), since: fc.constant(1980) },
    zone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York"),
  }),
);

test("of every granularity the bins of many years rise from bound to bound, each from the period in which a round year begins", () => {
  const dayOfYear = fc.tuple(fc.constantFrom(1, 3, 10, 12), fc.constantFrom(1, 2, 4, 28, 31));
  const drawn = fc.tuple(manyYears, fc.nat({ max: 7800 }), fc.integer({ min: 64, max: 190 }), dayOfYear, dayOfYear);
  fc.assert(
    fc.property(drawn, ([{ since, ...given }, after, years, begin, end]) => {
      const from = since + after;
      const write = written[given.granularity] ?? ((day: string) => day);
      const seen = {
        ...given,
        lower: write(dateIn(from, ...begin)),
        upper: write(dateIn(from + years, ...end)),
        required: true,
      };
      const declaration = checkDeclaration({ ...described, columns: { person: { type: "integer" }, seen } });
      const profile = profileOf(declaration, { epsilon: "0.5" });
      const bins = boundPlan(asPlan(profile), declaration).statistics.flatMap(({ statistic, task }) =>
        statistic === "histogram" && task.kind === "counts" ? task.bins.filter((bin) => "lower" in bin) : [],
      );
      const edges = [...bins.map(({ lower }) => lower), bins.at(-1)?.upper];
      const { lower, upper, ...column } = declaration.columns.seen ?? {};
      expect([edges[0], edges.at(-1)], JSON.stringify(profile.leftOut)).toEqual([lower, upper]);
      expect(edges).toEqual([...new Set(edges)].sort((a, b) => Number(a) - Number(b)));
      const begins = Array.from({ length: years + 2 }, (_, at) => boundNumber(dateIn(from + at, 1, 1), column));
      const round = edges.slice(1, -1).map((edge) => from + begins.indexOf(Number(edge)));
      const step = (round[1] ?? 0) - (round[0] ?? 0);
      expect([10, 20]).toContain(step);
      expect(round.filter((year) => year % step !== 0)).toEqual([]);
      expect(round.length).toBeGreaterThanOrEqual(Math.floor(years / step) - 1);
    }),
    // 3030-01-01 is a Friday: its week begins in 3029.
    { numRuns: 100, examples: [[[{ type: "date", granularity: "week", since: 2 }, 3028, 64, [1, 1], [1, 1]]]] },
  );
});

test("times get the same, and practice data with times in their zone", () => {
  const came = { type: "timestamp", zone: "Europe/Berlin", lower: "2024-01-01", upper: "2024-12-31", required: true };
  const declaration = checkDeclaration({ ...described, columns: { person: { type: "integer" }, came } });
  expect(profileOf(declaration, { epsilon: "0.5" }).rows.map(({ request }) => request)).toEqual([
    { statistic: "count" },
    { statistic: "histogram", column: "came" },
    { statistic: "quantiles", column: "came" },
  ]);
  const texts = practiceData(declaration, 50, 1).map(({ came: text }) => String(text));
  expect(texts.filter((text) => !/^2024-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00$/.test(text))).toEqual([]);
});

test("quartiles that a range is too wide for are left out with the reason", () => {
  const wide = { type: "integer", lower: -(2 ** 53) + 1, upper: 2 ** 53 - 1, required: true };
  const { rows, leftOut } = profileOf(
    checkDeclaration({ ...described, columns: { person: { type: "integer" }, wide } }),
    { epsilon: "0.5" },
  );
  expect(rows.map(({ request }) => request.statistic)).toEqual(["count", "histogram"]);
  expect(leftOut).toEqual([
    {
      column: "wide",
      reason: "its range has too many steps for quantiles: declare a narrower one, or a coarser granularity",
    },
  ]);
});

test("with a δ, texts share it", () => {
  const { rows, leftOut } = profileOf(people, { epsilon: 1, delta: "1e-6" });
  expect(rows.filter(({ request }) => request.delta !== undefined).map(({ request }) => request.delta)).toEqual([
    "0.0000005",
    "0.0000005",
  ]);
  expect(leftOut.map(({ column }) => column)).toEqual(["weight"]);
});

test("prices add up to ε exactly, and all errors are nearly the same part of a useless one", () => {
  for (const epsilon of ["0.05", "0.5", "3.000000000001"]) {
    const profile = profileOf(people, { epsilon });
    const spent = profile.rows.reduce((sum, row) => sum + epsilonAmount(row.epsilon, "down"), 0n);
    expect(spent).toBe(epsilonAmount(epsilon, "down"));
    const bounded = boundPlan(asPlan(profile), people);
    const parts = quotePlan(bounded).flatMap(({ accuracy }, at) => {
      const statistic = bounded.statistics[at];
      const useless = statistic === undefined ? null : (scaleOf(statistic, 20_000)?.useless ?? null);
      return useless === null || accuracy.halfWidth === null ? [] : [accuracy.halfWidth / useless];
    });
    expect(parts.length).toBeGreaterThan(12);
    // Whole numbers of rows: the errors of counts are rounded up to them.
    expect(Math.max(...parts) / Math.min(...parts)).toBeLessThan(epsilon === "0.5" ? 1.15 : 1.5);
  }
});

test("whatever is declared, the plan is one that can be released", () => {
  const column = fc.oneof(
    fc
      .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1, max: 1_000_000 }), fc.boolean())
      .map(([lower, width, required]) => ({ type: "integer", lower, upper: lower + width, required })),
    fc
      .tuple(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double({ min: 1e-3, max: 1e9, noNaN: true }))
      .map(([lower, width]) => ({ type: "number", lower: Math.fround(lower), upper: Math.fround(lower) + width })),
    fc.constant({ type: "boolean" }),
    fc.integer({ min: 1, max: 80 }).map((count) => ({
      type: "category",
      categories: Array.from({ length: count }, (_, at) => `v${at}`),
    })),
  );
  fc.assert(
    fc.property(
      fc.array(column, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(undefined, 100, 1_000_000),
      fc.constantFrom("0.001", "1", "20"),
      (columns, rows, epsilon) => {
        // One text: to price the choice of its values takes as long as ten other columns.
        const named = Object.fromEntries([{ type: "text" }, ...columns].map((each, at) => [`c${at}`, each]));
        const declaration = checkDeclaration({
          name: "any",
          source: { csv: "any.csv" },
          privacyUnit: "row",
          ...(rows === undefined ? {} : { size: { assumed: rows } }),
          columns: named,
        });
        const profile = profileOf(declaration, { epsilon, delta: "1e-6" });
        const bounded = boundPlan(asPlan(profile), declaration);
        expect(bounded.statistics).toHaveLength(profile.rows.length);
        const told = new Set([
          ...profile.rows.flatMap(({ request }) => request.column ?? []),
          ...profile.leftOut.map((each) => each.column),
        ]);
        expect([...told].toSorted()).toEqual(Object.keys(named).toSorted());
      },
    ),
    { numRuns: 12 },
  );
});

test("a plan on an account costs what makes its answers good, at most half of what is left; one of its own spends its ε", () => {
  const spent = (draft: PlanDraft) => draft.rows.reduce((sum, row) => sum + epsilonAmount(row.epsilon, "down"), 0n);
  const { rows } = profileOf(people, { epsilon: "0.5" });
  const alone = profileDraft(emptyDraft("0.5"), people);
  expect(alone.rows.map(({ request, epsilon }) => ({ request, epsilon }))).toEqual(
    rows.map(({ request, epsilon }) => ({ request, epsilon })),
  );
  const onAccount = (left: string): PlanDraft => {
    const path = [
      {
        name: "account",
        epsilon: { cap: left, spent: "0" },
        delta: { cap: "0", spent: "0" },
        mu2: { cap: "1", left: "1" },
      },
    ];
    const headroom = {
      rule: "addition",
      activeRule: "addition",
      policy: "never",
      adjacency: "addRemove",
      path,
    } as const;
    return profileDraft({ ...emptyDraft("0"), follows: true, headroom: headroom as never }, people);
  };
  const rich = onAccount("1000");
  expect(spent(rich)).toBe(epsilonAmount(rich.epsilon, "down"));
  expect(rich.follows).toBeUndefined();
  for (const row of rich.rows) expect(fitnessOf(row, rich, people)?.grade).toBe("good");
  expect(spent(onAccount("1"))).toBe(epsilonAmount("0.5", "down"));
});

test("an ε that cannot be split is refused", () => {
  for (const epsilon of ["0", "0.000000000001", "lots", -1])
    expect(() => profileOf(people, { epsilon }), String(epsilon)).toThrow(PrivacyError);
});
