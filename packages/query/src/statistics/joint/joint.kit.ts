import fc from "fast-check";
import { expect, test } from "vitest";
import { type Bench, row } from "../../../../engines/src/engine/people.kit.ts";
import type { Cell } from "../../../../engines/src/engine/under-test.kit.ts";
import type { StatisticRequest } from "../request.ts";
import { integersOf, powersOf } from "./design.ts";

/** Both kinds of integers, of two and of three columns. */
const statistics: readonly StatisticRequest[] = [
  { statistic: "covariance", column: "pay", with: "age", epsilon: 1 },
  { statistic: "correlation", column: "age", with: ["member"], rho: 1 },
  { statistic: "regression", column: "pay", with: ["age", "member"], epsilon: 1 },
  { statistic: "regression", column: "pay", with: ["age", "member"], rho: 1 },
];

export function jointKit({ exactly }: Bench, pairs: number): void {
  test("several columns agree with a plain computation on every table [M120]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row(fc.constant("p")), { maxLength: 24 }), async (rows) => {
        const [measured, bounded] = await exactly(rows, { statistics }, {});
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
}
