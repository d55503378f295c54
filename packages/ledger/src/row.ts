import { CompiledQuery, type Kysely, sql } from "kysely";
import type { Value } from "./store.ts";
import type { Tables } from "./tables.ts";

/** The text of each query, made once for each connection: to build it costs more than to run it. */
const texts = new WeakMap<Kysely<Tables>, Map<string, string>>();

/** The first row of a table whose columns have these values, in no order: for columns that are unique together. */
export async function rowWith<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  values: { readonly [C in keyof Tables[T]]?: Value },
): Promise<Tables[T] | undefined> {
  const columns = Object.keys(values);
  const known = texts.get(db) ?? new Map<string, string>();
  texts.set(db, known);
  const name = `${table} ${columns}`;
  const text = known.get(name) ?? compiled(db, table, values);
  known.set(name, text);
  const { rows } = await db.executeQuery<Tables[T]>(CompiledQuery.raw(text, Object.values(values)));
  return rows[0];
}

function compiled(db: Kysely<Tables>, table: string, values: object): string {
  const conditions = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  return sql`SELECT * FROM ${sql.table(table)} WHERE ${sql.join(conditions, sql` AND `)}`.compile(db).sql;
}
