import fc from "fast-check";
import { expect, test } from "vitest";
import { distance, everyStatistic, within } from "../../../engines/src/engine/neighbours.kit.ts";
import { type Bench, contribution } from "../../../engines/src/engine/people.kit.ts";
import type { Row } from "../../../engines/src/engine/under-test.kit.ts";
import { released } from "../audit/fuzz.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import type { Plan } from "../statistics/request.ts";
import { BLOCKS, declared, joins, measureJoin, mineRow, otherRow, type Tables } from "./join.kit.ts";

/** How two tables of people differ: without one of them or with a newcomer, and which adjacency calls them neighbours. */
const differences = {
  removed: (all, { one }) => [all, one, "addRemove"],
  replaced: (all, { one, add }) => [all, add(one), "replace"],
  arrived: (_, { one, add }) => [one, add(one), "addRemove"],
  "one or another": (_, { one, other }) => [one, other, "replace"],
  "one or another, with an arrival": (_, { one, other, add }) => [add(one), add(other), "replace"],
} as const satisfies Readonly<Record<string, (all: Tables, others: Others) => Pair>>;

interface Others {
  /** Without one of the people, and without another. */
  readonly one: Tables;
  readonly other: Tables;
  readonly add: (tables: Tables) => Tables;
}
type Pair = readonly [here: Tables, there: Tables, adjacency: "addRemove" | "replace"];

const tablesOf = (people: fc.Arbitrary<string | null>, [mine, theirs]: readonly [number, number]) =>
  fc.record({
    mine: fc.array(mineRow(people), { maxLength: mine }),
    theirs: fc.array(otherRow(people), { maxLength: theirs }),
  });

const pair = fc
  .record({
    all: tablesOf(fc.constantFrom("p1", "p2", "p3", "é", null), [14, 20]).filter(({ mine }) =>
      mine.some(({ person }) => person !== null),
    ),
    arrival: tablesOf(fc.constant("p9"), [4, 6]),
    difference: fc.constantFrom(...Object.values(differences)),
    at: fc.nat(),
  })
  .map(({ all, arrival, difference, at }): Pair => {
    const present = [...new Set(all.mine.map(({ person }) => person))].filter((person) => person !== null);
    const without = (index: number): Tables => ({
      mine: all.mine.filter(({ person }) => person !== present[index % present.length]),
      theirs: all.theirs.filter(({ who }) => who !== present[index % present.length]),
    });
    const add = ({ mine, theirs }: Tables): Tables => ({
      mine: [...mine, ...arrival.mine],
      theirs: [...theirs, ...arrival.theirs],
    });
    return difference(all, { one: without(at), other: without(at + 1), add });
  });

/** Many small tables as one. */
function together(tables: readonly Tables[]): Tables {
  const named = (name: "person" | "who", rows: readonly Row[], block: number): readonly Row[] =>
    rows.map((row) => ({ ...row, block, [name]: row[name] === null ? null : `${block}/${row[name]}` }));
  return {
    mine: tables.flatMap(({ mine }, block) => named("person", mine, block)),
    theirs: tables.flatMap(({ theirs }, block) => named("who", theirs, block)),
  };
}

/**
 * As `joinNeighbours`, with one statement a statistic for the tables of 50 pairs, measured by block: people live in one block only, so
 * its sensitivity is that of a plan without blocks [M195]. Trino takes half a second of the processor to plan a statement.
 */
export function joinBlocks({ under }: Bench, { rounds, share }: { readonly rounds: number; readonly share: number }) {
  const pairs = rounds * BLOCKS;
  test(`${pairs} pairs of neighbours, measured by block, are no further apart than declared`, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(pair, { minLength: BLOCKS, maxLength: BLOCKS }),
        contribution,
        fc.constantFrom([], ["region"], ["member"], ["code"], ["code", "region"]),
        fc.constantFrom(undefined, "age > 3", "not pay < 0 or member is null"),
        fc.constantFrom(...Object.values(joins)),
        fc.nat({ max: share - 1 }),
        async (pairs, bound, groups, where, taken, part) => {
          const asked = everyStatistic(["block"], where).filter((_, index) => index % share === part);
          const planBy = (groupBy: readonly string[]): Plan => ({
            join: { dataset: "visits", on: "person", columns: taken },
            statistics: asked.map((each) => ({ ...each, groupBy })),
          });
          const unit = { privacyUnit: { column: "person" }, contribution: bound };
          const declare = async (tables: readonly Tables[], adjacency = "addRemove") =>
            declared(under(), together(tables), { ...unit, adjacency });
          const before = await declare(pairs.map(([here]) => here));
          const after = await declare(pairs.map(([, there]) => there));
          const [here] = await measureJoin(under(), planBy(["block", ...groups]), before);
          const [there] = await measureJoin(under(), planBy(["block", ...groups]), after);
          const alone = {
            addRemove: boundPlan(planBy(groups), before).statistics,
            replace: boundPlan(planBy(groups), await declare([], "replace")).statistics,
          };
          for (const [block, [, , adjacency]] of pairs.entries()) {
            compared += 1;
            for (const [index, statistic] of alone[adjacency].entries()) {
              const integersOf = (vector: readonly bigint[] = []): readonly bigint[] => {
                const size = vector.length / BLOCKS;
                return released(statistic, vector.slice(block * size, (block + 1) * size));
              };
              const apart = distance(integersOf(here[index]), integersOf(there[index]));
              const what = `${adjacency}, ${statistic.label}: ${Object.values(apart)}`;
              expect(within(apart, statistic.sensitivity), what).toBe(true);
            }
          }
        },
      ),
      // Fewer than 50 pairs make no simpler case.
      { numRuns: rounds, endOnFailure: true },
    );
    expect(compared).toBe(pairs);
  });
}
