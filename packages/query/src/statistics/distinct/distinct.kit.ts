import { expect, test } from "vitest";
import type { Bench } from "../../../../engines/src/engine/people.kit.ts";

export function distinctKit({ exactly }: Bench): void {
  test("distinct values: a limited number of each unit, missing ones never [M125]", async () => {
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
    const ask = async (column: string, valuesPerUnit: number, more: object): Promise<readonly bigint[] | undefined> => {
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
}
