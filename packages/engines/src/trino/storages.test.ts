import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noTrino, openTrino, type TrinoServer } from "../../../../test/trino.kit.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { measure, SALT } from "../engine/under-test.kit.ts";
import { trinoEngine } from "./engine.ts";

/** Two rows of every stored type that can be read, and one without values. */
const stored = [
  ["tiny", "tinyint", "3", "-4"],
  ["small", "smallint", "3", "-4"],
  ["whole", "integer", "3", "-4"],
  ["exact", "decimal(20, 3)", "3", "-4"],
  ["fine", "decimal(38, 30)", "3.25", "-4.25"],
  ["vast", "decimal(38, 2)", "3.25", "-4.25"],
  ["short", "real", "1.5", "nan()"],
  ["padded", "char(5)", "'a'", "'b '"],
  ["key", "uuid", "uuid '12151fd2-7586-11e9-8f9e-2a86e4085a59'", "uuid '12151FD2-7586-11e9-8f9e-2a86e4085a59'"],
  ["moment", "timestamp(12)", "timestamp '2020-02-29 23:59:59.999999999999'", "timestamp '1969-12-31 23:59:59.5'"],
  [
    "zoned",
    "timestamp(3) with time zone",
    "timestamp '2020-03-01 01:00:00 +02:00'",
    "timestamp '2020-03-01 00:00 UTC'",
  ],
  ["clock", "time(3) with time zone", "time '01:00:00 +02:00'", "time '01:00:00 +02:00'"],
] as const;
const declared = {
  tiny: { type: "integer", lower: -10, upper: 10 },
  small: { type: "integer", lower: -10, upper: 10 },
  whole: { type: "integer", lower: -10, upper: 10 },
  exact: { type: "integer", lower: -10, upper: 10 },
  fine: { type: "decimal", scale: 2, lower: -10, upper: 10 },
  vast: { type: "decimal", scale: 2, lower: -10, upper: 10 },
  short: { type: "number", lower: 0, upper: 2, granularity: 0.5 },
  padded: { type: "category", categories: ["a", "b"] },
  key: { type: "text" },
  moment: { type: "timestamp", zone: "UTC", lower: "1960-01-01", upper: "2030-12-31" },
  zoned: { type: "timestamp", zone: "UTC", lower: "1960-01-01", upper: "2030-12-31" },
};

describe.skipIf(noTrino !== null)(`stored types of a real server${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  let server: TrinoServer;
  let engine: Engine;
  beforeAll(async () => {
    server = await openTrino();
    const rows = [2, 3].map((at) => stored.map((one) => `CAST(${one[at]} AS ${one[1]})`).join());
    const nothing = stored.map(([, type]) => `CAST(NULL AS ${type})`).join();
    const names = stored.map(([name]) => `"${name}"`).join();
    await server.query(
      `CREATE TABLE kept AS SELECT * FROM (VALUES ${[...rows, nothing].map((row) => `(${row})`).join()}) AS t(${names})`,
    );
    await server.query("CREATE VIEW seen AS SELECT * FROM kept");
    engine = await trinoEngine({ connections: { lake: { url: server.address("reader") } } });
  });
  afterAll(() => server.close());

  const over = (table: string, columns: object, unit: object | "row" = "row") =>
    checkDeclaration({
      ...{ name: "t", source: { trino: { connection: "lake", table } }, columns, privacyUnit: unit },
      ...(unit === "row" ? {} : { contribution: { rows: 2 } }),
    });

  test.each(["kept", "KEPT", "seen"])("every type of the table or view %s is read exactly", async (table) => {
    const count = { statistic: "count", epsilon: 1 } as const;
    const sums = ["tiny", "small", "whole", "exact", "short"] as const;
    const asked: readonly (readonly [StatisticRequest, readonly bigint[]])[] = [
      // In steps of .01.
      [{ statistic: "sum", column: "fine", epsilon: 1 }, [-100n]],
      [{ statistic: "sum", column: "vast", epsilon: 1 }, [-100n]],
      ...sums.map((column) => [{ statistic: "sum", column, epsilon: 1 }, [column === "short" ? 3n : -1n]] as const),
      // Spaces that fill up a CHAR are not part of it.
      [{ ...count, groupBy: ["padded"] }, [1n, 1n]],
      [{ ...count, where: "moment >= '2020-02-29T23:59:59' and moment < '2020-03-01'" }, [1n]],
      // Half a second before 1970 is in 1969.
      [{ ...count, where: "moment < '1970-01-01'" }, [1n]],
      [{ ...count, where: "zoned = '2020-02-29T23:00:00'" }, [1n]],
      [{ ...count, where: "zoned is null" }, [1n]],
    ];
    const plan = { statistics: asked.map(([request]) => request) };
    expect(await measure(engine, plan, over(table, declared))).toEqual(asked.map(([, want]) => want));
  });

  test("people are known by a UUID in whatever letters", async () => {
    const plan = { statistics: [{ statistic: "distinctUnits", epsilon: 1 }] } as const;
    expect(await measure(engine, plan, over("kept", declared, { column: "key" }))).toEqual([[1n]]);
  });

  test.each([
    ["clock", { type: "timestamp", zone: "UTC", lower: "1960-01-01", upper: "2030-12-31" }],
    ["clock", { type: "text" }],
    ["moment", { type: "text" }],
    ["padded", { type: "boolean" }],
    ["short", { type: "integer", lower: 0, upper: 1 }],
  ])("%s as %j is refused by its stored type", async (name, column) => {
    await expect(engine.check(over("kept", { [name]: column }), { salt: SALT })).rejects.toMatchObject({
      code: "DATA_UNREADABLE",
      message: expect.stringMatching(new RegExp(`^column "${name}" is stored as .* which cannot be read as`)),
    });
  });

  test("numbers of floating point name no one", async () => {
    const declaration = over(
      "kept",
      { ...declared, short: { type: "category", categories: [1, 2] } },
      { column: "short" },
    );
    await expect(engine.check(declaration, { salt: SALT })).rejects.toThrow("stored in floating point");
  });
});
