import { expect, test } from "vitest";
import type { Bench } from "../../../../engines/src/engine/people.kit.ts";
import type { Row } from "../../../../engines/src/engine/under-test.kit.ts";

export function lossesKit({ exactly }: Bench): void {
  test("values outside the bounds, and people over the row limit [M125]", async () => {
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
}
