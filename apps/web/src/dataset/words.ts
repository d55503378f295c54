import type { Ledger } from "@dosimeter/client";
import { protectedUnit } from "@dosimeter/core";
import { formatNumber } from "@dosimeter/plot";
import type { Declaration } from "@dosimeter/query/declaration";

/** What the guarantee protects, by the neighbour relation. */
export function protectionText({
  adjacency,
  privacyUnit: unit,
  blocks,
}: Pick<Ledger, "adjacency" | "privacyUnit" | "blocks">): string {
  if (blocks !== undefined) return `protects ${protectedUnit("any one", unit, blocks)}`;
  if (adjacency === "addRemove") return `protects the presence of any one ${unit}`;
  const data = `protects the data of any one ${unit}`;
  return adjacency === "replace" ? data : `${data}, compared with leaving it blank`;
}

/** "20,000 people" or "about 20,000 rows", as declared; null where the size is secret. */
export function sizeText(declaration: Declaration | null, unit: string): string | null {
  if (declaration?.size === undefined) return null;
  const { size, privacyUnit, contribution } = declaration;
  const isOneRowEach = privacyUnit === "row" || contribution.rows === 1;
  const many = declaration.unitNoun?.many ?? (unit === "person" ? "people" : undefined);
  const noun = isOneRowEach && many !== undefined ? many : "rows";
  return "public" in size
    ? `${formatNumber(size.public, 15)} ${noun}`
    : `about ${formatNumber(size.assumed, 15)} ${noun}`;
}
