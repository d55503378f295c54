import type { JoinedColumn, TakeName } from "@dosimeter/query/declaration";
import { takeOf } from "@dosimeter/query/join";
import { numberOf } from "../parts/number-text.ts";

/** A joined column as it is typed. */
export interface TakenTexts {
  readonly name: string;
  readonly take: TakeName;
  readonly column: string;
  readonly by: string;
  readonly lower: string;
  readonly upper: string;
  readonly where: string;
}

export const emptyTaken: TakenTexts = {
  name: "",
  take: "count",
  column: "",
  by: "",
  lower: "",
  upper: "",
  where: "",
};

export function hasField(take: TakeName, field: keyof JoinedColumn): boolean {
  const { needs, may } = takeOf(take);
  return needs.includes(field) || may.includes(field);
}

/** The column of these texts; null while one that it needs is empty. */
export function takenOfTexts({ name, take, ...texts }: TakenTexts): JoinedColumn | null {
  if (name.trim() === "") return null;
  const fields = (["column", "by", "where", "lower", "upper"] as const).filter((field) => hasField(take, field));
  const given = fields.filter((field) => texts[field].trim() !== "");
  if (takeOf(take).needs.some((field) => !given.some((one) => one === field))) return null;
  const values = given.map((field) => {
    const text = texts[field].trim();
    return [field, field === "lower" || field === "upper" ? numberOf(text) : text] as const;
  });
  return { take, ...Object.fromEntries(values) };
}
