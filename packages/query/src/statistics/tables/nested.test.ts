import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { TablesTask } from "../../plan/task.ts";
import type { StatisticRequest } from "../request.ts";
import { partIntegers, spreadsOf, tablesFrom } from "./estimate.ts";
import { levelOf, rootsOf, sharesIn } from "./levels.ts";
import { meanShares, passesOver } from "./passes.ts";
import { answeredOf, columnsIn, setOf, within } from "./sets.ts";
import { movesBy } from "./strategy.ts";
import { cpuOf, shareOf } from "./tables.kit.ts";
import { impossibleCellsOf } from "./zeros.ts";

/** Counties of states, by how many each state has. */
function nestedIn(sizes: readonly number[], more: object = {}) {
  const states = sizes.map((_, at) => `s${at}`);
  const of = Object.fromEntries(
    sizes.map((size, at) => [`s${at}`, Array.from({ length: size }, (__, n) => `s${at}c${n}`)]),
  );
  const category = { type: "category", required: true } as const;
  return checkDeclaration({
    name: "census",
    source: { csv: "census.csv" },
    privacyUnit: "row",
    columns: {
      state: { ...category, categories: states },
      // Not in the order of the states.
      county: { ...category, categories: Object.values(of).flat().toReversed(), within: { column: "state", of } },
      age: { ...category, categories: ["child", "adult", "old"] },
      married: { ...category, categories: ["no", "yes"] },
    },
    ...more,
  });
}

function taskOf(declared: ReturnType<typeof checkDeclaration>, request: Partial<StatisticRequest>): TablesTask {
  const [statistic] = boundPlan({ statistics: [{ statistic: "tables", rho: 0.5, ...request }] }, declared).statistics;
  return (statistic as BoundedStatistic<TablesTask>).task;
}

/** What an engine counts of these rows, each a cell of all finest columns together. */
function countedIn({ columns, counted }: TablesTask, cells: readonly bigint[]): readonly bigint[] {
  const roots = rootsOf(columns);
  const sizes = roots.map((at) => columns[at]?.cells ?? 1);
  return counted.flatMap((table) => {
    const found = new Array<bigint>(table.reduce((all, at) => all * (columns[at]?.cells ?? 1), 1)).fill(0n);
    cells.forEach((count, cell) => {
      let left = cell;
      const values = new Map<number, number>();
      for (const [side, at] of [...roots.entries()].toReversed()) {
        values.set(at, left % (sizes[side] ?? 1));
        left = Math.floor(left / (sizes[side] ?? 1));
      }
      const place = table.reduce((sum, at) => sum * (columns[at]?.cells ?? 1) + (values.get(at) ?? 0), 0);
      found[place] = (found[place] ?? 0n) + count;
    });
    return found;
  });
}
const leavesOf = ({ columns }: TablesTask): number =>
  rootsOf(columns).reduce((all, at) => all * (columns[at]?.cells ?? 1), 1);
const unit = (size: number, at: number, by = 1n): readonly bigint[] =>
  Array.from({ length: size }, (_, cell) => (cell === at ? by : 0n));
const without = (task: TablesTask): TablesTask => {
  const { impossible: _, ...rest } = task;
  return rest;
};

/** The variance of each cell of every table, in units of the noise: what a unit of noise on each integer moves it by. */
function variancesOf(task: TablesTask): readonly (readonly number[])[] {
  const width = partIntegers(countedIn(task, unit(leavesOf(task), 0)), task).length;
  const sums = answeredOf(task).map((_, at) => (tablesFrom(unit(width, 0, 0n), task)[at] ?? []).map(() => 0));
  for (let integer = 0; integer < width; integer++)
    tablesFrom(unit(width, integer, 10n ** 12n), task).forEach((table, at) => {
      table.forEach((value, cell) => {
        const of = sums[at] ?? [];
        of[cell] = (of[cell] ?? 0) + (value / 1e12) ** 2;
      });
    });
  return sums;
}

const EVERY = "state, county, county+age, state+age, county+age+married";
const hierarchies = [
  ["alike", [2, 2, 2], EVERY],
  ["unlike", [1, 2, 4], EVERY],
  ["one table", [3, 1, 5], "county+age"],
  ["crossed", [2, 3], "state+married, county+age"],
] as const;

describe.each(hierarchies)("counties within states, %s", (_, sizes, tables) => {
  const task = taskOf(nestedIn(sizes), { tables });
  const size = leavesOf(task);

  test("without noise every table is the sum of its rows, and no cell is of another state [M420]", () => {
    const x = Array.from({ length: size }, (__, at) => BigInt((at * at * 7 + 3 * at) % 23));
    const found = tablesFrom(partIntegers(countedIn(task, x), task), task);
    const answered = answeredOf(task);
    const table = (name: string): readonly number[] => {
      const at = answered.findIndex(
        (set) => columnsIn(set).length === 1 && task.columns[columnsIn(set)[0] ?? 0]?.name === name,
      );
      return found[at] ?? [];
    };
    const total = x.reduce((sum, each) => sum + each, 0n);
    expect(found[0]).toEqual([Number(total)]);
    const perCounty = size / (task.columns.find(({ name }) => name === "county")?.cells ?? 1);
    const counties = table("county");
    if (task.columns.at(1)?.name === "county" && task.columns.length < 4)
      counties.forEach((count, county) => {
        const rows = x.slice(county * perCounty, (county + 1) * perCounty);
        expect(count).toBeCloseTo(Number(rows.reduce((sum, each) => sum + each, 0n)), 5);
      });
    // Categories are the other way round than states: the first state's counties come last.
    const states = table("state");
    let last = counties.length;
    sizes.forEach((count, state) => {
      const own = counties.slice(last - count, last).reduce((sum, each) => sum + each, 0);
      last -= count;
      expect(states[state]).toBeCloseTo(own, 5);
    });
    expect(counties).toHaveLength(sizes.reduce((sum, each) => sum + each, 0));
  });

  test.each(["addRemove", "replace"] as const)("no neighbours are further apart: %s [M420]", (adjacency) => {
    const vectors = Array.from({ length: size }, (__, cell) => partIntegers(countedIn(task, unit(size, cell)), task));
    const square = (of: readonly bigint[]): bigint => of.reduce((sum, value) => sum + value * value, 0n);
    let most = vectors.map(square).reduce((all, each) => (each > all ? each : all));
    if (adjacency === "replace")
      for (const a of vectors)
        for (const b of vectors) {
          const apart = square(a.map((value, at) => value - (b[at] ?? 0n)));
          if (apart > most) most = apart;
        }
    const { l1, l2Squared, linf } = movesBy(task, 1, adjacency);
    expect(l2Squared >= most).toBe(true);
    // Add/remove is exact; replaced, lines of unlike length are bounded together.
    expect(Number(l2Squared) / Number(most)).toBeLessThanOrEqual(adjacency === "addRemove" ? 1 : 1.25);
    for (const vector of vectors) {
      const sizesOf = vector.map((value) => (value < 0n ? -value : value));
      expect(sizesOf.reduce((sum, value) => sum + value, 0n) <= l1).toBe(true);
      expect(sizesOf.every((value) => value <= linf)).toBe(true);
    }
  });

  test("the variance of every cell is what is said [M420]", () => {
    const found = variancesOf(task);
    spreadsOf(task).forEach(({ kinds, kindOf, squares }, at) => {
      kindOf.forEach((kind, cell) => {
        expect((kinds[kind] ?? 0) / (found[at]?.[cell] ?? 0)).toBeCloseTo(1, 4);
      });
      expect(Math.max(...kinds)).toBe(squares);
    });
  });
});

test.each(["all", "2-way", "county+age, married"])(
  "one pass over each column is the sum over all sets within a set: %s [M408]",
  (tables) => {
    const task = taskOf(nestedIn([1, 3, 2]), { with: ["county", "age", "married"], tables });
    const { columns } = task;
    const sets = answeredOf(task);
    const of = Float64Array.from(sets, (_, at) => 1 + ((at * 7) % 5));
    const passes = passesOver(sets, columns, meanShares(columns));
    const pairs = sets.flatMap((table, to) =>
      within(table, columns).map((part) => ({ to, from: sets.indexOf(part), share: shareOf(columns, table, part) })),
    );
    const [spread, gathered] = [passes.spread(of), passes.gather(of)];
    sets.forEach((_, at) => {
      const sum = (side: "to" | "from", other: "to" | "from"): number =>
        pairs.reduce((all, pair) => all + (pair[side] === at ? pair.share * (of[pair[other]] ?? 0) : 0), 0);
      expect(spread[at]).toBeCloseTo(sum("to", "from"), 12);
      expect(gathered[at]).toBeCloseTo(sum("from", "to"), 12);
    });
  },
);

test("a row of a small state pays no more than one of a large one, and lines are alike", () => {
  const { columns } = taskOf(nestedIn([1, 3, 4, 7]), { tables: "county" });
  const { lines, scale } = levelOf(columns, 1);
  expect(scale).toBe(84);
  expect(lines.map(({ cells, times }) => cells.length * Number(times))).toEqual([84, 84, 84, 84]);
});

test("never worse on average than tables that are each released alone, whatever the hierarchy [M420]", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 6 });
  const asked = fc.constantFrom("state, county", "state+age, county+age", EVERY, "county, age, county+age");
  fc.assert(
    fc.property(sizes, asked, (each, tables) => {
      fc.pre(each.some((size) => size > 1));
      const task = taskOf(nestedIn(each), { tables });
      const price = Number(movesBy(task, 1, "addRemove").l2Squared);
      const means = task.asked.map((table) => {
        const { kinds = [], kindOf = [] } = spreadsOf(task)[answeredOf(task).indexOf(setOf(table))] ?? {};
        return (price * kindOf.reduce((sum, kind) => sum + (kinds[kind] ?? 0), 0)) / kindOf.length;
      });
      // Each alone, at one part of the price: a row moves every table by 1.
      const alone = task.asked.length;
      expect(means.reduce((sum, mean) => sum + mean, 0) / alone ** 2).toBeLessThanOrEqual(1 + 1e-3);
    }),
    { numRuns: 200 },
  );
});

const child = { impossible: "age = 'child' and married = 'yes'" };
const zeroCases = [
  ["pairs", { with: ["age", "married", "county"], tables: "2-way" }],
  ["all", { with: ["age", "married", "state"], tables: "all" }],
  ["apart", { with: ["age", "married", "county"], tables: "age+married, county+age" }],
] as const;

test.each(zeroCases)(
  "cells that cannot be are 0, the others no worse and right on average: %s [M421]",
  (_, request) => {
    const task = taskOf(nestedIn([2, 1], child), request);
    const free = variancesOf(without(task));
    const found = variancesOf(task);
    let better = 0;
    answeredOf(task).forEach((table, at) => {
      impossibleCellsOf(task, table).forEach((isNever, cell) => {
        const [now = 0, before = 0] = [found[at]?.[cell], free[at]?.[cell]];
        if (isNever) expect(now).toBeLessThan(1e-9 * before);
        else {
          expect(now).toBeLessThanOrEqual(before * (1 + 1e-6));
          if (now < before * 0.99) better++;
        }
      });
    });
    expect(better).toBeGreaterThan(0);
    // The moved answers agree: rows that obey the facts come back as they are.
    const size = leavesOf(task);
    const never = impossibleCellsOf(task, setOf(rootsOf(task.columns)));
    const x = Array.from({ length: size }, (__, cell) => (never[cell] ? 0n : BigInt(3 + ((cell * 5) % 7))));
    const integers = partIntegers(countedIn(task, x), task);
    expect(tablesFrom(integers, task)).toEqual(tablesFrom(integers, without(task)));
  },
);

const stored = (fact: string, more: object, request: Partial<StatisticRequest>): TablesTask =>
  taskOf(
    checkDeclaration({
      ...{ name: "people", source: { csv: "people.csv" }, privacyUnit: "row", impossible: fact },
      columns: { old: { type: "boolean", required: true }, ...more },
    }),
    request,
  );
const ages = { age: { type: "integer", lower: 0, upper: 99, required: true } };
const colours = { colour: { type: "category", categories: ["red", "blue"] } };
const byAge = { tables: "age+old", bins: 10 } as const;

test.each([
  ["the last bin holds 120", "age between 90 and 99 and old = true", ages, byAge, undefined],
  ["the first one holds -4", "age between 0 and 9 and old = true", ages, byAge, undefined],
  ["the last bin, all of it", "age >= 90 and old = true", ages, byAge, [19]],
  ["who has no declared colour may have another one", "colour is null and old = true", colours, {}, undefined],
  ["an undeclared colour is not red", "colour != 'red' and old = true", colours, {}, [4]],
] as const)(
  "only cells that no stored value is counted in are impossible: %s [M421]",
  (_, fact, more, asked, cells) => {
    const request = { tables: "old+colour", ...asked };
    const [found] = stored(fact, more, request).impossible ?? [];
    expect(found?.cells).toEqual(cells);
  },
);

test("who has no county may have any state [M421]", () => {
  const { columns } = nestedIn([2, 1]);
  const more = {
    state: { ...columns.state, required: false },
    county: { ...columns.county, required: false },
  };
  expect(stored("state is null and old = true", more, { tables: "county+old" }).impossible).toBeUndefined();
});

test("whole numbers are none below 0, agree, and stand next to the answers, whose intervals stay [M422]", () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom("all", "2-way", "county+age, age+married"), (seed, tables) => {
      const declared = nestedIn([2, 3], child);
      const request = { statistic: "tables", rho: 0.02, with: ["age", "married", "county"], tables } as const;
      const plans = [{ ...request }, { ...request, numbers: "whole" as const }].map((each) =>
        boundPlan({ statistics: [each] }, declared),
      );
      const task = taskOf(declared, { ...request, numbers: "whole" });
      const never = impossibleCellsOf(task, setOf(rootsOf(task.columns)));
      const counts = countedIn(
        task,
        never.map((isNever, cell) => (isNever ? 0n : BigInt(cell % 4))),
      );
      const [plain, whole] = plans.map(
        (plan) => addNoise(plan, new Exact([counts]), seededRandom(seed))[0]?.cells ?? [],
      );
      expect(whole?.map(({ consistent: __, ...cell }) => cell)).toEqual(plain);
      const sums = new Map<string, number>();
      for (const { group, consistent, interval } of whole ?? []) {
        const value = consistent?.value ?? -1;
        expect(Number.isInteger(value) && value >= 0).toBe(true);
        expect(consistent?.interval).toEqual(interval);
        sums.set(JSON.stringify(Object.entries(group).sort()), value);
      }
      // Every cell is the sum of those with one value more.
      for (const { group } of whole ?? [])
        for (const name of ["age", "married", "state"]) {
          const parts = (whole ?? []).filter(
            ({ group: finer }) =>
              Object.keys(finer).length === Object.keys(group).length + 1 &&
              Object.hasOwn(finer, name) &&
              !Object.hasOwn(group, name) &&
              Object.entries(group).every(([key, value]) => finer[key] === value),
          );
          if (parts.length > 0)
            expect(parts.reduce((sum, { consistent }) => sum + (consistent?.value ?? 0), 0)).toBe(
              sums.get(JSON.stringify(Object.entries(group).sort())),
            );
        }
    }),
    { numRuns: 20 },
  );
});

test("each county says its state, and weights name either", () => {
  const declared = nestedIn([2, 1]);
  const plan = boundPlan(
    { statistics: [{ statistic: "tables", rho: 0.5, tables: "county", weights: "county = 2" }] },
    declared,
  );
  const [answer] = addNoise(plan, new Exact([[1n, 2n, 3n]]), seededRandom(1));
  expect(answer?.cells.map(({ group }) => group)).toEqual([
    {},
    ...[{ state: "s0" }, { state: "s1" }],
    ...[
      { state: "s1", county: "s1c0" },
      { state: "s0", county: "s0c1" },
      { state: "s0", county: "s0c0" },
    ],
  ]);
  expect(taskOf(declared, { tables: "state" }).columns.map(({ name }) => name)).toEqual(["state"]);
  expect(taskOf(declared, { tables: "state+county, state" }).asked).toEqual([[0], [1]]);
});

test("one state that every county lies in is left out, and refused where it is named", () => {
  const alone = nestedIn([3]);
  expect(taskOf(alone, { tables: "county+age" }).columns.map(({ name }) => name)).toEqual(["county", "age"]);
  const { columns, name } = alone;
  const some = checkDeclaration({
    ...{ name, source: { csv: "census.csv" }, privacyUnit: "row" },
    columns: { ...columns, state: { ...columns.state, required: false } },
  });
  for (const declared of [alone, some])
    for (const tables of ["state, county", "county, state", "state+age, county"])
      expect(() => taskOf(declared, { tables })).toThrow(
        /with\[\d\] is "state", must be a column of at least two values/,
      );
});

test.each([[[1, 82]], [[1, 3, 40]], [[5, 5]]])(
  "the worst cell of no table is worse than where each is released alone, whatever the counties: %j [M411]",
  (counties) => {
    const task = taskOf(nestedIn(counties), { tables: "state, county, age, county+age", weights: "largest" });
    const price = Number(movesBy(task, 1, "addRemove").l2Squared);
    answeredOf(task).forEach((table, at) => {
      if (task.asked.some((columns) => setOf(columns) === table))
        expect(price * (spreadsOf(task)[at]?.squares ?? 0)).toBeLessThanOrEqual(4);
    });
  },
);

test("worst cells of every table of six nested columns are balanced before a page waits", () => {
  const category = { type: "category", required: true } as const;
  const pairs = Array.from({ length: 6 }, (_, at) => {
    const within = { column: `state${at}`, of: { A: ["a", "b"], B: ["c"] } };
    return {
      [`state${at}`]: { ...category, categories: ["A", "B"] },
      [`county${at}`]: { ...category, categories: ["a", "b", "c"], within },
    };
  });
  const source = { name: "six", source: { csv: "six.csv" }, privacyUnit: "row" };
  const declared = checkDeclaration({ ...source, columns: Object.assign({}, ...pairs) as object });
  // 0.3 s; with every round for every table again 2.8 s.
  expect(cpuOf(() => taskOf(declared, { tables: "all", weights: "largest" }))).toBeLessThan(1);
});

test("what noise on a level adds is worked out once, whatever the number of tables and kinds of cells", () => {
  const { columns } = taskOf(nestedIn([1, 3, 4, 7]), { tables: EVERY });
  expect(sharesIn(columns, 1, 0)).toBe(sharesIn(columns, 1, 0));
});

const refused =
  (column: object, more: object = {}) =>
  () => {
    const { columns } = nestedIn([2, 1]);
    return checkDeclaration({
      name: "census",
      source: { csv: "census.csv" },
      privacyUnit: "row",
      columns: { ...columns, county: { ...columns.county, ...column }, ...more },
    });
  };
const of = (codes: object) => ({ within: { column: "state", of: codes } });

test.each([
  ["a county in two states", of({ s0: ["s0c0", "s0c1"], s1: ["s1c0", "s0c1"] }), /s0c1 is in s0 too, and lies in one/],
  [
    "an empty state",
    of({ s0: ["s0c0", "s0c1", "s1c0"], s1: [] }),
    /each category of state, with at least one of county/,
  ],
  ["a state left out", of({ s0: ["s0c0", "s0c1", "s1c0"] }), /without s1/],
  [
    "a county left out",
    of({ s0: ["s0c0"], s1: ["s1c0"] }),
    /without s0c1.*must be a place for each category of county/,
  ],
  ["a state that is none", of({ s9: ["s0c0"] }), /must be a declared category of state/],
  ["a county that is none", of({ s0: ["s9"] }), /must be declared categories of county/],
  ["no such column", { within: { column: "nation", of: {} } }, /must be a declared category column/],
  ["itself", { within: { column: "county", of: {} } }, /is a circle/],
] as const)("a hierarchy is refused where it is declared: %s", (_, column, says) => {
  expect(refused(column)).toThrow(says);
});

test("two columns that lie within one another are a circle, also behind a third", () => {
  const { columns } = nestedIn([2, 1]);
  const state = { ...columns.state, within: { column: "county", of: {} } };
  expect(refused({}, { state })).toThrow(
    /county within state within county is a circle|state within county within state is a circle/,
  );
});

test.each([
  [{ impossible: "age = 'child'" }, /facts about two columns each/],
  [{ impossible: "age = 'child' and married = 'yes' and state = 's0'" }, /facts about two columns each/],
  [{ impossible: "nobody = 1 and married = 'yes'" }, /nobody/],
] as const)("facts that are none are refused where they are declared: %j", (more, says) => {
  expect(() => nestedIn([2, 1], more)).toThrow(says);
});
