import type { Declaration } from "@dosimeter/query/declaration";
import type { Dialect, Fragment } from "@dosimeter/query/dialect";
import type { Sampling } from "@dosimeter/query/plan";
import { sql } from "kysely";
import { type Table, typed, unitKindOf } from "./sql.ts";

/** A sample of `table` under a key: 32 random bytes as hexadecimal, used once and never stored. */
export function sampledTable(table: Table, declaration: Declaration, sampling: Sampling, key: string): Table {
  const { dialect, types, from } = table;
  const place = freeName(types);
  const numbered = sql`(SELECT *, row_number() OVER () AS ${sql.id(place)} FROM ${from}) AS s`;
  if (sampling.kind === "fixed") {
    const order = dialect.keyedBits(key, asText(dialect, sql.id(place)));
    const rows = sql`SELECT * FROM ${numbered} ORDER BY ${order}, ${sql.id(place)} LIMIT ${sql.raw(String(sampling.size))}`;
    return { ...table, from: sql`(${rows}) AS sampled` };
  }
  const kept = (text: Fragment): Fragment => sql`${dialect.keyedBits(key, text)} < ${sql.raw(String(sampling.below))}`;
  const { privacyUnit, columns } = declaration;
  if (privacyUnit === "row")
    return {
      ...table,
      from: sql`(SELECT * FROM ${numbered} WHERE ${kept(asText(dialect, sql.id(place)))}) AS sampled`,
    };
  const { column: name } = privacyUnit;
  const column = columns[name] ?? { type: "text", provenance: "asserted" };
  const value = typed(dialect, name, column, types[name] ?? "");
  const number = column.type === "category" ? dialect.position(column.categories ?? [], value) : value;
  const unit = unitKindOf(declaration) === "text" ? value : asText(dialect, number);
  return { ...table, from: sql`(SELECT * FROM ${from} WHERE ${kept(unit)}) AS sampled` };
}

/** Whole numbers only: both databases write them alike. */
const asText = (dialect: Dialect, whole: Fragment): Fragment => sql`CAST(${whole} AS ${dialect.text})`;

function freeName(types: Readonly<Record<string, string>>): string {
  let name = "row number";
  while (Object.keys(types).some((other) => other.toLowerCase() === name)) name += "'";
  return name;
}
