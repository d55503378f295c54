import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Source } from "../../../query/src/source/kinds.ts";
import type { Cell, EngineUnderTest, Row, Stored } from "../engine/under-test.kit.ts";
import { type DuckDbOptions, duckdbEngine } from "./engine.ts";

const field = (cell: Cell | undefined): string => {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return Number.isNaN(cell) ? "nan" : Object.is(cell, -0) ? "-0.0" : String(cell);
  return typeof cell === "boolean" ? String(cell) : `"${cell.replaceAll('"', '""')}"`;
};

/** DuckDB over files of one format, written by a DuckDB outside the sandbox. */
export async function duckdbUnderTest(
  format: "csv" | "parquet",
  threads: number,
  limits: Pick<DuckDbOptions, "mostHeld"> = {},
): Promise<EngineUnderTest> {
  const root = await mkdtemp(join(tmpdir(), "dosimeter-kit-"));
  const engine = await duckdbEngine({ root, threads, ...limits });
  const writer = await DuckDBInstance.create(":memory:");
  let files = 0;
  const store = async (columns: Readonly<Record<string, Stored>>, rows: readonly Row[]): Promise<Source> => {
    const names = Object.keys(columns);
    const text = [names, ...rows.map((row) => names.map((name) => row[name]))];
    files += 1;
    const id = files;
    const csv = join(root, `${id}.csv`);
    await writeFile(csv, text.map((cells) => `${cells.map(field).join(",")}\n`).join(""));
    if (format === "csv") return { csv: `${id}.csv` };
    const connection = await writer.connect();
    const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
    const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
    const types = names.map((name) => `${literal(name)}: 'VARCHAR'`).join();
    const casts = names.map((name) => `CAST(${quoted(name)} AS ${columns[name]}) AS ${quoted(name)}`).join();
    await connection.run(
      `COPY (SELECT ${casts} FROM read_csv(${literal(csv)}, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', new_line = '\\n', nullstr = '', allow_quoted_nulls = false, columns = {${types}})) TO ${literal(join(root, `${id}.parquet`))} (FORMAT parquet)`,
    );
    connection.closeSync();
    return { parquet: `${id}.parquet` };
  };
  const close = async (): Promise<void> => {
    await engine.close();
    writer.closeSync();
    await rm(root, { recursive: true, force: true });
  };
  return { engine, store, close };
}
