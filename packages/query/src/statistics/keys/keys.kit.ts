import { Exact } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import { seededRandom } from "@dosimeter/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EngineUnderTest, Row, Stored } from "../../../../engines/src/engine/under-test.kit.ts";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { Declaration } from "../../declaration/declaration.ts";
import type { Key } from "../../declaration/key.ts";
import type { BoundedPlan } from "../../plan/bounded.ts";
import type { MeasuredVector } from "../../plan/engine.ts";
import { levelsOf } from "../../plan/task.kit.ts";
import { statisticNames, statisticOf } from "../registry.ts";
import type { Plan, StatisticRequest } from "../request.ts";

const SALT = "6b".repeat(32);
const stored = { person: "VARCHAR", word: "VARCHAR", code: "BIGINT", pay: "BIGINT", member: "BOOLEAN" } as const;
const columns = {
  person: { type: "text" },
  word: { type: "text" },
  code: { type: "integer" },
  pay: { type: "integer", lower: -4, upper: 6 },
  member: { type: "boolean" },
};
const odd = "it's; DROP TABLE t;--";
const price = { epsilon: 1, delta: 1e-6, keys: "select" } as const;

/** A request for every statistic of one column, by selected keys. */
const requests = (by: "word" | "code" | "member"): readonly StatisticRequest[] =>
  statisticNames.flatMap((statistic) => {
    const { audit, column: reads } = statisticOf(statistic);
    const byKey = reads === "key";
    // Columns of this table in place of those that the registry names.
    const here = { age: "pay", pay: "pay", region: reads === "any" ? "word" : "member", word: by } as const;
    // The values of a boolean are declared: its most frequent ones are not found.
    if (byKey && by === "member" && statisticOf(statistic).declaredKeys === true) return [];
    return audit.flatMap(({ asked: { column, bins, with: others, ...asked }, by: compared, price }) =>
      compared === "alone" || others !== undefined
        ? []
        : [
            {
              statistic,
              ...asked,
              ...(column === undefined ? {} : { column: here[column] }),
              ...(bins === undefined ? {} : { bins: bins.length - 1 }),
              ...(byKey ? {} : { groupBy: [by], keys: "select" as const }),
              ...(price ?? { epsilon: 1 }),
              delta: 1e-6,
            },
          ],
    );
  });

/** For each key its units and its integers. */
const byKey = (vector: MeasuredVector): ReadonlyMap<Key, readonly bigint[]> =>
  new Map(vector.found?.map((key, at) => [key, [vector[at] ?? 0n, ...(vector.cellsOf?.(at) ?? [])]]));

/**
 * Tests selected keys: they have the sensitivities of declared ones, and a unit has at most the keys that its bounds
 * allow [M112–M114].
 */
export function keyKit(under: () => EngineUnderTest, { pairs }: { readonly pairs: number }): void {
  const exactly = async (
    rows: readonly Row[],
    plan: Plan,
    more: object,
  ): Promise<[readonly MeasuredVector[], BoundedPlan]> => {
    const declaration = await declare(rows, more);
    const version = await under().engine.check(declaration, { salt: SALT });
    const bounded = boundPlan(plan, declaration);
    return [reveal(await under().engine.run(bounded, version)), bounded];
  };
  const declare = async (rows: readonly Row[], more: object): Promise<Declaration> => {
    const types: Readonly<Record<string, Stored>> = stored;
    return checkDeclaration({
      name: "t",
      source: await under().store(types, rows),
      privacyUnit: "row",
      columns,
      ...more,
    });
  };
  const row = (person: fc.Arbitrary<string | null>): fc.Arbitrary<Row> =>
    fc.record({
      person,
      word: fc.constantFrom("a", "b", "ä", "a\u0308", odd, "", null),
      code: fc.constantFrom(-7, 0, 12, 2 ** 40, -(2 ** 40), "9223372036854775807", "-9223372036854775808", null),
      pay: fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(null)),
      member: fc.constantFrom(true, false, null),
    });

  describe("undeclared keys", () => {
    test("removing a unit moves no key further than declared, and no more keys than declared", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(row(fc.constantFrom("p1", "p2", "p3", null)), { maxLength: 20 }),
          fc.constantFrom("word", "code", "member"),
          fc.oneof(
            fc.record({ rows: fc.integer({ min: 1, max: 4 }) }),
            fc.record({ groups: fc.integer({ min: 1, max: 2 }), rowsPerGroup: fc.integer({ min: 1, max: 3 }) }),
            fc.record({ rows: fc.integer({ min: 1, max: 5 }), groups: fc.integer({ min: 1, max: 2 }) }),
          ),
          async (rows, by, contribution) => {
            const unit = { privacyUnit: { column: "person" }, contribution };
            const plan = { statistics: requests(by) };
            const [before, bounded] = await exactly(rows, plan, unit);
            for (const person of ["p1", "p2", "p3"]) {
              const [without] = await exactly(
                rows.filter((each) => each.person !== person),
                plan,
                unit,
              );
              bounded.statistics.forEach((statistic, index) => {
                const [here, there] = [before, without].map((all) => byKey(all[index] ?? []));
                let [changes, l1] = [0, 0n];
                for (const key of new Set([...(here?.keys() ?? []), ...(there?.keys() ?? [])])) {
                  const [a = [], b = []] = [here?.get(key), there?.get(key)];
                  const moved = Array.from(
                    { length: Math.max(a.length, b.length) },
                    (_, i) => (a[i] ?? 0n) - (b[i] ?? 0n),
                  );
                  const [units = 0n, ...rest] = moved;
                  expect(units === 0n || units === 1n, `${statistic.label}: ${String(key)}`).toBe(true);
                  if (units !== 0n) changes += 1;
                  else expect(rest.every((each) => each === 0n)).toBe(true);
                  l1 += rest.reduce((sum, each) => sum + (each < 0n ? -each : each), 0n);
                }
                const levels = levelsOf(statistic);
                expect(changes).toBeLessThanOrEqual(statistic.keys?.changes ?? 0);
                if (statistic.keys?.counts !== true) expect(levels * l1 <= statistic.sensitivity.l1).toBe(true);
              });
            }
          },
        ),
        { numRuns: pairs },
      );
    });

    test("a unit in many groups reaches the declared number of keys and the declared change", async () => {
      const rows = ["a", "b", "c", "d", "e"].flatMap((word) =>
        [1, 2, 3].map(() => ({ person: "p1", word, code: 1, pay: 6, member: true })),
      );
      for (const contribution of [{ rows: 4 }, { groups: 2, rowsPerGroup: 2 }, { rows: 3, groups: 3 }]) {
        const unit = { privacyUnit: { column: "person" }, contribution };
        const [measured, bounded] = await exactly(rows, { statistics: requests("word") }, unit);
        bounded.statistics.forEach((statistic, index) => {
          const found = [...byKey(measured[index] ?? []).values()];
          const l1 = found.reduce((sum, [, ...cells]) => sum + cells.reduce((a, b) => a + (b < 0n ? -b : b), 0n), 0n);
          expect(found.every(([units]) => units === 1n)).toBe(true);
          expect(found.length).toBeLessThanOrEqual(statistic.keys?.changes ?? 0);
          // Rows are not spread over groups on purpose: with rows alone a unit may fill its bound in fewer keys.
          if (statistic.contribution.bound.groups !== null && contribution.rows === undefined)
            expect(found.length).toBe(statistic.keys?.changes);
          const levels = levelsOf(statistic);
          if (statistic.keys?.counts !== true) expect(levels * l1).toBe(statistic.sensitivity.l1);
        });
      }
    });

    test("as many values as rows, and as many leaves as a choice can have: nothing fails, and none is published", async () => {
      const rows = Array.from({ length: 2100 }, (_, at) => ({
        ...{ person: `p${at}`, word: `w${at}`, code: 1, pay: at % 10, member: true },
      }));
      const asked = { column: "pay", lower: 0, upper: 65_000, granularity: 1, epsilon: 0.01 } as const;
      const [measured, bounded] = await exactly(
        rows,
        { statistics: [{ statistic: "median", ...asked, groupBy: ["word"], keys: "select", delta: 1e-6 }] },
        {},
      );
      expect(measured[0]).toHaveLength(2100);
      const [answer] = addNoise(bounded, new Exact(measured), seededRandom(2));
      expect(answer?.cells).toEqual([]);
    });

    test("case 12, 14, 30: keys are distinguished by their normal form, and travel as data", async () => {
      const rows = ["ä", "a\u0308", odd, odd, "", null].map((word, at) => ({
        person: `p${at}`,
        word,
        code: at,
        pay: 1,
        member: null,
      }));
      const [[vector = []]] = await exactly(
        rows,
        { statistics: [{ statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 }] },
        {},
      );
      const found = new Map((vector as MeasuredVector).found?.map((key, at) => [key, vector[at]]));
      expect(found.get("ä")).toBe(2n);
      expect(found.get(odd)).toBe(2n);
      expect(found.has("a\u0308")).toBe(false);
      expect([...found.keys()].every((key) => typeof key === "string")).toBe(true);
    });

    test("a table with more rows or more different values than declared is refused at registration, never when it is asked [M210]", async () => {
      const rows = [...["a", "b", "c"], "c"].map((word, at) => ({
        person: `p${at}`,
        word,
        code: at,
        pay: 1,
        member: null,
      }));
      const check = async (more: object) => under().engine.check(await declare(rows, more), { salt: SALT });
      const most = (word: number, code: number) => ({
        columns: { ...columns, word: { type: "text", mostValues: word }, code: { type: "integer", mostValues: code } },
      });
      await check({ mostRows: 4, ...most(3, 4) });
      await expect(check({ mostRows: 3 })).rejects.toMatchObject({
        code: "DATA_UNREADABLE",
        details: { name: "mostRows" },
      });
      await expect(check(most(2, 4))).rejects.toMatchObject({ details: { name: "columns.word.mostValues" } });
      await expect(check(most(3, 3))).rejects.toMatchObject({ details: { name: "columns.code.mostValues" } });
      const plan = { statistics: [{ statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 }] } as const;
      // A table that has grown since: nothing is left out, and nothing fails.
      const wide = await declare(rows, {});
      const checked = await under().engine.check(wide, { salt: SALT });
      const same = checkDeclaration({ ...wide, mostRows: 2, ...most(1, 1) });
      const [vector] = reveal(await under().engine.run(boundPlan(plan, same), checked));
      expect(vector?.found?.toSorted()).toEqual(["a", "b", "c"]);
    });

    test("a text that is longer than a key may be is in no group, by its characters and not by its bytes [M210]", async () => {
      const [most, longer] = [128, 129].map((length) => "😀".repeat(length));
      const rows = [most, most, longer, null].map((word, at) => ({
        ...{ person: `p${at}`, word: word ?? null, code: 1, pay: 1, member: null },
      }));
      const asked = { statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 } as const;
      const [[vector]] = await exactly(rows, { statistics: [asked] }, {});
      expect((vector as MeasuredVector).found).toEqual([most]);
      expect([...(vector ?? [])]).toEqual([2n]);
    });

    test("different values by undeclared keys: a limited number of each unit, over all keys [M125]", async () => {
      const rows = [
        ...[1, 2, 3, 3].map((pay) => ({ person: "p1", word: "a", code: 1, pay, member: true })),
        ...[4, 5].map((pay) => ({ person: "p1", word: "b", code: 1, pay, member: true })),
        ...[3, 3, null].map((pay) => ({ person: "p2", word: "a", code: 1, pay, member: true })),
      ];
      const unit = { privacyUnit: { column: "person" }, contribution: { rows: 1 } };
      const ask = async (column: string, valuesPerUnit: number) => {
        const request = { statistic: "distinctValues", column, valuesPerUnit, groupBy: ["word"], ...price } as const;
        const [[vector = []], { statistics }] = await exactly(rows, { statistics: [request] }, unit);
        const [statistic] = statistics;
        if (statistic === undefined) throw new Error("one statistic");
        return { cells: byKey(vector), statistic };
      };
      const all = await ask("pay", 9);
      expect([...(all.cells.get("a") ?? []), ...(all.cells.get("b") ?? [])]).toEqual([2n, 3n, 1n, 2n]);
      expect(all.statistic.keys?.changes).toBe(9);
      expect(all.statistic.sensitivity.l1).toBe(9n);
      expect((await ask("word", 5)).cells.get("a")).toEqual([2n, 1n]);
      const { cells } = await ask("pay", 2);
      const counted = [...cells.values()].reduce((sum, [, values = 0n]) => sum + values, 0n);
      expect(counted <= 3n && counted >= 2n).toBe(true); // two of the first person, and one of the second, which may be the same
    });

    test("one row's value never decides whether different values by keys are counted [M86, M125]", async () => {
      const request = { statistic: "distinctValues", valuesPerUnit: 2, groupBy: ["word"], ...price } as const;
      const unit = { privacyUnit: { column: "person" }, contribution: { rows: 3 } };
      const edges = [2 ** 32, 2 ** 36, 2 ** 40, -(2 ** 40), 2 ** 53, "9223372036854775807", "-9223372036854775808"];
      const rows = [0, ...edges].map((code, at) => ({ person: `p${at}`, word: "a", code, pay: 1, member: true }));
      const [[codes, pays]] = await exactly(
        [...rows, { person: "p0", word: "a", code: 2 ** 40, pay: 2 ** 40, member: true }],
        { statistics: ["code", "pay"].map((column) => ({ ...request, column })) },
        unit,
      );
      expect([codes, pays].map((vector) => byKey(vector ?? []).get("a"))).toEqual([
        [8n, 8n],
        [8n, 2n],
      ]);
    });

    test("undeclared groups of two columns are selected through a derived column that joins them", async () => {
      const rows = Array.from({ length: 160 }, (_, at) => ({
        person: `p${at}`,
        word: at < 150 ? (["b", "a"][at % 2] ?? "a") : `rare${at}`,
        code: at % 3 === 0 ? 12 : -7,
        pay: 2,
        member: true,
      }));
      const bounded = { ...columns, code: { type: "integer", lower: -10, upper: 2000 } };
      const request = { statistic: "mean", column: "pay", groupBy: ["pair"], ...price, epsilon: 4 } as const;
      const plan: Plan = { let: { pair: "join(word, code)" }, statistics: [request] };
      const [measured, { statistics }] = await exactly(rows, plan, { columns: bounded });
      expect(statistics[0]?.keys?.among).toBe("text");
      const declaration = await declare(rows, { columns: bounded });
      const [answer] = addNoise(boundPlan(plan, declaration), new Exact(measured), seededRandom(123));
      expect(answer?.cells.map(({ group }) => group.pair)).toEqual(["a | -7", "a | 12", "b | -7", "b | 12"]);
    });

    test("a least number of people counts different units after bounding, not rows", async () => {
      const rows = [
        ...[1, 2, 3, 4, 5].map(() => ({ person: "p1", word: "often", code: 1, pay: 1, member: true })),
        ...["p1", "p2", "p3"].map((person) => ({ person, word: "shared", code: 1, pay: 1, member: true })),
      ];
      const unit = { privacyUnit: { column: "person" }, contribution: { groups: 2, rowsPerGroup: 5 } };
      const least = { statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6, atLeast: 3 } as const;
      const [[vector]] = await exactly(rows, { statistics: [least] }, unit);
      expect((vector as MeasuredVector).found).toEqual(["shared"]);
      expect([...(vector ?? [])]).toEqual([3n]);
    });

    test("published keys are sorted and popular, and a second row can use the groups of the first", async () => {
      const rows = ["b", "a", "rare"].flatMap((word) =>
        Array.from({ length: word === "rare" ? 1 : 60 }, (_, at) => ({
          person: `${word}${at}`,
          word,
          code: 1,
          pay: 2,
          member: true,
        })),
      );
      const plan: Plan = {
        statistics: [
          { id: "words", statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 },
          { statistic: "mean", column: "pay", groupBy: ["word"], keysFrom: "words", epsilon: 1 },
          { statistic: "count", groupBy: ["word"], keysFrom: "words", where: "pay > 5", epsilon: 1 },
        ],
      };
      const [measured, bounded] = await exactly(rows, plan, {});
      const random = seededRandom(114);
      for (let i = 0; i < 20; i++) {
        const answers = addNoise(bounded, new Exact(measured), random);
        for (const { cells } of answers) expect(cells.map(({ group }) => group.word)).toEqual(["a", "b"]);
        expect(Math.abs((answers[1]?.cells[0]?.value ?? 0) - 2)).toBeLessThan(3);
        expect(Math.abs(answers[2]?.cells[0]?.value ?? 99)).toBeLessThan(30);
      }
      expect(bounded.statistics[0]?.events).toEqual([{ kind: "approximate", epsilon: "1", delta: "0.000001" }]);
      expect(bounded.statistics[1]?.events).toEqual([{ kind: "pure", epsilon: "1" }]);
    });
  });
}
