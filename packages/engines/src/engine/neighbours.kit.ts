import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { released } from "../../../query/src/audit/fuzz.ts";
import { questions, wholeQuestions } from "../../../query/src/audit/people.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import type { BoundedStatistic, Sensitivity } from "../../../query/src/plan/bounded.ts";
import type { Measured } from "../../../query/src/plan/engine.ts";
import { definitionOf, statisticOf } from "../../../query/src/statistics/registry.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { type Bench, contribution, row } from "./people.kit.ts";
import type { Row } from "./under-test.kit.ts";

/** A request for every statistic of the registry, over the columns of these tables. */
export const everyStatistic = (groupBy: readonly string[], where?: string): readonly StatisticRequest[] =>
  [...questions(groupBy, where), ...(groupBy.length === 0 ? wholeQuestions(where) : [])].flatMap((request) => [
    request,
    ...ofDates(request),
  ]);

/** The same, and a synthetic table with bins by column, of which one is of texts where two count. */
const withTexts = (groupBy: readonly string[], where?: string): readonly StatisticRequest[] =>
  everyStatistic(groupBy, where).flatMap((request) =>
    request.statistic === "syntheticTable"
      ? [request, { ...request, with: ["age", "word"], bins: { age: [0, 3, 9], word: ["x", "ä"] } }]
      : [request],
  );

/** The same question of a column of dates or of instants, where they can answer it. */
function ofDates(request: StatisticRequest): readonly StatisticRequest[] {
  const { statistic, column, bins, with: others } = request;
  const isNumeric = column === "age" || column === "pay";
  const isSummed = statisticOf(statistic).shows.measures === "total";
  if (!isNumeric || isSummed || others !== undefined || statistic === "bounds") return [];
  const [name, calendar] = column === "age" ? (["seen", "month"] as const) : (["at", "hour"] as const);
  return [{ ...request, column: name, ...(bins === undefined ? {} : { bins: calendar }) }];
}

/** Integers of both signs, several of a row: replaced, a unit moves them by less than twice what it can add. */
function hasBothSigns(statistic: BoundedStatistic): boolean {
  const { row: integersOf, width } = definitionOf(statistic);
  if (statistic.task.kind === "tables") return statistic.task.isResidual;
  return width(statistic.task) > 1 && integersOf(statistic.task, statistic.noise.kind).least < 0n;
}

interface Distance {
  readonly l1: bigint;
  readonly l2Squared: bigint;
  readonly linf: bigint;
}

export function distance(a: readonly bigint[], b: readonly bigint[]): Distance {
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

export const within = (measured: Distance, declared: Sensitivity): boolean =>
  measured.l1 <= declared.l1 && measured.l2Squared <= declared.l2Squared && measured.linf <= declared.linf;
/** Tests that neighbours move the measured integers by at most the declared sensitivity, and can reach it. */
export function neighbourKit(
  { exactly }: Bench,
  { pairs, every }: { readonly pairs: number; readonly every: number },
): void {
  describe("neighbours [M80, M81]", () => {
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
            // Each table of people gets a quarter of the statistics: as many neighbours in a quarter of the time.
            const plan = { statistics: withTexts(groupBy, where).filter((_, index) => index % 4 === part) };
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

    test("some neighbours reach the declared sensitivities", async () => {
      const extreme = (person: string, region: string, pay: number, age: number, times: number): readonly Row[] =>
        // Two ages, both beyond the bounds: as many different values as may count.
        Array.from({ length: times }, (_, at) => {
          const seen = `${age < 0 ? 1999 : 2999}-01-0${1 + (at % 2)}`;
          return {
            person,
            region,
            word: person === "p1" ? "x" : "ä",
            pay,
            age: age + (at % 2),
            member: age > 0,
            seen,
            at: `${seen} 00:00:00Z`,
          };
        });
      const one = extreme("p1", "a", 99, 99, 9);
      const everywhere = ["a", "b", "c", "d"].flatMap((region) => extreme("p1", region, 99, 99, 1));
      const other = extreme("p2", "b", 99, 99, 9);
      const low = extreme("p2", "a", -99, -99, 9);
      const early = extreme("p2", "a", 99, -99, 9);
      const bounds = [
        [[], { rows: 4 }],
        [["region"], { rows: 4 }],
        [["region"], { groups: 1, rowsPerGroup: 3 }],
        [["region"], { groups: 2, rowsPerGroup: 1 }],
      ] as const;
      for (const [at, [groupBy, bound]] of bounds.entries()) {
        const plan = {
          statistics: withTexts(groupBy, undefined).filter((_, index) => (index + at) % every === 0),
        };
        const unit = { privacyUnit: { column: "person" }, contribution: bound };
        const [here, added] = await exactly(one, plan, unit);
        const alone = async (rows: readonly Row[]): Promise<Measured> => (await exactly(rows, plan, unit))[0];
        const spread = await alone(everywhere);
        const nobody = await alone([]);
        const others = [
          nobody,
          await alone(other),
          await alone(low),
          await alone(early),
          await alone(extreme("p2", "a", -99, -99, 1)),
        ];
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
          // With too few groups two units cannot be in disjoint ones.
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
  });
}
