import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import { textOfCode } from "../../../query/src/declaration/decimals.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { measure } from "../engine/under-test.kit.ts";
import { duckdbEngine } from "./engine.ts";

/** Width and digits of what is stored, the declared scale, and a bound in steps: with every number of bytes, and as wide as can be. */
const WIDTHS = [
  [4, 2, 2, 9_000n],
  [4, 0, 2, 9_131n],
  [9, 2, 2, 12_345n],
  [9, 9, 9, 999_999_999n],
  [9, 0, 0, 2_000n],
  [12, 2, 5, 10n ** 15n],
  [18, 0, 0, 10n ** 15n],
  [18, 2, 2, 10n ** 15n],
  [18, 9, 9, 10n ** 15n],
  [18, 2, 3, 5_000n],
  [18, 4, 2, 12_345n],
  [38, 2, 2, 12_345n],
  [38, 9, 9, 10n ** 15n],
] as const;

test("[M193] stored decimals of every width are clamped and added up to the last digit, and none fails", async () => {
  const root = temporaryFolder();
  const engine = await duckdbEngine({ root, threads: 2 });
  const writer = await (await DuckDBInstance.create(":memory:")).connect();
  let files = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...WIDTHS),
      fc.boolean(),
      fc.array(fc.option(fc.tuple(fc.bigInt({ min: -1000n, max: 1000n }), fc.nat(4))), { minLength: 1, maxLength: 20 }),
      async ([width, digits, scale, bound], isFromZero, drawn) => {
        const most = 10n ** BigInt(Math.min(width, 18)) - 1n;
        const shift = 10n ** BigInt(Math.abs(scale - digits));
        // Near 0 and the ends of what is declared and stored, with 18 digits at most; in steps of the declared scale.
        const codes = drawn.flatMap((each) => {
          if (each === null) return [null];
          const near = [0n, bound, -bound, digits > scale ? most / shift : most, -most][each[1]] ?? 0n;
          const stored = digits > scale ? (near + each[0]) * shift : (near + each[0]) / (scale > digits ? shift : 1n);
          const code = digits > scale ? stored / shift : stored * (scale > digits ? shift : 1n);
          return [stored, code].some((each) => each >= 10n ** 18n || each <= -(10n ** 18n)) ||
            stored > most ||
            stored < -most
            ? []
            : [code];
        });
        const file = `${++files}.parquet`;
        const rows = codes.map((code) => `(${code === null ? "NULL" : `'${textOfCode(code, { scale })}'`})`);
        await writer.run(
          `COPY (SELECT CAST(d AS DECIMAL(${width}, ${digits})) AS d FROM (VALUES ${[...rows, "(NULL)"].join()}) AS t(d)) TO '${join(root, file)}'`,
        );
        const lower = isFromZero ? 0n : -bound;
        const declaration = checkDeclaration({
          ...{ name: "t", source: { parquet: file }, privacyUnit: "row" },
          columns: {
            d: {
              ...{ type: "decimal", scale, granularity: Number(`1e-${scale}`) },
              lower: Number(textOfCode(lower, { scale })),
              upper: Number(textOfCode(bound, { scale })),
            },
          },
        });
        const known = codes.filter((code) => code !== null);
        const clamped = known.map((code) => (code < lower ? lower : code > bound ? bound : code));
        const sum = clamped.reduce((a, b) => a + b, 0n);
        const count = BigInt(clamped.length);
        const asked: StatisticRequest[] = [
          { statistic: "sum", column: "d", epsilon: 1 },
          { statistic: "sum", column: "d", where: "d > 0", epsilon: 1 },
          { statistic: "mean", column: "d", epsilon: 1 },
          { statistic: "clippedValues", column: "d", epsilon: 1 },
        ];
        expect(await measure(engine, { statistics: asked }, declaration), file).toEqual([
          [sum],
          [clamped.filter((_, at) => (known[at] ?? 0n) > 0n).reduce((a, b) => a + b, 0n)],
          [sum - lower * count, bound * count - sum],
          [
            known.filter((each) => each < lower),
            known.filter((each) => each >= lower && each <= bound),
            known.filter((each) => each > bound),
          ].map(({ length }) => BigInt(length)),
        ]);
      },
    ),
    { numRuns: 60 },
  );
  writer.closeSync();
  await engine.close();
});
