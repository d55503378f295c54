import { expect, test } from "vitest";
import type { Bench } from "../../../../engines/src/engine/people.kit.ts";
import type { Row } from "../../../../engines/src/engine/under-test.kit.ts";
import type { Plan } from "../request.ts";

export function sumsKit({ exactly }: Bench): void {
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
}
