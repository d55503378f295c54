import { openTrino, type TrinoOptions, type TrinoServer } from "../../../../test/trino.kit.ts";
import type { Cell, EngineUnderTest, Row, Stored } from "../engine/under-test.kit.ts";
import { trinoEngine } from "./engine.ts";

const TYPES = {
  BIGINT: "bigint",
  DOUBLE: "double",
  "DECIMAL(18, 6)": "decimal(18, 6)",
  VARCHAR: "varchar",
  BOOLEAN: "boolean",
  DATE: "date",
  TIMESTAMP: "timestamp(6)",
  TIMESTAMPTZ: "timestamp(6) with time zone",
} as const;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** As JSON brings it: a text that a cast reads. */
function written(cell: Cell | undefined, type: Stored | undefined): string | null {
  // No time of Trino is infinite: what an infinite one counts as, missing, is all that it can hold.
  if (type !== "VARCHAR" && type !== "DOUBLE" && /^-?infinity$/.test(String(cell))) return null;
  if (cell === null || cell === undefined) return null;
  if (typeof cell !== "number" || !Number.isInteger(cell) || Object.is(cell, -0))
    return Object.is(cell, -0) ? "-0" : String(cell);
  return String(BigInt(cell));
}

/** A cast to a time reads no T and no Z. */
const readAs = (cell: string, type: Stored | undefined): string =>
  type === "TIMESTAMPTZ"
    ? `regexp_replace(replace(${cell}, 'T', ' '), 'Z$', ' UTC')`
    : type === "TIMESTAMP"
      ? `replace(${cell}, 'T', ' ')`
      : cell;

/** A statement has at most a million letters. */
const MAX_LETTERS = 500_000;

function* batchesOf(rows: readonly string[]): Generator<string> {
  let batch: string[] = [];
  let letters = 0;
  for (const row of rows) {
    if (letters + row.length > MAX_LETTERS) {
      yield `[${batch.join()}]`;
      [batch, letters] = [[], 0];
    }
    batch.push(row);
    letters += row.length + 1;
  }
  if (batch.length > 0) yield `[${batch.join()}]`;
}

/** Tables in the memory of a server. */
function storeIn(server: Pick<TrinoServer, "query">): EngineUnderTest["store"] {
  let tables = 0;
  return async (columns: Readonly<Record<string, Stored>>, rows: readonly Row[]) => {
    const names = Object.keys(columns);
    const table = `t${++tables}`;
    const typeOf = (name: string): string => TYPES[columns[name] ?? "VARCHAR"];
    const list = names.map((name) => `${quoted(name)} ${typeOf(name)}`).join();
    await server.query(`CREATE TABLE memory.default.${table} (${list})`);
    const fields = names.map((_, at) => `c${at} VARCHAR`).join();
    const cells = names.map((name, at) => `CAST(${readAs(`c${at}`, columns[name])} AS ${typeOf(name)})`).join();
    // One text: Trino compiles VALUES cell by cell, for minutes.
    for (const batch of batchesOf(
      rows.map((row) => JSON.stringify(names.map((name) => written(row[name], columns[name])))),
    ))
      await server.query(
        `INSERT INTO memory.default.${table} SELECT ${cells} FROM UNNEST(CAST(json_parse('${batch.replaceAll("'", "''")}') AS ARRAY(ROW(${fields}))))`,
      );
    return { trino: { connection: "clinic", schema: "default", table } };
  };
}

export async function trinoUnderTest(options: TrinoOptions = {}): Promise<EngineUnderTest> {
  const server = await openTrino(options);
  const connections = { clinic: { url: server.address("reader") } };
  const engine = await trinoEngine({ connections });
  const close = async (): Promise<void> => {
    await engine.close();
    await server.close();
  };
  return { engine, store: storeIn(server), strict: true, connections, close };
}
