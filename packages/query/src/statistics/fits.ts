import type { Column } from "../declaration/declaration.ts";
import type { Statistic } from "./statistic.ts";

/** Which columns a statistic reads: the `column` of its row in the table. */
export type Reads = Statistic["column"];

export function fits(reads: Reads, { type }: Pick<Column, "type">): boolean {
  if (reads === "none" || type === "integer" || type === "number" || type === "date") return true;
  return reads === "any" || reads === "key" || reads === "present" || (reads === "binned" && type !== "text");
}

export const needWords: Readonly<Record<Reads, string>> = {
  none: "no column",
  numeric: "numbers",
  binned: "numbers or listed values",
  present: "any column",
  any: "any column",
  key: "any column",
};
