import { reveal } from "@dosimeter/core/exact";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, everyStatistic, within } from "../../../engines/src/engine/neighbours.kit.ts";
import { type Bench, columns, contribution, row } from "../../../engines/src/engine/people.kit.ts";
import { type EngineUnderTest, type Row, SALT } from "../../../engines/src/engine/under-test.kit.ts";
import { notesOf } from "../answer/notes.ts";
import { released } from "../audit/fuzz.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Declaration } from "../declaration/declaration.ts";
import type { JoinedColumn, JoinRequest } from "../declaration/join-type.ts";
import type { BoundedPlan } from "../plan/bounded.ts";
import type { Measured } from "../plan/engine.ts";
import type { Plan, StatisticRequest } from "../statistics/request.ts";
import { takeNames } from "./taken.ts";

/** The other table of the same people: other names for the person and what is there. */
const otherColumns = {
  who: { type: "text" },
  area: { type: "category", categories: ["a", "b", "c", "d"] },
  points: { type: "integer", lower: -2, upper: 9 },
  cost: { type: "number", lower: -4, upper: 6, granularity: 0.5 },
  fee: { type: "decimal", scale: 2, lower: 0, upper: 5, granularity: 0.25 },
  ill: { type: "boolean" },
  on: { type: "date", lower: "2020-02-24", upper: "2020-03-05" },
  moment: columns.at,
  word: { type: "text" },
  tenth: { type: "number", lower: 0, upper: 1, granularity: 0.1 },
  loose: { type: "number" },
};
const otherStored = {
  who: "VARCHAR",
  area: "VARCHAR",
  points: "BIGINT",
  cost: "DOUBLE",
  fee: "DECIMAL(18, 6)",
  ill: "BOOLEAN",
  on: "DATE",
  moment: "TIMESTAMPTZ",
  word: "VARCHAR",
  tenth: "DOUBLE",
  loose: "DOUBLE",
} as const;

const SECOND_SALT = "a7".repeat(32);

/** Everything that can be taken, under the names and types that the kit's questions are about: region, age, pay, member, seen. */
export const joins: Readonly<Record<string, JoinRequest["columns"]>> = {
  "one row": { region: "area", age: "points", pay: "cost", member: "ill", seen: "on", at: "moment", word: "word" },
  "all rows": {
    region: { take: "first", column: "area", by: "on" },
    age: { take: "count", where: "points > 1", lower: 0, upper: 10 },
    pay: { take: "sum", column: "cost", lower: -4, upper: 6 },
    member: { take: "any", where: "ill = true" },
    seen: { take: "min", column: "on" },
    at: { take: "max", column: "moment" },
    word: { take: "last", column: "word", by: "points" },
  },
  "all rows, otherwise": {
    region: { take: "last", column: "area", by: "cost", where: "points > 0" },
    age: { take: "sum", column: "points", lower: 0, upper: 10, where: "ill = true or area is null" },
    pay: { take: "max", column: "cost" },
    member: { take: "first", column: "ill", by: "points" },
    seen: { take: "max", column: "on", where: "points < 5" },
    at: { take: "min", column: "moment", where: "points > 0" },
    word: { take: "first", column: "word", by: "on" },
  },
};

export interface Tables {
  readonly mine: readonly Row[];
  readonly theirs: readonly Row[];
}

export const otherRow = (person: fc.Arbitrary<string | null>): fc.Arbitrary<Row> =>
  fc
    .record({ first: row(person), word: fc.constantFrom("x", "y", "é", "e\u0301", "", null) })
    .map(({ first, word }) => ({
      who: first.person ?? null,
      area: first.region ?? null,
      points: first.age ?? null,
      cost: first.pay ?? null,
      fee: first.age ?? null,
      ill: first.member ?? null,
      on: first.seen ?? null,
      moment: first.at ?? null,
      word,
    }));

/** Small tables in one, each with people of its own. */
export const BLOCKS = 50;

/** The first table has the person and codes only, so that every question is about what was joined. */
const mineOf = {
  person: columns.person,
  code: { type: "integer", lower: 0, upper: 3 },
  block: { type: "integer", lower: 0, upper: BLOCKS - 1 },
} as const;
const mineStored = { person: "VARCHAR", code: "BIGINT", block: "BIGINT" } as const;
export const mineRow = (person: fc.Arbitrary<string | null>): fc.Arbitrary<Row> =>
  fc.record({ person, code: fc.constantFrom(0, 1, 2, 3, 7, null) });

/** A declaration that may join another one, both over stored tables. */
export async function declared(under: EngineUnderTest, { mine, theirs }: Tables, more: object): Promise<Declaration> {
  const [source, otherSource] = [await under.store(mineStored, mine), await under.store(otherStored, theirs)];
  const { adjacency = "addRemove" } = more as { adjacency?: string };
  const other = checkDeclaration({
    ...{ name: "visits", source: otherSource, privacyUnit: { column: "who" }, adjacency },
    ...{ contribution: { rows: 3 }, columns: otherColumns },
  });
  const declaration = checkDeclaration({ name: "people", source, columns: mineOf, ...more });
  return { ...declaration, joinable: { visits: { version: 2, declaration: other } } };
}

/** The integers of a plan before any noise, each table with a salt of its own. */
export async function measureJoin(
  { engine }: EngineUnderTest,
  plan: Plan,
  declaration: Declaration,
): Promise<[Measured, BoundedPlan]> {
  const bounded = boundPlan(plan, declaration);
  const version = await engine.check(declaration, { salt: SALT });
  const { joined } = bounded.declaration;
  const other = joined === undefined ? {} : { joined: await engine.check(joined.declaration, { salt: SECOND_SALT }) };
  return [reveal(await engine.run(bounded, { ...version, ...other })), bounded];
}

/** Questions about undeclared values of a joined column, next to those about declared ones. */
const found = [
  { statistic: "count", groupBy: ["word"], keys: "select", delta: 1e-6, epsilon: 1 },
  { statistic: "mean", column: "pay", groupBy: ["word"], keys: "select", delta: 1e-6, epsilon: 1 },
] as const satisfies readonly StatisticRequest[];
const chosen: readonly StatisticRequest[] = [{ statistic: "count", groupBy: ["code", "region"], epsilon: 1 }];

/** Tests that a person changes completed rows as little as rows: in both tables at once, and whatever is taken [M195]. */
export function joinNeighbours(
  { under }: Bench,
  { runs, share = 4, atLeast = 1 }: { readonly runs: number; readonly share?: number; readonly atLeast?: number },
): void {
  test("removing or replacing one person in both tables moves no statistic further than declared", async () => {
    const people = fc.constantFrom("p1", "p2", "p3", "é", null);
    const one = fc.constant("p9");
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          mine: fc.array(mineRow(people), { maxLength: 14 }),
          theirs: fc.array(otherRow(people), { maxLength: 20 }),
        }),
        fc.record({
          mine: fc.array(mineRow(one), { maxLength: 4 }),
          theirs: fc.array(otherRow(one), { maxLength: 6 }),
        }),
        contribution,
        fc.constantFrom([], ["region"], ["member"], ["code"]),
        fc.constantFrom(undefined, "age > 3", "not pay < 0 or member is null"),
        fc.constantFrom(...Object.values(joins)),
        fc.nat({ max: share - 1 }),
        async (tables, arrival, bound, groupBy, where, taken, part) => {
          const asked = [...everyStatistic(groupBy, where), ...chosen];
          const statistics = asked.filter((_, index) => index % share === part);
          const plan: Plan = { join: { dataset: "visits", on: "person", columns: taken }, statistics };
          const unit = { privacyUnit: { column: "person" }, contribution: bound };
          const exactly = async (rows: Tables, adjacency = "addRemove") =>
            measureJoin(under(), plan, await declared(under(), rows, { ...unit, adjacency }));
          const [before, added] = await exactly(tables);
          const swappedIn = boundPlan(
            plan,
            await declared(under(), { mine: [], theirs: [] }, { ...unit, adjacency: "replace" }),
          );
          const compare = (name: string, one: Measured, other: Measured, { statistics }: BoundedPlan): void => {
            compared += 1;
            statistics.forEach((statistic, index) => {
              const apart = distance(released(statistic, one[index]), released(statistic, other[index]));
              expect(within(apart, statistic.sensitivity), `${name}, ${statistic.label}: ${Object.values(apart)}`).toBe(
                true,
              );
            });
          };
          const present = new Set([...tables.mine.map((r) => r.person), ...tables.theirs.map((r) => r.who)]);
          const earlier: { readonly without: Measured; readonly replaced: Measured }[] = [];
          for (const person of present) {
            if (person === null || person === undefined) continue;
            const rest = {
              mine: tables.mine.filter((r) => r.person !== person),
              theirs: tables.theirs.filter((r) => r.who !== person),
            };
            const [without] = await exactly(rest);
            const [replaced] = await exactly({
              mine: [...rest.mine, ...arrival.mine],
              theirs: [...rest.theirs, ...arrival.theirs],
            });
            compare("removed", before, without, added);
            compare("replaced", before, replaced, swappedIn);
            compare("arrived", without, replaced, added);
            // Without one person and without another: a replacement too, with and without the arrival.
            for (const other of earlier) {
              compare("one or another", other.without, without, swappedIn);
              compare("one or another, with an arrival", other.replaced, replaced, swappedIn);
            }
            earlier.push({ without, replaced });
          }
        },
      ),
      { numRuns: runs },
    );
    expect(compared).toBeGreaterThanOrEqual(atLeast);
  });
}

/** The specification of a join by person. */
export function joinKit(bench: Bench, { pairs }: { readonly pairs: number }): void {
  const { under } = bench;
  describe("joins by person [M195]", () => {
    if (pairs > 0) joinNeighbours(bench, { runs: pairs });

    test("what is taken of a person's rows is what it says", async () => {
      const visit = (who: string | null, points: number, cost: number, on: string, more: Row = {}): Row => ({
        ...{ who, area: "a", points, cost, fee: 2.5, ill: false, on, word: "x" },
        ...more,
      });
      const theirs = [
        visit("p1", 5, 1, "2020-02-25", { area: "b", word: "z" }),
        visit("p1", 1, 2.5, "2020-02-24", { area: "c", ill: true }),
        visit("p1", 9, 99, "2020-03-01", { area: "d", fee: 5 }),
        visit("p2", 2, -1, "2020-02-26"),
        visit(null, 9, 6, "2020-02-24"),
      ];
      const mine = ["p1", "p2", "p3"].map((person) => ({ person, code: 1 }));
      const read = async (columns: JoinRequest["columns"], statistic: StatisticRequest) => {
        const unit = { privacyUnit: { column: "person" }, contribution: { rows: 1 } };
        const plan: Plan = { join: { dataset: "visits", columns }, statistics: [statistic] };
        const [[vector = []]] = await measureJoin(under(), plan, await declared(under(), { mine, theirs }, unit));
        return [...vector].map(Number);
      };
      const count = { statistic: "count", epsilon: 1 } as const;
      const byRegion = { ...count, groupBy: ["x"] };
      expect(await read({ x: { take: "count", lower: 0, upper: 3 } }, byRegion)).toEqual([1, 1, 0, 1]);
      expect(await read({ x: { take: "count", where: "points > 1", lower: 0, upper: 3 } }, byRegion)).toEqual([
        1, 1, 1, 0,
      ]);
      expect(await read({ x: { take: "any", where: "ill = true" } }, byRegion)).toEqual([2, 1]);
      expect(await read({ x: { take: "first", column: "area", by: "on" } }, byRegion)).toEqual([1, 0, 1, 0]);
      expect(await read({ x: { take: "last", column: "area", by: "points" } }, byRegion)).toEqual([1, 0, 0, 1]);
      expect(await read({ x: { take: "first", column: "ill", by: "cost" } }, byRegion)).toEqual([2, 0]);
      // Each visit's cost is clamped to 6 and the total to 8: 1 + 2.5 + 6 is 8, −1 counts, and who has no visits has 0.
      const total = { take: "sum", column: "cost", lower: -2, upper: 8 } as const;
      const sum = { statistic: "sum", column: "x", epsilon: 1 } as const;
      expect(await read({ x: total }, sum)).toEqual([2 * (8 - 1)]);
      expect(await read({ x: { take: "sum", column: "points", lower: 0, upper: 20 } }, sum)).toEqual([17]);
      expect(await read({ x: total }, { ...count, where: "x = -1" })).toEqual([1]);
      expect(await read({ x: { take: "min", column: "on" } }, { ...count, where: "x = '2020-02-24'" })).toEqual([1]);
      expect(await read({ x: { take: "max", column: "on" } }, { ...count, where: "x is null" })).toEqual([1]);
      expect(await read({ x: { take: "max", column: "cost" } }, { ...count, where: "x > 6" })).toEqual([1]);
      const fees = { take: "sum", column: "fee", lower: 0, upper: 20 } as const;
      expect(await read({ x: fees }, { ...count, where: "x = 10" })).toEqual([1]);
      expect(await read({ x: { take: "max", column: "fee" } }, { ...count, where: "x = 2.5" })).toEqual([1]);
      // Decimals in filters of the other table.
      expect(await read({ x: { take: "count", where: "fee > 2.5", upper: 3 } }, byRegion)).toEqual([2, 1, 0, 0]);
      expect(await read({ x: { take: "any", where: "fee > 4.5" } }, byRegion)).toEqual([2, 1]);
      expect(await read({ x: { ...fees, where: "fee <= 2.5" } }, { ...count, where: "x = 5" })).toEqual([1]);
      expect(takeNames).toHaveLength(8);
    });

    test("names of columns that the SQL uses itself change nothing", async () => {
      const people = Array.from({ length: 12 }, (_, index) => `p${index}`);
      const theirs = people.flatMap((who, at) =>
        [0, 1, 2, 3].map((index) => ({
          ...{ who, area: "a", points: (at + index * (1 + (at % 2))) % 8, cost: 1, fee: 1, ill: true, word: "x" },
          on: `2020-02-2${4 + index}`,
        })),
      );
      const mine = [...people, "p99"].map((person) => ({ person, code: 1 }));
      const unit = { privacyUnit: { column: "person" }, contribution: { rows: 5 } };
      const declaration = await declared(under(), { mine, theirs }, unit);
      const measured = async (names: readonly string[], taken: string | JoinedColumn) => {
        const columns = Object.fromEntries(names.map((name) => [name, taken]));
        const statistics: readonly StatisticRequest[] = names.map((column, index) => ({
          ...{ id: `s${index}`, statistic: "count", groupBy: [column], epsilon: 1 },
          where: { op: ">=", column, value: 0 },
        }));
        const [vectors] = await measureJoin(under(), { join: { dataset: "visits", columns }, statistics }, declaration);
        return vectors.map((vector) => [...vector].map(Number));
      };
      for (const taken of [
        "points",
        { take: "count", where: "points > 3", lower: 0, upper: 9 },
        { take: "max", column: "points" },
        { take: "first", column: "points", by: "on" },
      ] as const)
        for (const names of [["u", "n", "o0", "h0", "o0_1", "x0", "b"], ["v", "p", "k", "c0", "c1", "r0"], ["U"]]) {
          const found = await measured(names, taken);
          // The prefix keeps the order of the names, and so the row that is chosen.
          const plain = names.map((name) => `column ${name}`);
          expect(found, `${names}`).toEqual(await measured(plain, taken));
          const partners = typeof taken === "object" && taken.take === "count" ? 13 : 12;
          for (const vector of found) expect(vector.reduce((a, b) => a + b, 0)).toBe(partners);
        }
    });

    test("names of stored columns that the SQL uses itself change nothing either", async () => {
      const names = ["u", "n", "o0", "h0", "o0_1", "x0", "b", "v", "p", "k", "c0", "s", "t", "l", "r0", "j", "m", "e"];
      const people = Array.from({ length: 12 }, (_, index) => `p${index}`);
      const integer = { type: "integer", lower: 0, upper: 30 };
      const measured = async (name: (short: string) => string) => {
        const typesOf = <T>(type: T) => Object.fromEntries(names.map((short) => [name(short), type]));
        const numbers = (from: number): Row =>
          Object.fromEntries(names.map((short, at) => [name(short), (from * (at + 3)) % 31]));
        const theirs = people.flatMap((who, at) => [1, 2, 3].map((index) => ({ who, ...numbers(at * 3 + index) })));
        const mine = people.map((person, at) => ({ person, ...numbers(at) }));
        const contribution = { rows: 1 };
        const other = checkDeclaration({
          ...{ name: "visits", source: await under().store({ who: "VARCHAR", ...typesOf("BIGINT" as const) }, theirs) },
          ...{ privacyUnit: { column: "who" }, contribution, columns: { who: { type: "text" }, ...typesOf(integer) } },
        });
        const own = checkDeclaration({
          name: "people",
          source: await under().store({ person: "VARCHAR", ...typesOf("BIGINT" as const) }, mine),
          ...{ privacyUnit: { column: "person" }, contribution },
          columns: { person: { type: "text" }, ...typesOf(integer) },
        });
        const declaration = { ...own, joinable: { visits: { version: 2, declaration: other } } };
        const at = (index: number): string => name(names[index % names.length] ?? "");
        const where = (column: string) => ({ op: ">", column, value: 15 }) as const;
        const columns = Object.fromEntries(
          names.flatMap((_, index): [string, JoinedColumn][] => [
            [`one ${index}`, { take: "one", column: at(index) }],
            index % 2 === 0
              ? [`count ${index}`, { take: "count", where: where(at(index)), lower: 0, upper: 3 }]
              : [`sum ${index}`, { take: "sum", column: at(index), where: where(at(index + 1)), lower: 0, upper: 90 }],
            ...(index % 3 === 0
              ? [[`last ${index}`, { take: "last", column: at(index), by: at(index + 1) }] as [string, JoinedColumn]]
              : []),
          ]),
        );
        // All columns of one row are chosen together: two of them stand for the others.
        const asked = Object.keys(columns).filter((column, index) => !column.startsWith("one") || index < 4);
        const statistics = asked.map((column, index) => ({
          ...{ id: `s${index}`, statistic: "sum" as const, column, lower: 0, upper: 90, epsilon: 0.1 },
          where: { op: ">", column: at(index), value: 3 } as const,
        }));
        const [vectors] = await measureJoin(under(), { join: { dataset: "visits", columns }, statistics }, declaration);
        return vectors.map((vector) => [...vector].map(Number));
      };
      const found = await measured((short) => short);
      expect(found.filter(([total]) => total !== 0).length).toBeGreaterThan(found.length / 2);
      expect(found).toEqual(await measured((short) => `column ${short}`));
    });

    test("of several rows of a person one is taken, with all its values, and any of them as often as the others", async () => {
      const people = Array.from({ length: 400 }, (_, index) => `p${index}`);
      const theirs = people.flatMap((who) =>
        ["a", "b", "c", "d"].map((area, at) => ({
          who,
          area,
          points: at,
          cost: at,
          ill: at % 2 === 0,
          on: "2020-02-24",
          word: `w${at}`,
        })),
      );
      const mine = people.map((person) => ({ person, code: 0 }));
      const unit = { privacyUnit: { column: "person" }, contribution: { rows: 9 } };
      const declaration = await declared(under(), { mine, theirs }, unit);
      const joined = { area: "area", points: "points", cost: "cost", ill: "ill", on: "on", word: "word" };
      const statistics: readonly StatisticRequest[] = [
        { statistic: "count", groupBy: ["area"], epsilon: 1 },
        {
          statistic: "count",
          where: "(area = 'b' and (points != 1 or cost != 1 or ill = true or word != 'w1'))",
          epsilon: 1,
        },
      ];
      const [[byArea = [], mixed], bounded] = await measureJoin(
        under(),
        { join: { dataset: "visits", columns: joined }, statistics },
        declaration,
      );
      expect(mixed).toEqual([0n]);
      // A second row of the other table adds nothing: as many rows as without the join.
      expect(byArea.reduce((a, b) => a + b, 0n)).toBe(400n);
      expect(notesOf(bounded.statistics[0] as never, [], 0.05)[0]).toBe(
        "Of a person with several rows in the joined table, one drawn at random gives area and points and cost and ill and on and word; of one without a row there it is missing.",
      );
      for (const chosen of byArea) expect(Math.abs(Number(chosen) - 100)).toBeLessThan(45); // 5 σ
    });

    test("of fractional numbers any is taken as often as the others, and tenths are summed in tenths", async () => {
      const people = Array.from({ length: 400 }, (_, index) => `p${index}`);
      const theirs = people.flatMap((who) =>
        [0.1, 0.2, 0.3, 0.7].map((tenth, at) => ({
          ...{ who, area: "a", points: at, cost: 1, fee: 1, ill: true, on: null, word: "x" },
          ...{ tenth, loose: tenth === 0.7 ? Number.MAX_VALUE : tenth / 100 },
        })),
      );
      const mine = people.map((person) => ({ person, code: 0 }));
      const unit = { privacyUnit: { column: "person" }, contribution: { rows: 1 } };
      const declaration = await declared(under(), { mine, theirs }, unit);
      const asked = async (taken: string | JoinedColumn, edges: readonly number[]) => {
        const statistics: readonly StatisticRequest[] = edges.map((value, index) => ({
          ...{ id: `s${index}`, statistic: "count", epsilon: 1 },
          where: { op: "=", column: "x", value },
        }));
        const plan: Plan = { join: { dataset: "visits", columns: { x: taken } }, statistics };
        const [counts] = await measureJoin(under(), plan, declaration);
        return counts.map(([rows]) => Number(rows));
      };
      for (const taken of [await asked("tenth", [0.1, 0.2, 0.3, 0.7]), await asked("loose", [0.001, 0.002, 0.003])])
        for (const rows of taken) expect(Math.abs(rows - 100), `${taken}`).toBeLessThan(45); // 5 σ
      expect(await asked({ take: "sum", column: "tenth", lower: 0, upper: 2 }, [1.3])).toEqual([400]);
      const columns = { x: { take: "sum", column: "tenth", lower: 0, upper: 2 } } as const;
      const total: Plan = {
        join: { dataset: "visits", columns },
        statistics: [{ statistic: "sum", column: "x", epsilon: 1 }],
      };
      const [[tenths]] = await measureJoin(under(), total, declaration);
      expect([...(tenths ?? [])]).toEqual([400n * 13n]);
    });

    test("a sample by chance takes whole people, completed as without it", async () => {
      const people = Array.from({ length: 400 }, (_, index) => `p${index}`);
      const visit = { area: "a", points: 1, cost: 1, fee: 1, ill: true, on: null, word: "x" };
      const theirs = people.flatMap((who) => [visit, visit, visit].map((one) => ({ who, ...one })));
      const mine = people.flatMap((person) => [0, 1].map((code) => ({ person, code })));
      const unit = { privacyUnit: { column: "person" }, contribution: { rows: 2 } };
      const declaration = await declared(under(), { mine, theirs }, unit);
      const columns = { u: { take: "count", lower: 0, upper: 5 } } as const;
      const plan: Plan = {
        ...{ join: { dataset: "visits", columns }, sample: { rate: "0.5" } },
        statistics: [
          { statistic: "count", groupBy: ["u"], epsilon: 1 },
          { statistic: "count", epsilon: 1 },
        ],
      };
      const [[byNumber = [], plain = []]] = await measureJoin(under(), plan, declaration);
      const [sampled = 0, all = 0] = [byNumber[3], plain[0]].map(Number);
      expect([...byNumber].map(Number)).toEqual([0, 0, 0, sampled, 0, 0]);
      for (const rows of [sampled, all]) {
        expect(rows % 2).toBe(0);
        expect(Math.abs(rows / 2 - 200)).toBeLessThan(60); // 6 σ
      }
    });

    test("questions about undeclared values of the other table, and the same integers without the join", async () => {
      const mine = [1, 2, 3].map((at) => ({ person: `p${at}`, code: at % 2 }));
      const theirs = [1, 2].map((at) => ({
        who: `p${at}`,
        area: "a",
        points: 1,
        cost: 1,
        ill: true,
        on: null,
        word: "x",
      }));
      const unit = { privacyUnit: { column: "person" }, contribution: { rows: 1 } };
      const declaration = await declared(under(), { mine, theirs }, unit);
      const columns = joins["one row"] ?? {};
      const own: StatisticRequest = { statistic: "count", groupBy: ["code"], epsilon: 1 };
      const [measured, bounded] = await measureJoin(
        under(),
        {
          join: { dataset: "visits", columns },
          let: { twice: "age * 2" },
          statistics: [...found, own, { statistic: "sum", column: "twice", epsilon: 1 }],
        },
        declaration,
      );
      expect([...(measured[0] ?? [])]).toEqual([2n]);
      expect(measured[0]?.found).toEqual(["x"]);
      const [plain, unjoined] = await measureJoin(under(), { statistics: [own] }, declaration);
      expect(measured[2]).toEqual(plain[0]);
      expect(bounded.statistics[2]?.join).toBeUndefined();
      expect({ ...bounded.statistics[2], id: "s1", path: "statistics[0]" }).toEqual(unjoined.statistics[0]);
      expect(measured[3]).toEqual([4n]);
    });
  });
}
