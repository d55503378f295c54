import { createHmac } from "node:crypto";
import type { Stats } from "node:fs";
import { access, open, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { type FileSource, isOfKind, type Source } from "@dosimeter/query/source";
import { type RawBuilder, sql } from "kysely";
import type { CsvShape } from "./csv.ts";
import type { FileReader } from "./file-reader.ts";

/** Files as the engine will read them: everything needed to read them again in exactly the same way. */
export interface Inspected {
  readonly version: string;
  readonly from: RawBuilder<unknown>;
  /** Known for text files without asking the database. */
  readonly header: readonly string[] | null;
  readonly records: number | null;
  readonly parquet?: readonly string[];
  /** In a database file. */
  readonly table?: { readonly database: string; readonly schema: string; readonly name: string };
}

/** The files of a source, in the order of their names, and what tells whether one of them has changed. */
export interface Located {
  readonly source: FileSource;
  readonly paths: readonly string[];
  /** Of all files together. */
  readonly bytes: number;
  readonly stamp: string;
}

const MAX_FILES = 1000;

const unreadable = (name: string, message: string): PrivacyError =>
  new PrivacyError("DATA_UNREADABLE", { name }, `the file cannot be read: ${message}`);

const kindOf = (source: FileSource): { readonly kind: "csv" | "parquet" | "duckdb"; readonly given: string } =>
  "csv" in source
    ? { kind: "csv", given: source.csv }
    : "parquet" in source
      ? { kind: "parquet", given: source.parquet }
      : { kind: "duckdb", given: source.duckdb };

/**
 * The real paths of a file, of the files of that kind in a folder, or of those whose name a pattern with * and ? fits. All lie
 * in the data folder, links followed, and hold no pattern characters themselves.
 */
export async function locate(root: string, source: Source): Promise<Located> {
  if (!isOfKind(source, "file")) throw unreadable("source", "this engine reads files only");
  const { kind, given } = kindOf(source);
  const name = `source.${kind}`;
  const missing = unreadable(name, "there is no such file in the data folder");
  const stamps: string[] = [];
  const paths: string[] = [];
  let bytes = 0;
  let home: string;
  let candidates: readonly string[];
  try {
    home = await realpath(root);
    candidates = await matching(isAbsolute(given) ? given : resolve(home, given), kind);
  } catch {
    throw missing;
  }
  if (candidates.length === 0) throw missing;
  if (candidates.length > MAX_FILES) throw unreadable(name, `there are more than ${MAX_FILES} files`);
  for (const candidate of candidates) {
    let path: string;
    let found: Stats;
    try {
      path = await realpath(candidate);
      found = await stat(path);
    } catch {
      throw missing;
    }
    const within = relative(home, path);
    if (within === "" || within.startsWith(`..${sep}`) || within === ".." || isAbsolute(within) || !found.isFile())
      throw missing;
    if (/[*?[\]{}]/.test(path)) throw unreadable(name, "its path holds one of * ? [ ] { }");
    paths.push(path);
    bytes += found.size;
    stamps.push(JSON.stringify([path, found.size, found.mtimeMs, found.ino]));
  }
  return { source, paths, bytes, stamp: stamps.join() };
}

/** A pattern stands in the last part of a path only. */
async function matching(path: string, kind: "csv" | "parquet" | "duckdb"): Promise<readonly string[]> {
  const last = basename(path);
  const several = kind !== "duckdb";
  if (several && /[*?]/.test(last)) {
    const parts = last.split(/([*?])/).map((part) => (part === "*" ? ".*" : part === "?" ? "." : escaped(part)));
    return filesIn(dirname(path), new RegExp(`^${parts.join("")}$`, "s"));
  }
  if (several && (await stat(path)).isDirectory()) return filesIn(path, new RegExp(`\\.${kind}$`, "i"));
  return [path];
}

const escaped = (text: string): string => text.replace(/[\\^$.|+()[\]{}]/g, "\\$&");

async function filesIn(folder: string, pattern: RegExp): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith(".") && pattern.test(name));
  return names.sort((a, b) => (a < b ? -1 : 1)).map((name) => join(folder, name));
}

/** One pass over every file: keyed hashes, and for CSV their one shape. Columns that are made of others come first. */
export async function inspect(located: Located, ...how: Reading): Promise<Inspected> {
  const found = await inspectFiles(located, ...how);
  const keys = Object.entries(located.source.keys ?? {});
  for (const [name, parts] of found.header === null ? [] : keys) {
    const lost = parts.find((part) => found.header?.includes(part) === false);
    if (lost !== undefined) throw unreadable(`source.keys.${name}`, `it has no column "${lost}"`);
    if (found.header?.some((one) => one.toLowerCase() === name.toLowerCase()))
      throw unreadable(`source.keys.${name}`, "it has a column of that name: give the key another");
  }
  if (keys.length === 0) return found;
  const made = keys.map(([name, parts]) => sql`${keySql(parts)} AS ${sql.id(name)}`);
  return { ...found, from: sql`(SELECT ${sql.join(made)}, * FROM ${found.from})` };
}

/** The length of each text before it: two rows have the same key where all parts are the same. NULL where a part is missing. [M405] */
export const keySql = (parts: readonly string[]): RawBuilder<unknown> =>
  sql.join(
    parts.map((part) => {
      const text = sql`nullif(nfc_normalize(CAST(${sql.id(part)} AS VARCHAR)), '')`;
      return sql`CAST(length(${text}) AS VARCHAR) || ':' || ${text}`;
    }),
    sql` || `,
  );

type Reading = [
  salt: string,
  by: { readonly attached: (path: string) => Promise<string>; readonly reader: FileReader },
  signal?: AbortSignal,
];

async function inspectFiles(
  { source, paths }: Located,
  ...[salt, { attached, reader }, signal]: Reading
): Promise<Inspected> {
  if ("csv" in source) {
    const { delimiter, comment, quote } = source;
    const sign = quote === "none" ? "" : (quote ?? '"');
    const shapes: CsvShape[] = [];
    for (const path of paths) shapes.push(await reader.csv({ path, delimiter, comment, quote, salt }, signal));
    const shape = commonShape(shapes);
    const columns = sql.join(shape.header.map((name) => sql`${sql.lit(name)}: 'VARCHAR'`));
    const missing = sql.join(["", ...(source.missing ?? [])].map((text) => sql.lit(text)));
    const from = sql`read_csv([${files(paths)}], auto_detect = false, header = true, delim = ${sql.lit(shape.delimiter)}, quote = ${sql.lit(sign)}, escape = ${sql.lit(sign)}, new_line = ${sql.lit(ESCAPED[shape.newline])}, nullstr = [${missing}], allow_quoted_nulls = true, max_line_size = 4194304${commentsOf(shapes, comment)}, parallel = ${sql.lit(!isReadInTurn(shapes))}, columns = {${columns}})`;
    const records = shapes.reduce((sum, each) => sum + each.records, 0);
    return {
      version: together(
        shapes.map(({ version }) => version),
        salt,
      ),
      from,
      header: shape.header,
      records,
    };
  }
  if ("parquet" in source) for (const path of paths) await refuseLongFooter(path);
  const versions: string[] = [];
  for (const path of paths) versions.push(await reader.hash({ path, salt }, signal));
  const version = together(versions, salt);
  if ("parquet" in source)
    return { version, from: sql`read_parquet([${files(paths)}])`, header: null, records: null, parquet: paths };
  const [path = ""] = paths;
  const table = { database: await attached(path), schema: source.schema ?? "main", name: source.table };
  const from = sql`${sql.id(table.database, table.schema, table.name)}`;
  return { version, from, header: null, records: null, table };
}

/** A thread that begins within a file looks for the next row: among comments, or line ends in values that look like rows, it finds a wrong one. */
const isReadInTurn = (shapes: readonly CsvShape[]): boolean =>
  shapes.some(({ hasComments, hasQuotedEnds }) => hasComments || hasQuotedEnds);

/** How DuckDB passes over comments: it would cut a row at their sign. */
function commentsOf(shapes: readonly CsvShape[], comment: string | undefined): RawBuilder<unknown> {
  if (comment === undefined || !shapes.some(({ hasComments }) => hasComments)) return sql``;
  if (shapes.some(({ hasSigns }) => hasSigns))
    throw unreadable("source.comment", `next to comments, a row may hold ${comment} in quotes only`);
  const [{ skipped } = { skipped: 0 }] = shapes;
  return sql`, comment = ${sql.lit(comment)}, skip = ${sql.lit(skipped)}`;
}

/** An unpacked footer takes many times its size in memory, which no setting of DuckDB limits. */
const MAX_FOOTER_BYTES = 2 ** 24;

/** A Parquet file ends with the length of its footer, in four bytes, and four letters. */
async function refuseLongFooter(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, Math.max(0, size - 8));
    if (bytesRead === 4 && buffer.readUInt32LE(0) > MAX_FOOTER_BYTES)
      throw unreadable("source.parquet", `its metadata must have at most ${MAX_FOOTER_BYTES} bytes`);
  } finally {
    await file.close();
  }
}

const files = (paths: readonly string[]): RawBuilder<unknown> => sql.join(paths.map((path) => sql.lit(path)));

/** What several files hold, whatever their names and order; one file's version is its own. */
function together(versions: readonly string[], salt: string): string {
  const [first = "", ...others] = [...versions].sort();
  return others.length === 0
    ? first
    : createHmac("sha256", salt)
        .update([first, ...others].join())
        .digest("hex");
}

function commonShape(shapes: readonly CsvShape[]): CsvShape {
  const [first, ...others] = shapes;
  if (first === undefined) throw unreadable("source.csv", "there is no such file in the data folder");
  const alike = (shape: CsvShape): boolean =>
    shape.delimiter === first.delimiter &&
    shape.skipped === first.skipped &&
    (shape.newline === first.newline || shape.records === 0) &&
    JSON.stringify(shape.header) === JSON.stringify(first.header);
  if (!others.every(alike))
    throw unreadable(
      "source.csv",
      "all files must have the same header, lines before it, delimiter and kind of line end",
    );
  return first;
}

/** A database that was not closed has changes next to its file, which a reader would have to write into it. */
export async function refuseUnfinished(path: string): Promise<void> {
  const unfinished = await access(`${path}.wal`).then(
    () => true,
    () => false,
  );
  if (unfinished)
    throw unreadable(
      "source.duckdb",
      "the database has unfinished changes in a second file: close it where it is open",
    );
}

const ESCAPED = { "\n": "\\n", "\r\n": "\\r\\n", "\r": "\\r" } as const;
