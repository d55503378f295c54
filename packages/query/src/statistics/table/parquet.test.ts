import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import type { ReleasedColumn, ReleasedTable } from "../released.ts";
import { syntheticParquet } from "./parquet.ts";
import { syntheticCsv } from "./synthesize.ts";

const folder = temporaryFolder();

const column = (name: string, type: ReleasedColumn["type"], bins: ReleasedColumn["bins"], more: object = {}) => ({
  ...{ name, type, bins, hasMissing: false, counts: bins.map(() => 50) },
  ...more,
});
const table: ReleasedTable = {
  columns: [
    column("age", "integer", [
      { label: "0–49", lower: 0, upper: 49 },
      { label: "50–99", lower: 50, upper: 99 },
    ]),
    column("pay, €", "number", [{ label: "[0, 10)", lower: 0, upper: 10 }], { hasMissing: true, counts: [60, 40] }),
    column("member", "boolean", [
      { label: "no", value: false },
      { label: "yes", value: true },
    ]),
    column("town", "category", [
      { label: "Å", value: 'Å, "x"' },
      { label: "b", value: "b" },
    ]),
    column("born", "date", [{ label: "d", lower: 19_700, upper: 19_800 }], { calendar: "day" }),
    column("seen", "date", [{ label: "m", lower: 600, upper: 640 }], { calendar: "month" }),
  ],
  pairs: [],
  noise: { columns: 1, pairs: 0 },
};

test("DuckDB reads the types, and the same values as from the CSV file, over several row groups", async () => {
  const asked = { rows: 70_000, seed: 9 };
  const [csv, parquet] = [join(folder, "rows.csv"), join(folder, "rows.parquet")];
  writeFileSync(csv, [...syntheticCsv(table, asked)].join(""));
  writeFileSync(parquet, await syntheticParquet(table, asked));
  const connection = await (await DuckDBInstance.create()).connect();
  const rows = async (text: string) => (await connection.runAndReadAll(text)).getRowsJson();
  expect((await rows(`DESCRIBE SELECT * FROM '${parquet}'`)).map(([name, type]) => `${name} ${type}`)).toEqual([
    "age BIGINT",
    "pay, € DOUBLE",
    "member BOOLEAN",
    "town VARCHAR",
    "born DATE",
    "seen VARCHAR",
  ]);
  const apart = (a: string, b: string) => rows(`SELECT count(*) FROM (FROM ${a} EXCEPT ALL FROM ${b})`);
  const written = `'${parquet}'`;
  const types =
    "{'age': 'BIGINT', 'pay, €': 'DOUBLE', 'member': 'BOOLEAN', 'town': 'VARCHAR', 'born': 'DATE', 'seen': 'VARCHAR'}";
  const read = `read_csv('${csv}', header = true, columns = ${types})`;
  expect(await rows(`SELECT count(*), count("pay, €") < count(*) FROM ${written}`)).toEqual([["70000", true]]);
  expect(await apart(written, read)).toEqual([["0"]]);
  expect(await apart(read, written)).toEqual([["0"]]);
  connection.closeSync();
});
