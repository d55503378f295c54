import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import type { Bench } from "./people.kit.ts";
import { measure, type Row, SALT, type Stored } from "./under-test.kit.ts";

const BOUND = 12_345n;
const SCALE = 2;
const paid = { type: "decimal", scale: SCALE, lower: -123.45, upper: 123.45 };
const textOf = (code: bigint, scale = SCALE): string => {
  const digits = String(code < 0n ? -code : code).padStart(scale + 1, "0");
  return `${code < 0n ? "-" : ""}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`;
};
const clamped = (code: bigint): bigint => (code < -BOUND ? -BOUND : code > BOUND ? BOUND : code);
const sumOf = (codes: readonly bigint[]): bigint => codes.reduce((a, b) => a + b, 0n);

/** An engine counts decimals in whole steps of their last digit, whatever is stored [M193]. */
export function decimalsKit({ under }: Bench, pairs: number): void {
  const table = async (stored: Stored, rows: readonly Row[], column: object = paid) =>
    checkDeclaration({
      name: "t",
      source: await under().store({ d: stored }, rows),
      privacyUnit: "row",
      columns: { d: column },
    });

  describe("decimals", () => {
    test("sums, means, bins, leaves, filters and formulas are those of whole numbers of the last digit", async () => {
      const code = fc.oneof(
        fc.bigInt({ min: -BOUND, max: BOUND }),
        fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n }),
        fc.constantFrom(-BOUND, -BOUND - 1n, 0n, 1n, 10n, 29n, 5000n, BOUND, BOUND + 1n),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.option(code), { minLength: 1, maxLength: 20 }), async (drawn) => {
          const declaration = await table(
            "DECIMAL(18, 6)",
            drawn.map((each) => ({ d: each === null ? null : textOf(each) })),
          );
          const known = drawn.filter((each) => each !== null);
          const ticks = known.map(clamped);
          const edges = [-BOUND, -1n, 0n, 29n, 5000n, BOUND];
          const binOf = (each: bigint): number =>
            Math.max(
              0,
              edges.slice(0, -1).findLastIndex((edge) => each >= edge),
            );
          const width = 2n * BOUND;
          const asked: readonly [StatisticRequest, readonly bigint[]][] = [
            [{ statistic: "sum", column: "d", epsilon: 1 }, [sumOf(ticks)]],
            [
              { statistic: "mean", column: "d", epsilon: 1 },
              [sumOf(ticks.map((each) => each + BOUND)), sumOf(ticks.map((each) => width - each - BOUND))],
            ],
            [
              { statistic: "histogram", column: "d", bins: edges.map((each) => Number(each) / 100), epsilon: 1 },
              edges.slice(1).map((_, at) => BigInt(known.filter((each) => binOf(each) === at).length)),
            ],
            [
              { statistic: "clippedValues", column: "d", epsilon: 1 },
              [
                BigInt(known.filter((each) => each < -BOUND).length),
                BigInt(known.filter((each) => each >= -BOUND && each <= BOUND).length),
                BigInt(known.filter((each) => each > BOUND).length),
              ],
            ],
            [{ statistic: "distinctValues", column: "d", epsilon: 1 }, [BigInt(new Set(ticks).size)]],
            [
              { statistic: "count", where: "d < 0.29 or d between 50 and 123.45", epsilon: 1 },
              [BigInt(known.filter((each) => each < 29n || (each >= 5000n && each <= BOUND)).length)],
            ],
            [
              { statistic: "count", where: "d in (0.01, 0.1, -123.46)", epsilon: 1 },
              [BigInt(known.filter((each) => [1n, 10n, -BOUND - 1n].includes(each)).length)],
            ],
            [{ statistic: "sum", column: "twice", epsilon: 1 }, [sumOf(ticks.map((each) => 2n * each))]],
            [
              { statistic: "count", where: "above = true", epsilon: 1 },
              [BigInt(ticks.filter((each) => each > 28n).length)],
            ],
          ];
          const plan = {
            let: { twice: "d * 2", above: "d > 0.28" },
            statistics: asked.map(([request]) => request),
          };
          expect(await measure(under().engine, plan, declaration)).toEqual(asked.map(([, want]) => want));
        }),
        { numRuns: Math.max(3, pairs) },
      );
    });

    test("a coarser granularity rounds halves up, and leaves are whole steps", async () => {
      const codes = [-12_345n, -3n, 0n, 4n, 5n, 6n, 15n, 12_345n];
      const column = { ...paid, lower: -123.5, upper: 123.5, granularity: 0.1 };
      const declaration = await table(
        "DECIMAL(18, 6)",
        codes.map((each) => ({ d: textOf(each) })),
        column,
      );
      const floor = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b;
      const ticks = codes.map((each) => floor(each + 12_350n + 5n, 10n));
      const [sum, leaves = []] = await measure(
        under().engine,
        {
          statistics: [
            { statistic: "sum", column: "d", epsilon: 1 },
            { statistic: "median", column: "d", epsilon: 1 },
          ],
        },
        declaration,
      );
      expect(sum).toEqual([sumOf(ticks.map((each) => each - 1235n))]);
      expect(leaves.flatMap((count, leaf) => Array.from({ length: Number(count) }, () => BigInt(leaf)))).toEqual(
        ticks.toSorted((a, b) => Number(a - b)),
      );
    });

    test("money adds up to the last digit where doubles do not", async () => {
      const rows = Array.from({ length: 1000 }, (_, at) => ({ d: at % 2 === 0 ? "99999999999.999999" : "0.000001" }));
      const exact = { type: "decimal", scale: 6, lower: 0, upper: 999999999.999999 };
      const [sum] = await measure(
        under().engine,
        { statistics: [{ statistic: "sum", column: "d", epsilon: 1 }] },
        await table("DECIMAL(18, 6)", rows, exact),
      );
      expect(sum).toEqual([500n * 999_999_999_999_999n + 500n]);
    });

    test("whole numbers are decimals, more digits than declared are refused at registration, doubles are no decimals", async () => {
      const whole = await table("BIGINT", [{ d: 7 }, { d: -200 }, { d: null }]);
      expect(
        await measure(under().engine, { statistics: [{ statistic: "sum", column: "d", epsilon: 1 }] }, whole),
      ).toEqual([[700n - BOUND]]);
      const longer = await table("DECIMAL(18, 6)", [{ d: "1.234" }]);
      await expect(under().engine.check(longer, { salt: SALT })).rejects.toThrow("not decimals of the declared scale");
      const double = await table("DOUBLE", [{ d: 1.5 }]);
      if ((await under().engine.describe(double.source))[0]?.type !== "VARCHAR")
        await expect(under().engine.check(double, { salt: SALT })).rejects.toThrow(/is stored as/);
    });
  });
}
