import fc from "fast-check";
import { expect, test } from "vitest";
import { madeUpColumns, questions, wholeQuestions } from "../../../query/src/audit/people.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Measured } from "../../../query/src/plan/engine.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { type EngineUnderTest, measure, type Row } from "./under-test.kit.ts";

const texts = { person: "VARCHAR", region: "VARCHAR", word: "VARCHAR" } as const;
const stored = { ...texts, block: "BIGINT", age: "BIGINT", pay: "DOUBLE", member: "BOOLEAN" } as const;

const row: fc.Arbitrary<Row> = fc.record({
  person: fc.constantFrom("p1", "p2", "é", "e\u0301", "P1", null),
  region: fc.constantFrom("a", "b", "c", "d", "zz", null),
  age: fc.oneof(fc.integer({ min: -3, max: 14 }), fc.constantFrom(null, 2 ** 53)),
  pay: fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(null, Number.NaN, 0.1 + 0.2, -0, 5e-324, Infinity, 2.25)),
  member: fc.constantFrom(true, false, null),
});

/** The exact integers of a plan over made-up people. */
export async function ofMadeUp(
  under: EngineUnderTest,
  rows: readonly Row[],
  plan: Plan,
  more: object,
): Promise<Measured> {
  const source = await under.store(stored, rows);
  return measure(under.engine, plan, checkDeclaration({ name: "t", source, columns: madeUpColumns, ...more }));
}

export const people = (contribution: object): object => ({ privacyUnit: { column: "person" }, contribution });

/** Tests that two engines keep the same rows and give the same integers. One of `parts` of the questions is asked of each table. */
export function sameIntegersKit(
  opened: () => readonly [EngineUnderTest, EngineUnderTest],
  { runs, parts }: { readonly runs: number; readonly parts: number },
): void {
  test("give the same integers for the same plan, bit for bit", async () => {
    const bounds = fc.constantFrom(
      { rows: 1 },
      { rows: 3 },
      { rows: 20 },
      { groups: 2, rowsPerGroup: 1 },
      { rows: 3, groups: 2, rowsPerGroup: 2 },
    );
    const plans = fc.record({
      groupBy: fc.constantFrom([], ["region"], ["region", "member"]),
      where: fc.constantFrom(undefined, "pay >= 0.3 and not age = 4", "region in ('a', 'b') or member is null"),
      part: fc.nat({ max: parts - 1 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40 }),
        bounds,
        plans,
        async (rows, contribution, { groupBy, where, part }) => {
          const [one, other] = opened();
          const asked = [...questions(groupBy, where), ...(groupBy.length === 0 ? wholeQuestions(where) : [])];
          const plan = { statistics: asked.filter((_, at) => at % parts === part) };
          const here = await ofMadeUp(one, rows, plan, people(contribution));
          expect(await ofMadeUp(other, rows.toReversed(), plan, people(contribution))).toEqual(here);
        },
      ),
      { numRuns: runs },
    );
  });
}
