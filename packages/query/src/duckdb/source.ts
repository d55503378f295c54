import { createHmac } from "node:crypto";
import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { type RawBuilder, sql } from "kysely";
import type { Source } from "../declaration.ts";
import { inspectCsv } from "./csv.ts";

/** A file as the engine will read it: everything needed to read it again in exactly the same way. */
export interface Inspected {
  readonly path: string;
  readonly version: string;
  readonly from: RawBuilder<unknown>;
  /** Known for text files without asking the database. */
  readonly header: readonly string[] | null;
  readonly records: number | null;
}

const unreadable = (name: string, message: string): PrivacyError =>
  new PrivacyError("DATA_UNREADABLE", { name }, `the file cannot be read: ${message}`);

/** The file's real path, which must lie in the data folder and hold no pattern characters. */
export async function locate(root: string, source: Source): Promise<string> {
  const [kind, given] = "csv" in source ? ["source.csv", source.csv] : ["source.parquet", source.parquet];
  let path: string;
  let home: string;
  try {
    home = await realpath(root);
    path = await realpath(isAbsolute(given) ? given : resolve(home, given));
    if (!(await stat(path)).isFile()) throw new Error("not a file");
  } catch {
    throw unreadable(kind, "there is no such file in the data folder");
  }
  const within = relative(home, path);
  if (within === "" || within.startsWith(`..${sep}`) || within === ".." || isAbsolute(within))
    throw unreadable(kind, "there is no such file in the data folder");
  if (/[*?[\]{}]/.test(path)) throw unreadable(kind, "its path holds one of * ? [ ] { }");
  return path;
}

/** One pass over the file: its keyed hash, and for CSV its shape. */
export async function inspect(path: string, source: Source, salt: string, signal?: AbortSignal): Promise<Inspected> {
  if ("csv" in source) {
    const shape = await inspectCsv(path, { delimiter: source.delimiter, salt, signal });
    const columns = sql.join(shape.header.map((name) => sql`${sql.lit(name)}: 'VARCHAR'`));
    const missing = sql.join(["", ...(source.missing ?? [])].map((text) => sql.lit(text)));
    const from = sql`read_csv(${sql.lit(path)}, auto_detect = false, header = true, delim = ${sql.lit(shape.delimiter)}, quote = '"', escape = '"', new_line = ${sql.lit(ESCAPED[shape.newline])}, nullstr = [${missing}], allow_quoted_nulls = true, max_line_size = 4194304, columns = {${columns}})`;
    return { path, version: shape.version, from, header: shape.header, records: shape.records };
  }
  const hash = createHmac("sha256", salt);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal }) as AsyncIterable<Buffer>)
    hash.update(chunk);
  return { path, version: hash.digest("hex"), from: sql`read_parquet(${sql.lit(path)})`, header: null, records: null };
}

const ESCAPED = { "\n": "\\n", "\r\n": "\\r\\n", "\r": "\\r" } as const;
