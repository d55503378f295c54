import { reveal } from "@dosimeter/core/exact";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Declaration } from "../declaration/declaration.ts";
import type { Predicate } from "../declaration/predicate.ts";
import { expressionKit } from "../expression/expression-engine.kit.ts";
import { boundPlan } from "../plan/bound-plan.ts";
import type { BoundedPlan, BoundedStatistic, Sensitivity } from "../plan/bounded.ts";
import type { Plan, StatisticRequest } from "../plan/request.ts";
import { treeCounts } from "../statistics/curve/tree.ts";
import { integersOf, powersOf } from "../statistics/joint/design.ts";
import { keyKit } from "../statistics/keys/keys.kit.ts";
import type { Measured } from "./engine.ts";
import { type Cell, type EngineUnderTest, measure, type Row, SALT, type Stored } from "./under-test.kit.ts";

const columns = {
  person: { type: "text" },
  region: { type: "category", categories: ["a", "b", "c", "d"] },
  age: { type: "integer", lower: 0, upper: 10 },
  pay: { type: "number", lower: -4, upper: 6, granularity: 0.5 },
  member: { type: "boolean" },
};
const stored = { person: "VARCHAR", region: "VARCHAR", age: "BIGINT", pay: "DOUBLE", member: "BOOLEAN" } as const;

const row = (person: fc.Arbitrary<string | null>): fc.Arbitrary<Row> =>
  fc.record({
    person,
    region: fc.constantFrom("a", "b", "c", "d", "zz", null),
    age: fc.oneof(fc.integer({ min: -3, max: 14 }), fc.constant(null)),
    pay: fc.oneof(
      fc.double({ min: -8, max: 9, noNaN: true }),
      fc.constantFrom(null, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 6, -4, 0.25),
    ),
    member: fc.constantFrom(true, false, null),
  });

const contribution = fc.oneof(
  fc.record({ rows: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ groups: fc.integer({ min: 1, max: 3 }), rowsPerGroup: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ rows: fc.integer({ min: 1, max: 5 }), groups: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ rows: fc.integer({ min: 1, max: 6 }), rowsPerGroup: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    rows: fc.integer({ min: 1, max: 6 }),
    groups: fc.integer({ min: 1, max: 3 }),
    rowsPerGroup: fc.integer({ min: 1, max: 3 }),
  }),
);

export const everyStatistic = (groupBy: readonly string[], where: string | undefined): readonly StatisticRequest[] => {
  const more = { epsilon: 1, ...(groupBy.length === 0 ? {} : { groupBy }), ...(where === undefined ? {} : { where }) };
  return [
    { statistic: "count", ...more },
    { statistic: "distinctUnits", ...more },
    { statistic: "sum", column: "pay", ...more },
    { statistic: "sum", column: "age", ...more },
    { statistic: "unitSum", column: "pay", ...more },
    { statistic: "mean", column: "pay", ...more },
    { statistic: "variance", column: "pay", ...more },
    { statistic: "standardDeviation", column: "age", ...more },
    { statistic: "median", column: "pay", ...more },
    { statistic: "quantiles", column: "age", quantiles: [0.25, 0.75], ...more },
    { statistic: "histogram", column: "pay", bins: [-4, 0, 1.5, 6], ...more },
    { statistic: "histogram", column: "age", bins: 3, ...more },
    { statistic: "histogram", column: "region", ...more },
    { statistic: "cdf", column: "pay", ...more },
    { statistic: "minimum", column: "age", ...more },
    { statistic: "maximum", column: "pay", ...more },
    { statistic: "bounds", column: "age", ...more },
    ...jointly(groupBy, where),
  ];
};

/** Several columns, values, and what bounding leaves out; both families where they measure different integers. */
export const jointly = (groupBy: readonly string[], where: string | undefined): readonly StatisticRequest[] => {
  const more = { ...(groupBy.length === 0 ? {} : { groupBy }), ...(where === undefined ? {} : { where }) };
  return [
    { statistic: "variance", column: "pay", rho: 1, ...more },
    { statistic: "covariance", column: "pay", with: "age", epsilon: 1, ...more },
    { statistic: "correlation", column: "age", with: ["member"], rho: 1, ...more },
    { statistic: "regression", column: "pay", with: ["age", "member"], epsilon: 1, ...more },
    { statistic: "regression", column: "pay", with: ["age", "member"], rho: 1, ...more },
    { statistic: "distinctValues", column: "region", epsilon: 1, ...more },
    { statistic: "clippedValues", column: "pay", epsilon: 1, ...more },
    ...(groupBy.length > 0 ? [] : [{ statistic: "cutUnits" as const, epsilon: 1, ...more }]),
  ];
};
/** Integers of both signs: replaced, a unit moves them by less than twice what it can add. */
const hasBothSigns = ({ task, noise, statistic }: BoundedPlan["statistics"][number]): boolean =>
  (task.kind === "joint" && task.design.kind === "gram") || (statistic === "variance" && noise.kind === "gaussian");

interface Distance {
  readonly l1: bigint;
  readonly l2Squared: bigint;
  readonly linf: bigint;
}

function distance(a: readonly bigint[], b: readonly bigint[]): Distance {
  let [l1, l2Squared, linf] = [0n, 0n, 0n];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0n) - (b[index] ?? 0n);
    const size = difference < 0n ? -difference : difference;
    l1 += size;
    l2Squared += size * size;
    if (size > linf) linf = size;
  }
  return { l1, l2Squared, linf };
}

/** What noise is added to: all nodes of a tree of counts, else the integers as measured. */
function released({ task: curve }: BoundedStatistic, vector: readonly bigint[] = []): readonly bigint[] {
  if (curve.kind !== "curve") return vector;
  return Array.from({ length: vector.length / curve.leaves }, (_, group) =>
    treeCounts(curve.shape, vector.slice(group * curve.leaves, (group + 1) * curve.leaves)),
  ).flat();
}

const within = (measured: Distance, declared: Sensitivity): boolean =>
  measured.l1 <= declared.l1 && measured.l2Squared <= declared.l2Squared && measured.linf <= declared.linf;

/**
 * The specification of an engine: the same exact integers, or nothing. `pairs` neighbours are fuzzed; where the same engine is
 * tried at length elsewhere, `every` second statistic of each bound is enough, another half for the next bound.
 */
export function engineKit(
  name: string,
  open: () => Promise<EngineUnderTest>,
  { pairs, every = 1 }: { readonly pairs: number; readonly every?: 1 | 2 },
): void {
  describe(name, () => {
    let under: EngineUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(() => under.close());

    const declare = async (
      rows: readonly Row[],
      more: object,
      types: Readonly<Record<string, Stored>> = stored,
    ): Promise<Declaration> => {
      const source = await under.store(types, rows);
      return checkDeclaration({ name: "t", source, privacyUnit: "row", columns, ...more });
    };
    const exactly = async (rows: readonly Row[], plan: Plan, more: object): Promise<[Measured, BoundedPlan]> => {
      const declaration = await declare(rows, more);
      return [await measure(under.engine, plan, declaration), boundPlan(plan, declaration)];
    };

    describe("bounding [M80, M81]", () => {
      const people = fc.constantFrom("p1", "p2", "p3", "p4", null);
      const groupings = fc.constantFrom([], ["region"], ["member"], ["region", "member"]);
      const filters = fc.constantFrom(undefined, "age > 3", "not pay < 0 or member is null");

      test("removing or replacing any one unit moves no statistic further than declared", async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(row(people), { maxLength: 24 }),
            fc.array(row(fc.constant("p9")), { maxLength: 8 }),
            contribution,
            groupings,
            filters,
            fc.nat({ max: 3 }),
            async (rows, arrivals, bound, groupBy, where, part) => {
              // A quarter of the table of statistics for each table of people: as many neighbours in a quarter of the time.
              const plan = { statistics: everyStatistic(groupBy, where).filter((_, index) => index % 4 === part) };
              const unit = { privacyUnit: { column: "person" }, contribution: bound };
              const [before, added] = await exactly(rows, plan, { ...unit, adjacency: "addRemove" });
              const replaced = boundPlan(plan, { ...added.declaration, adjacency: "replace" });
              for (const person of new Set(rows.map((r) => r.person))) {
                const rest = rows.filter((r) => r.person !== person || person === null);
                const [without] = await exactly(rest, plan, unit);
                const [swapped] = await exactly([...rest, ...arrivals], plan, unit);
                added.statistics.forEach((statistic, index) => {
                  const { sensitivity, label } = statistic;
                  const apart = distance(released(statistic, before[index]), released(statistic, without[index]));
                  expect(within(apart, sensitivity), `${label}: ${Object.values(apart)}`).toBe(true);
                });
                if (person === null) continue;
                replaced.statistics.forEach((statistic, index) => {
                  const { sensitivity, label } = statistic;
                  const apart = distance(released(statistic, before[index]), released(statistic, swapped[index]));
                  expect(within(apart, sensitivity), `replace, ${label}: ${Object.values(apart)}`).toBe(true);
                });
              }
            },
          ),
          { numRuns: pairs },
        );
      });

      test("the declared sensitivities are reached: they are not merely large enough", async () => {
        const extreme = (person: string, region: string, pay: number, age: number, times: number): readonly Row[] =>
          Array.from({ length: times }, () => ({ person, region, pay, age, member: true }));
        const one = extreme("p1", "a", 99, 99, 9);
        const everywhere = ["a", "b", "c", "d"].flatMap((region) => extreme("p1", region, 99, 99, 1));
        const other = extreme("p2", "b", 99, 99, 9);
        const low = extreme("p2", "a", -99, -99, 9);
        const bounds = [
          [[], { rows: 4 }],
          [["region"], { rows: 4 }],
          [["region"], { groups: 1, rowsPerGroup: 3 }],
          [["region"], { groups: 2, rowsPerGroup: 1 }],
        ] as const;
        for (const [at, [groupBy, bound]] of bounds.entries()) {
          const plan = {
            statistics: everyStatistic(groupBy, undefined).filter((_, index) => (index + at) % every === 0),
          };
          const unit = { privacyUnit: { column: "person" }, contribution: bound };
          const [here, added] = await exactly(one, plan, unit);
          const alone = async (rows: readonly Row[]): Promise<Measured> => (await exactly(rows, plan, unit))[0];
          const spread = await alone(everywhere);
          const nobody = await alone([]);
          const others = [nobody, await alone(other), await alone(low), await alone(extreme("p2", "a", -99, -99, 1))];
          added.statistics.forEach((statistic, index) => {
            const { sensitivity, label } = statistic;
            const of = (measured: Measured): readonly bigint[] => released(statistic, measured[index]);
            const distances = [here, spread].map((there) => distance(of(there), of(nobody)));
            expect(distances, label).toContainEqual(sensitivity);
          });
          const replaced = boundPlan(plan, { ...added.declaration, adjacency: "replace" });
          replaced.statistics.forEach((statistic, index) => {
            const { sensitivity, label, contribution, groups } = statistic;
            if (hasBothSigns(statistic) && groups.length === 1) return;
            // Two units cannot be in disjoint groups where there are too few of them.
            if (contribution.rows > 1 && contribution.bound.rowsPerGroup === 1 && groups.length > 1) return;
            const of = (measured: Measured): readonly bigint[] => released(statistic, measured[index]);
            const distances = others.map((there) => distance(of(here), of(there)));
            expect(
              distances.map(({ l1 }) => l1),
              label,
            ).toContain(sensitivity.l1);
          });
        }
      });

      test("distinct values: at most so many of each unit, missing ones never [M125]", async () => {
        const rows = ["p1", "p1", "p1", "p2", null].flatMap((person, i) =>
          ["a", "b", "zz", null].map((region) => ({
            person,
            region,
            age: i % 2 === 0 ? 99 : 3,
            pay: i / 2,
            member: true,
          })),
        );
        const unit = { privacyUnit: { column: "person" }, contribution: { rows: 2 } };
        const ask = async (
          column: string,
          valuesPerUnit: number,
          more: object,
        ): Promise<readonly bigint[] | undefined> => {
          const plan = { statistics: [{ statistic: "distinctValues", column, valuesPerUnit, epsilon: 1 } as const] };
          return (await exactly(rows, plan, more))[0][0];
        };
        expect(await ask("region", 10, unit)).toEqual([2n]); // a and b: zz is not declared
        expect(await ask("age", 10, unit)).toEqual([2n]); // 99 and 3, not clamped
        expect(await ask("pay", 10, unit)).toEqual([4n]); // 0, ½, 1 and 1.5 on the grid
        expect(await ask("person", 10, {})).toEqual([2n]);
        expect((await ask("pay", 1, unit))?.[0]).toBeLessThanOrEqual(2n);
        expect(await ask("pay", 2, unit)).toEqual(await ask("pay", 2, unit));
      });

      test("values outside the bounds, and people with rows left out [M125]", async () => {
        const rows = [
          ["p1", -4.5],
          ["p1", -4],
          ["p1", 6],
          ["p2", 6.01],
          ["p2", Number.NaN],
          ["p3", Number.POSITIVE_INFINITY],
        ].map(([person, pay]) => ({ person, region: "a", age: 1, pay, member: true })) as readonly Row[];
        const plan = {
          statistics: [
            { statistic: "clippedValues", column: "pay", epsilon: 1 },
            { statistic: "cutUnits", epsilon: 1 },
            { statistic: "cutUnits", where: "pay > 0", epsilon: 1 },
          ],
        } as const;
        const [measured] = await exactly(rows, plan, { privacyUnit: { column: "person" }, contribution: { rows: 2 } });
        expect(measured[1]).toEqual([2n, 1n]);
        expect(measured[2]).toEqual([3n, 0n]);
        const [all] = await exactly(rows, { statistics: plan.statistics.slice(0, 1) }, {});
        expect(all[0]).toEqual([1n, 2n, 2n]);
      });

      test("case 11, 12, 13: a unit with many rows, all alike or in every group, still counts within its bounds", async () => {
        const alike: Row[] = Array.from({ length: 5000 }, () => ({
          person: "p1",
          region: "a",
          age: 5,
          pay: 1,
          member: null,
        }));
        const spread: Row[] = ["a", "b", "c", "d"].flatMap((region) =>
          alike.slice(0, 10).map((r) => ({ ...r, region })),
        );
        const [[count]] = await exactly(
          alike,
          { statistics: [{ statistic: "count", epsilon: 1 }] },
          { privacyUnit: { column: "person" }, contribution: { rows: 7 } },
        );
        expect(count).toEqual([7n]);
        const plan: Plan = { statistics: [{ statistic: "count", groupBy: ["region"], epsilon: 1 }] };
        const unit = { privacyUnit: { column: "person" }, contribution: { groups: 2, rowsPerGroup: 3 } };
        const [[first]] = await exactly(spread, plan, unit);
        const [[again]] = await exactly(spread.toReversed(), plan, unit);
        expect(first?.toSorted()).toEqual([0n, 0n, 3n, 3n]);
        expect(again).toEqual(first);
      });

      test("case 56: which groups are kept does not favour any key", async () => {
        // Chance that a fair choice fails: each of 4 keys is kept by Binomial(2000, ½) units, 5.5σ either way: 1.5e-7.
        const rows = Array.from({ length: 2000 }, (_, index) =>
          ["a", "b", "c", "d"].map((region) => ({ person: `p${index}`, region, age: 1, pay: 1, member: true })),
        ).flat();
        const [[kept]] = await exactly(
          rows,
          { statistics: [{ statistic: "distinctUnits", groupBy: ["region"], epsilon: 1 }] },
          { privacyUnit: { column: "person" }, contribution: { groups: 2, rowsPerGroup: 1 } },
        );
        for (const count of kept ?? []) expect(Math.abs(Number(count) - 1000)).toBeLessThan(5.5 * Math.sqrt(500));
      });

      test("case 15: rows without a unit are dropped", async () => {
        const rows = [null, null, "p1"].map((person) => ({ person, region: "a", age: 1, pay: 1, member: true }));
        const [measured] = await exactly(
          rows,
          { statistics: everyStatistic([], undefined).slice(0, 2) },
          { privacyUnit: { column: "person" }, contribution: { rows: 5 } },
        );
        expect(measured).toEqual([[1n], [1n]]);
      });

      test("a sum by person clamps each total, however many rows it has [M95]", async () => {
        const rows = [
          ...Array.from({ length: 50 }, () => ["p1", "a", 6] as const),
          ["p2", "a", 2.5],
          ["p2", "a", -1],
          ["p2", "b", -4],
          ["p2", "b", -4],
          [null, "a", 6],
        ].map(([person, region, pay]) => ({ person, region, pay, age: 1, member: true })) as readonly Row[];
        const total = { statistic: "unitSum", column: "pay", unitLower: -6, unitUpper: 40, epsilon: 1 } as const;
        const plan: Plan = { statistics: [total, { ...total, groupBy: ["region"] }] };
        const unit = { privacyUnit: { column: "person" }, contribution: { groups: 4, rowsPerGroup: 1 } };
        const [measured, bounded] = await exactly(rows, plan, unit);
        // In steps of ½: 80 at most for p1; p2 has 3 and −16, cut to −12 in a group of its own.
        expect(measured).toEqual([[80n - 12n], [80n + 3n, -12n, 0n, 0n]]);
        expect(bounded.statistics.map(({ sensitivity }) => sensitivity.l1)).toEqual([80n, 320n]);
        const [[byRow]] = await exactly(rows.slice(50), { statistics: [{ ...total, unitUpper: 2 }] }, {});
        expect(byRow).toEqual([4n - 2n - 8n - 8n + 4n]);
      });

      test("case 14: units are told apart by their exact text, whole numbers by their value", async () => {
        const rows = ["1", "01", "1 ", "A", "a"].map((person) => ({
          person,
          region: "a",
          age: 1,
          pay: 1,
          member: true,
        }));
        const plan: Plan = { statistics: [{ statistic: "distinctUnits", epsilon: 1 }] };
        const [[texts]] = await exactly(rows, plan, { privacyUnit: { column: "person" }, contribution: { rows: 1 } });
        expect(texts).toEqual([5n]);
        const numbered = await declare(rows.slice(0, 3), {
          privacyUnit: { column: "person" },
          contribution: { rows: 1 },
          columns: { ...columns, person: { type: "integer" } },
        });
        if (under.strict === true)
          await expect(under.engine.check(numbered, { salt: SALT })).rejects.toThrow(
            'column "person" is stored as text',
          );
        else expect(await measure(under.engine, plan, numbered)).toEqual([[1n]]);
      });
    });

    keyKit(() => under, { pairs: Math.min(pairs, 40) });

    describe("values", () => {
      const plan: Plan = {
        statistics: [
          { statistic: "sum", column: "pay", epsilon: 1 },
          { statistic: "mean", column: "pay", epsilon: 1 },
          { statistic: "sum", column: "age", epsilon: 1 },
          { statistic: "histogram", column: "pay", bins: [-4, 0, 1.5, 6], epsilon: 1 },
          { statistic: "histogram", column: "age", bins: 3, epsilon: 1 },
          { statistic: "count", where: "pay is null", epsilon: 1 },
          { statistic: "variance", column: "pay", epsilon: 1 },
          { statistic: "median", column: "pay", epsilon: 1 },
        ],
      };
      const paid = (pays: readonly (number | null)[]): readonly Row[] =>
        pays.map((pay) => ({ person: "p", region: "a", age: null, pay, member: null }));

      test("integers agree with a plain computation on every table", async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(row(fc.constant("p")), { maxLength: 30 }), async (rows) => {
            const [measured] = await exactly(rows, plan, {});
            const pays = rows
              .map((r) => r.pay as number | null)
              .filter((pay) => pay !== null && !Number.isNaN(pay)) as number[];
            const ages = rows.map((r) => r.age as number | null).filter((age) => age !== null) as number[];
            const ticks = pays.map((pay) => BigInt(Math.floor((Math.min(6, Math.max(-4, pay)) + 4) / 0.5 + 0.5)));
            const total = ticks.reduce((a, b) => a + b, 0n);
            const n = BigInt(ticks.length);
            const fine = 52n; // ⌈1024/20⌉ refines the 20 ticks of the range
            const binned = (values: readonly number[], starts: readonly number[]): bigint[] =>
              starts.map((start, index) =>
                BigInt(
                  values.filter(
                    (x) => (index === 0 || x >= start) && (index === starts.length - 1 || x < (starts[index + 1] ?? 0)),
                  ).length,
                ),
              );
            expect(measured).toEqual([
              [total - 8n * n],
              [fine * total, fine * (20n * n - total)],
              [BigInt(ages.reduce((a, age) => a + Math.min(10, Math.max(0, age)), 0))],
              binned(pays, [-4, 0, 1.5]),
              binned(ages, [0, 3, 7]),
              [BigInt(rows.length - pays.length)],
              [(t: bigint) => (20n - t) * (20n - t), (t: bigint) => 2n * t * (20n - t), (t: bigint) => t * t].map(
                (feature) => 3n * ticks.reduce((a, t) => a + feature(t), 0n),
              ), // ⌈1024/400⌉
              Array.from({ length: 21 }, (_, leaf) => BigInt(ticks.filter((t) => t === BigInt(leaf)).length)),
            ]);
          }),
          { numRuns: 3 * pairs },
        );
      });

      test("case 1, 2, 3: NaN and NULL are dropped, infinities are clamped, and nothing becomes the lower bound", async () => {
        const [measured] = await exactly(
          paid([Number.NaN, null, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1]),
          plan,
          {},
        );
        expect(measured[0]).toEqual([12n - 8n + 2n]);
        expect(measured[3]).toEqual([1n, 1n, 1n]);
        expect(measured[5]).toEqual([2n]);
      });

      test("case 4, 5: an empty table, a column without values and a filter that keeps nothing have the same shape", async () => {
        const shape = (measured: Measured): readonly number[] => measured.map((vector) => vector.length);
        const [full] = await exactly(paid([1, 2]), plan, {});
        for (const rows of [[], paid([null, null])]) {
          const [measured] = await exactly(rows, plan, {});
          expect(shape(measured)).toEqual(shape(full));
          expect(
            measured
              .slice(0, 5)
              .flat()
              .every((value) => value === 0n),
          ).toBe(true);
        }
      });

      test("case 20, 21, 22, 24: order, huge values, negative zero and values at the edges", async () => {
        const [first] = await exactly(paid([1e16, 1, -1e16, -0, 0, 6, 5.9999999999, -4, 5e-324]), plan, {});
        const [second] = await exactly(paid([-1e16, 5e-324, 6, -4, 1e16, 0, 1, 5.9999999999, -0]), plan, {});
        expect(second).toEqual(first);
        expect(first[3]).toEqual([2n, 4n, 3n]);
      });

      test("case 23: halves round up, on decimals as they are stored", async () => {
        const [measured] = await exactly(paid([0.25, 0.75, -0.25, 0.1 + 0.2]), plan, {});
        expect(measured[0]).toEqual([1n + 2n + 0n + 1n]);
      });

      test("case 33, 34: a declared key without rows is there, an undeclared key is not", async () => {
        const rows = ["a", "zz", "a"].map((region) => ({ person: "p", region, age: 1, pay: 1, member: true }));
        const [measured] = await exactly(
          rows,
          { statistics: [{ statistic: "count", groupBy: ["region"], epsilon: 1 }] },
          {},
        );
        expect(measured).toEqual([[2n, 0n, 0n, 0n]]);
      });

      test("several keys: cells run through the last key fastest", async () => {
        const rows = [
          ["a", true],
          ["b", false],
          ["b", true],
          ["b", true],
          ["b", null],
        ].map(([region, member]) => ({
          person: "p",
          region: region as string,
          age: 1,
          pay: 1,
          member: member as boolean | null,
        }));
        const [measured] = await exactly(
          rows,
          { statistics: [{ statistic: "count", groupBy: ["region", "member"], epsilon: 1 }] },
          {},
        );
        expect(measured).toEqual([[0n, 1n, 1n, 2n, 0n, 0n, 0n, 0n]]);
      });

      test("case 18: sums of the largest integers are exact", async () => {
        const huge = 2 ** 53;
        const declaration = await declare(
          Array.from({ length: 3000 }, () => ({ person: "p", region: "a", age: huge, pay: 1, member: true })),
          { columns: { ...columns, age: { type: "integer", lower: 0, upper: Number.MAX_SAFE_INTEGER } } },
        );
        expect(
          await measure(under.engine, { statistics: [{ statistic: "sum", column: "age", epsilon: 1 }] }, declaration),
        ).toEqual([[3000n * BigInt(Number.MAX_SAFE_INTEGER)]]);
      });

      test("case 18, 22: whole numbers beyond 2⁵³ and up to 2⁶³ keep their exact value wherever it counts", async () => {
        const far = ["9007199254740993", "9007199254740992", "9223372036854775807", "-9223372036854775808", null];
        const types = { id: "BIGINT", unit: "BIGINT" } as const;
        const id = { type: "integer", lower: 0, upper: Number.MAX_SAFE_INTEGER };
        const beyond = await declare(
          far.map((each) => ({ id: each, unit: each })),
          { columns: { id, unit: { type: "integer" } } },
          types,
        );
        const statistics: readonly StatisticRequest[] = [
          { statistic: "sum", column: "id", epsilon: 1 },
          { statistic: "distinctValues", column: "id", epsilon: 1 },
          { statistic: "clippedValues", column: "id", epsilon: 1 },
          { statistic: "count", where: "id > 9007199254740991", epsilon: 1 },
          { statistic: "count", where: "id < 0", epsilon: 1 },
          { statistic: "keyCounts", column: "unit", epsilon: 1, delta: 1e-6 },
        ];
        const measured = await measure(under.engine, { statistics }, beyond);
        const most = BigInt(Number.MAX_SAFE_INTEGER);
        expect(measured.slice(0, 5)).toEqual([[3n * most], [4n], [1n, 0n, 3n], [3n], [1n]]);
        // A key has to be a number of JSON.
        expect(measured[5]?.found).toEqual([2 ** 53]);
        const people = { ...beyond, privacyUnit: { column: "unit" }, contribution: { rows: 1 } };
        const units: Plan = { statistics: [{ statistic: "distinctUnits", epsilon: 1 }] };
        expect(await measure(under.engine, units, checkDeclaration(people))).toEqual([[4n]]);
      });

      test("case 22: among declared numbers there is one zero, and NaN is none of them", async () => {
        const doubles = [-0, 0, 5e-324, Number.NaN, 0.5, Number.POSITIVE_INFINITY, -2.2e-308, null];
        const declaration = await declare(
          doubles.map((share) => ({ share })),
          { columns: { share: { type: "category", categories: [0, 0.5] } } },
          { share: "DOUBLE" },
        );
        const statistics: readonly StatisticRequest[] = [
          { statistic: "count", groupBy: ["share"], epsilon: 1 },
          { statistic: "histogram", column: "share", epsilon: 1 },
        ];
        const groups: Plan = { statistics };
        expect(await measure(under.engine, groups, declaration)).toEqual([
          [2n, 1n],
          [2n, 1n],
        ]);
      });

      test("case 23: decimals are what they say, in every format", async () => {
        const texts = ["0.29", "1.005", "2.675", "0.000001", "999999999999.999999", "-0.5", "0.285", "1.115"];
        const declaration = await declare(
          texts.map((pay) => ({ pay })),
          { columns: { pay: { type: "number", lower: 0, upper: 4, granularity: 0.01 } } },
          { pay: "DECIMAL(18, 6)" },
        );
        const ticks = texts.map((text) => Math.floor(Math.min(4, Math.max(0, Number(text))) * 100 + 0.5));
        const plan: Plan = { statistics: [{ statistic: "sum", column: "pay", epsilon: 1 }] };
        expect(await measure(under.engine, plan, declaration)).toEqual([[BigInt(ticks.reduce((a, b) => a + b, 0))]]);
      });

      test("case 3: an empty text is missing in CSV, and a value where the format can tell", async () => {
        const declaration = await declare(
          ["", "x", null].map((word) => ({ word })),
          { columns: { word: { type: "text" } } },
          { word: "VARCHAR" },
        );
        const statistics: readonly StatisticRequest[] = [
          { statistic: "count", where: "word is null", epsilon: 1 },
          { statistic: "distinctValues", column: "word", epsilon: 1 },
        ];
        const want = under.strict === true ? [[1n], [2n]] : [[2n], [1n]];
        expect(await measure(under.engine, { statistics }, declaration)).toEqual(want);
      });

      test("case 25, 28: a constant column, one row and none have quantiles and variances without a fault", async () => {
        const asked: readonly StatisticRequest[] = [
          { statistic: "median", column: "pay", epsilon: 1 },
          { statistic: "variance", column: "pay", epsilon: 1 },
          { statistic: "variance", column: "pay", rho: 1 },
          { statistic: "correlation", column: "pay", with: "age", epsilon: 1 },
        ];
        for (const rows of [paid([]), paid([2.5]), paid(Array.from({ length: 40 }, () => 2.5))]) {
          const [[leaves = [], bernstein = [], chebyshev = []]] = await exactly(rows, { statistics: asked }, {});
          const n = BigInt(rows.length);
          expect(leaves.map((count, leaf) => (leaf === 13 ? count - n : count)).every((count) => count === 0n)).toBe(
            true,
          );
          // 13 of 20 steps: (7², 2·13·7, 13²), three times; 5·20², 5·20·6, 4·(2·36 − 20²), three times.
          expect(bernstein).toEqual([3n * 49n * n, 3n * 182n * n, 3n * 169n * n]);
          expect(chebyshev).toEqual([3n * 2000n * n, 3n * 600n * n, -3n * 1312n * n]);
        }
      });

      test("case 30, 31: hostile keys and column names are data", async () => {
        const keys = ["'; DROP TABLE t;--", '"', "=cmd|' /C calc'!A0", "😀", "\u202eabc", "$1", "\\"];
        const name = 'a"; drop table x;--';
        const declaration = checkDeclaration({
          name: "t",
          source: await under.store(
            { [name]: "VARCHAR" },
            keys.flatMap((key, index) => Array.from({ length: index + 1 }, () => ({ [name]: key }))),
          ),
          privacyUnit: "row",
          columns: { [name]: { type: "category", categories: keys } },
        });
        expect(
          await measure(
            under.engine,
            { statistics: [{ statistic: "count", groupBy: [name], epsilon: 1 }] },
            declaration,
          ),
        ).toEqual([[1n, 2n, 3n, 4n, 5n, 6n, 7n]]);
        const where: Predicate = { op: "in", column: name, values: keys.slice(1, 3) };
        expect(
          await measure(under.engine, { statistics: [{ statistic: "count", where, epsilon: 1 }] }, declaration),
        ).toEqual([[5n]]);
      });

      test("columns may have the names that the SQL uses itself", async () => {
        const names = ["u", "g", "v", "x", "k0", "k1", "c", "n", "h", "e", "p", "s", "b", "heavy"];
        const source = await under.store(
          Object.fromEntries(names.map((each) => [each, "BIGINT"])),
          [1, 2, 2].map((value) => Object.fromEntries(names.map((each, index) => [each, value * (index + 1)]))),
        );
        const every = Object.fromEntries(names.map((each) => [each, { type: "integer", lower: 0, upper: 50 }]));
        const declaration = checkDeclaration({
          name: "t",
          source,
          privacyUnit: { column: "heavy" },
          contribution: { rows: 100 },
          columns: every,
        });
        // x is the fourth column: 4, 8, 8; v the third: 3, 6, 6; u the first: 1, 2, 2.
        const statistics: readonly StatisticRequest[] = [
          { statistic: "sum", column: "v", where: "x > 5", epsilon: 1 },
          { statistic: "sum", column: "x", where: "v < 5 and u = 1", epsilon: 1 },
          { statistic: "count", where: "g = 2", epsilon: 1 },
          { statistic: "distinctUnits", where: "u = 2 and n > 1", epsilon: 1 },
        ];
        expect(await measure(under.engine, { statistics }, declaration)).toEqual([[12n], [4n], [1n], [1n]]);
        const rowUnit = checkDeclaration({ ...declaration, privacyUnit: "row", contribution: undefined });
        const [sum, other, count] = await measure(under.engine, { statistics }, rowUnit);
        expect([sum, other, count]).toEqual([[12n], [4n], [1n]]);
      });

      test("public number of rows: a value that is missing counts as the lower bound", async () => {
        const required: Record<string, object> = { pay: { ...columns.pay, required: true } };
        const source = await under.store({ pay: "DOUBLE" }, [{ pay: 1 }, { pay: 6 }]);
        const declaration = checkDeclaration({
          name: "t",
          source,
          privacyUnit: "row",
          adjacency: "replace",
          size: { public: 2 },
          columns: required,
        });
        expect(
          await measure(under.engine, { statistics: [{ statistic: "mean", column: "pay", epsilon: 1 }] }, declaration),
        ).toEqual([[52n * 30n]]);
        const gappy = await under.store({ pay: "DOUBLE" }, [{ pay: 1 }, { pay: null }]);
        await expect(under.engine.check({ ...declaration, source: gappy }, { salt: SALT })).rejects.toThrow(
          'column "pay" is declared required but lacks values',
        );
        await expect(under.engine.check({ ...declaration, size: { public: 3 } }, { salt: SALT })).rejects.toThrow(
          "does not hold the declared public number of rows",
        );
      });
    });

    expressionKit(() => under, measure as never, pairs);

    test("several columns agree with a plain computation on every table [M120]", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(row(fc.constant("p")), { maxLength: 24 }), async (rows) => {
          const plan = { statistics: jointly([], undefined).filter(({ statistic }) => statistic !== "cutUnits") };
          const [measured, bounded] = await exactly(rows, plan, {});
          bounded.statistics.forEach(({ task }, index) => {
            if (task.kind !== "joint") return;
            const { design } = task;
            const position = (x: Cell, { lower, upper, steps }: (typeof design.axes)[number]): bigint | null => {
              if (x === null || Number.isNaN(x)) return null;
              const clamped = Math.min(upper, Math.max(lower, Number(x)));
              return BigInt(Math.floor((clamped - lower) * (Number(steps) / (upper - lower)) + 0.5));
            };
            const ticks = rows
              .map((r) => design.axes.map((axis) => position(r[axis.column] ?? null, axis)))
              .filter((all): all is bigint[] => all.every((t) => t !== null));
            const sums = powersOf(design).map((powers) =>
              ticks.reduce(
                (sum, t) => sum + t.reduce((product, x, at) => product * x ** BigInt(powers[at] ?? 0), 1n),
                0n,
              ),
            );
            expect(measured[index]).toEqual(integersOf(design, sums));
          });
        }),
        { numRuns: pairs },
      );
    });

    test("predicates agree with a plain evaluation on every row [M86]", async () => {
      const value = {
        region: fc.constantFrom("a", "b"),
        age: fc.integer({ min: -2, max: 12 }),
        pay: fc.constantFrom(-4, 0, 0.25, 6, 1e300),
        member: fc.boolean(),
      };
      const order = fc.constantFrom("=", "!=", "<", "<=", ">", ">=") as fc.Arbitrary<"=">;
      const leaf: fc.Arbitrary<Predicate> = fc.oneof(
        fc.record({ op: order, column: fc.constant("age"), value: value.age }),
        fc.record({ op: order, column: fc.constant("pay"), value: value.pay }),
        fc.record({
          op: fc.constantFrom("=", "!=") as fc.Arbitrary<"=">,
          column: fc.constant("region"),
          value: value.region,
        }),
        fc.record({
          op: fc.constantFrom("=", "!=") as fc.Arbitrary<"=">,
          column: fc.constant("member"),
          value: value.member,
        }),
        fc.record({
          op: fc.constant("between" as const),
          column: fc.constantFrom("age", "pay"),
          lower: fc.constantFrom(-1, 2),
          upper: fc.constantFrom(2, 5.5),
        }),
        fc.record({
          op: fc.constant("in" as const),
          column: fc.constant("age"),
          values: fc.array(value.age, { minLength: 1, maxLength: 3 }),
        }),
        fc.record({ op: fc.constant("isNull" as const), column: fc.constantFrom("age", "pay", "region", "member") }),
      );
      const { predicate } = fc.letrec<{ predicate: Predicate }>((tie) => ({
        predicate: fc.oneof(
          { depthSize: "small" },
          leaf,
          fc.record({
            op: fc.constantFrom("and" as const, "or" as const),
            of: fc.array(tie("predicate"), { minLength: 1, maxLength: 3 }),
          }),
          fc.record({ op: fc.constant("not" as const), of: tie("predicate") }),
        ),
      }));
      await fc.assert(
        fc.asyncProperty(
          fc.array(row(fc.constant("p")), { maxLength: 20 }),
          fc.array(predicate, { minLength: 1, maxLength: 8 }),
          async (rows, predicates) => {
            const [measured] = await exactly(
              rows,
              { statistics: predicates.map((where) => ({ statistic: "count", where, epsilon: 1 })) },
              {},
            );
            expect(measured).toEqual(predicates.map((where) => [BigInt(rows.filter((r) => holds(where, r)).length)]));
          },
        ),
        { numRuns: 3 * pairs },
      );
    });

    test("case 40: equal tables under another salt and another order give equal unbounded integers and another version", async () => {
      const declaration = await declare([{ person: "p", region: "a", age: 1, pay: 1, member: true }], {});
      const [one, two, again] = await Promise.all(
        ["aa", "bb", "aa"].map((salt) => under.engine.check(declaration, { salt })),
      );
      expect(one?.version).not.toBe(two?.version);
      expect(again).toEqual(one);
    });

    test("an abort, a table of another version and a missing table are all the same one error", async () => {
      const declaration = await declare([{ person: "p", region: "a", age: 1, pay: 1, member: true }], {});
      const version = await under.engine.check(declaration, { salt: SALT });
      const bounded = boundPlan({ statistics: [{ statistic: "count", epsilon: 1 }] }, declaration);
      const message = "the data engine could not run the plan; the charge stands and is run again under its key";
      const failure = { code: "ENGINE_FAILED", message, details: {} };
      await expect(under.engine.run(bounded, { ...version, signal: AbortSignal.abort() })).rejects.toMatchObject(
        failure,
      );
      await expect(under.engine.run(bounded, { ...version, version: "00" })).rejects.toMatchObject(failure);
      const gone = { ...bounded, declaration: { ...declaration, source: { parquet: "nowhere.parquet" } } };
      await expect(under.engine.run(gone, version)).rejects.toMatchObject(failure);
      expect(reveal(await under.engine.run(bounded, version))).toEqual([[1n]]);
    });
  });
}

/** What a predicate means, written a second time. */
function holds(predicate: Predicate, r: Row): boolean {
  switch (predicate.op) {
    case "and":
      return predicate.of.every((part) => holds(part, r));
    case "or":
      return predicate.of.some((part) => holds(part, r));
    case "not":
      return !holds(predicate.of, r);
  }
  const x = r[predicate.column] ?? null;
  const missing = x === null || Number.isNaN(x);
  if (predicate.op === "isNull") return missing;
  if (missing) return false;
  switch (predicate.op) {
    case "between":
      return Number(x) >= predicate.lower && Number(x) <= predicate.upper;
    case "in":
      return predicate.values.includes(x as never);
    case "=":
      return x === predicate.value;
    case "!=":
      return x !== predicate.value;
    case "<":
      return x < predicate.value;
    case "<=":
      return x <= predicate.value;
    case ">":
      return x > predicate.value;
    case ">=":
      return x >= predicate.value;
  }
}
