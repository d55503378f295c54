import { memoized } from "@dosimeter/core/internal";
import { CompiledQuery, type Kysely, sql } from "kysely";
import type { Value } from "./store.ts";
import type { Tables } from "./tables.ts";

/** The text of each query, built once for each connection, because building costs more than running. */
const texts = new WeakMap<Kysely<Tables>, Map<string, string>>();

/** Texts kept for each connection: lists of values make many that are used once. */
const MAX_TEXTS = 1000;

/** The rows of a frequent query: `?` for values, and no input in the text. */
export async function rowsOf<Row>(
  db: Kysely<Tables>,
  query: string,
  values: readonly Value[],
): Promise<readonly Row[]> {
  const known = texts.get(db) ?? new Map<string, string>();
  texts.set(db, known);
  const text = known.get(query) ?? sql.join(between(query, values), sql``).compile(db).sql;
  known.set(query, text);
  const [oldest = query] = known.size > MAX_TEXTS ? known.keys() : [];
  if (oldest !== query) known.delete(oldest);
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}

/** The pieces of a text with a value between each two, for the dialect to number. */
const between = (query: string, values: readonly Value[]) =>
  query.split("?").map((piece, index) => (index === 0 ? sql.raw(piece) : sql`${values[index - 1]}${sql.raw(piece)}`));

type Column<T extends keyof Tables> = keyof Tables[T] & string;
type Values<T extends keyof Tables> = { readonly [C in Column<T>]?: Value };

/** The rows of a table whose columns have these values, by other columns in rising order. */
export function rowsWith<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  values: Values<T>,
  ...order: readonly Column<T>[]
): Promise<readonly Tables[T][]> {
  const ordered = order.length === 0 ? "" : ` ORDER BY ${namesOf(order)}`;
  return rowsOf(
    db,
    `SELECT * FROM "${table}" WHERE ${equals(values).join(" AND ")}${ordered}`,
    Object.values<Value>(values as Record<string, Value>),
  );
}

/** The first of them, in no order: for columns that are unique together. */
export async function rowWith<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  values: Values<T>,
): Promise<Tables[T] | undefined> {
  return (await rowsWith(db, table, values))[0];
}

/** Writes a row, in place of the one that has the same values in the columns of `key`. */
export async function putRow<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  row: Tables[T],
  ...key: readonly Column<T>[]
): Promise<void> {
  const columns = Object.keys(row);
  const set = columns.map((column) => `"${column}" = excluded."${column}"`);
  await rowsOf(
    db,
    `INSERT INTO "${table}" (${namesOf(columns)}) VALUES (${columns.map(() => "?").join(", ")})
      ON CONFLICT (${namesOf(key)}) DO UPDATE SET ${set.join(", ")}`,
    Object.values<Value>(row as Record<string, Value>),
  );
}

/** Writes some columns of the rows whose columns have these values. */
export async function setRow<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  values: Values<T>,
  set: Partial<Tables[T]>,
): Promise<void> {
  await rowsOf(
    db,
    `UPDATE "${table}" SET ${equals(set).join(", ")} WHERE ${equals(values).join(" AND ")}`,
    [set, values].flatMap((columns) => Object.values<Value>(columns as Record<string, Value>)),
  );
}

const equals = (columns: object): readonly string[] => Object.keys(columns).map((column) => `"${column}" = ?`);
const namesOf = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(", ");

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type NameOf<C extends string> = C extends `${infer A}_id` ? Camel<A> : Camel<C>;

/** These columns of a row under the names of the domain: `dataset_id` is `dataset`, `created_at` is `createdAt`. */
export const record = <Row extends object, C extends keyof Row & string>(row: Row, ...columns: readonly C[]) =>
  Object.fromEntries(columns.map((column) => [nameOf(column), row[column]])) as {
    readonly [Key in C as NameOf<Key>]: Row[Key];
  };

const nameOf = memoized((column: string) =>
  column.replace(/_id$/, "").replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
);
