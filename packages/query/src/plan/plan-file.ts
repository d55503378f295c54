import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { entries, type Fields, own, record } from "../input/check.ts";
import { sha256 } from "./digest.ts";

/** What a saved plan says it is; another version is refused, never guessed at. */
export const PLAN_FORMAT = "dosimeter-plan/1";
/** Fields of a plan. */
export const PLAN_KEYS = [
  "join",
  "let",
  "window",
  "horizon",
  "statistics",
  "sample",
  "confidence",
  "adjacency",
] as const;
/** Fields that a saved plan has next to those of a plan. */
const FILE_KEYS = ["format", "madeBy", "table", "budget", "rows", "hash"] as const;

/** Fields in order, but those that are whole numbers first, by size, as JavaScript keeps them. Bigints as text. */
export const planText = (of: unknown): string =>
  JSON.stringify(of, (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    return isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  });

/** The hash of everything in a saved plan but the hash itself. */
export function planHash({ hash: _, ...content }: Fields): string {
  return sha256(planText(content));
}

/**
 * A saved plan says what its ε is for: above 1 it must say why, or it is not released. A plan written by hand makes no such
 * claim; its account's quota and the ledger's cap, with the owner's reasons, are what limits it.
 */
export function checkReason(json: unknown): void {
  const given = record(json, "plan");
  if (own(given, "format") === undefined) return;
  const { epsilon, reason } = record(own(given, "budget"), "budget");
  if (Number(epsilon) > 1 && (typeof reason !== "string" || reason.trim() === ""))
    invalid("budget.reason", reason ?? "", "written: why more than epsilon 1 is worth it");
}

/** A plan as it is charged, from a plan or a saved plan. INVALID_PARAMETER for another version or an edited file. */
export function plainPlan(json: unknown): unknown {
  const given = record(json, "plan");
  const format = own(given, "format");
  if (format === undefined) return json;
  if (format !== PLAN_FORMAT)
    return invalid("format", format, `${PLAN_FORMAT}: this plan was saved by another version`);
  entries(given, "", [...FILE_KEYS, ...PLAN_KEYS]);
  const hash = own(given, "hash");
  const right = planHash(given);
  if (hash !== right)
    return invalid(
      "hash",
      hash,
      `${right}: the file was changed after it was saved; open it on a page and save it again`,
    );
  return Object.fromEntries(Object.entries(given).filter(([key]) => !(FILE_KEYS as readonly string[]).includes(key)));
}
