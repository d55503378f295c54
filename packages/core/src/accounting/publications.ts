import { invalid, PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import { isRecord } from "../json.ts";
import { readTable } from "../separated.ts";
import { isEventKind, isWholeEvent, knownField, readSpendList } from "./spend-list.ts";

/** One row of a list of what was published before. */
export interface PublicationRow {
  readonly key: string;
  /** The day of the publication. */
  readonly on: string;
  readonly where: string;
  readonly purpose?: string;
  readonly relation: string;
  readonly rowsPerUnit?: number;
  readonly tool?: unknown;
  readonly events: readonly DpEvent[];
}

/** What is no price of a row; the first three have to be there. */
const FACTS = ["key", "on", "where", "purpose", "relation", "rowsPerUnit"] as const;

/** As many as one import takes. */
const MAX_ROWS = 1000;

/**
 * Reads what was published before, from JSON or CSV with key, on and where, and epsilon, delta or another price of `readSpendList`; `relation`
 * for rows that name none. In the place of a row that says too little stands why. Throws INVALID_PARAMETER for a text that is no list.
 */
export function readPublications(
  text: string,
  { name, relation }: { readonly name: string; readonly relation: string },
): readonly (PublicationRow | PrivacyError)[] {
  const isJson = /^\s*[[{]/.test(text);
  const rows: unknown = isJson ? jsonOf(text, name) : csvRows(text, name);
  if (!Array.isArray(rows)) return invalid(name, typeof rows, "a list of rows");
  if (rows.length < 1 || rows.length > MAX_ROWS)
    invalid(
      `the number of rows of ${name}`,
      rows.length,
      `1 to ${MAX_ROWS}: import the others from files of their own`,
    );
  return rows.map((row: unknown, index) => {
    try {
      return rowOf(row, `${name}[${index}]`, relation);
    } catch (error) {
      if (error instanceof PrivacyError) return error;
      throw error;
    }
  });
}

function rowOf(row: unknown, at: string, relation: string): PublicationRow {
  if (!isRecord(row)) return invalid(at, row, "an object");
  const { events, tool, ...rest } = row;
  const facts: Record<string, string | number> = { relation };
  const price: Record<string, unknown> = {};
  const isEvent = isEventKind(rest.kind);
  for (const [field, value] of Object.entries(rest)) {
    if (value === undefined || value === null) continue;
    if ((FACTS as readonly string[]).includes(field)) facts[field] = factOf(field, value, `${at}.${field}`);
    else {
      const named = isEvent && !(field in Object.prototype) ? field : knownField(field, at, FACTS);
      if (Object.hasOwn(price, named) && named !== "name") invalid(`${at}.${field}`, `${named} again`, "said once");
      price[named] = named === "count" && /^\d+$/.test(String(value)) ? Number(value) : value;
    }
  }
  for (const field of FACTS.slice(0, 3)) if (!facts[field]) invalid(`${at}.${field}`, facts[field], "given");
  const [priced] = Object.keys(price).filter((field) => field !== "name");
  if (events !== undefined && priced !== undefined)
    invalid(`${at}.${priced}`, "next to events", "absent: the events alone are counted");
  if (events === undefined && !isWholeEvent(price)) refuseTwoPrices(price, at);
  const stated = events ?? readSpendList(JSON.stringify([price]), at).map(({ event }) => event);
  return { ...facts, ...(tool === undefined ? {} : { tool }), events: stated } as unknown as PublicationRow;
}

/** A spend is counted by one of these: what stands next to it would not be counted. */
const PRICES = { rho: [], mu: [], epsilon: ["delta"] } as const;

function refuseTwoPrices(price: Readonly<Record<string, unknown>>, at: string): void {
  const counted = (Object.keys(PRICES) as (keyof typeof PRICES)[]).find((field) => price[field] !== undefined);
  if (counted === undefined) return;
  const known: readonly string[] = [counted, ...PRICES[counted], "count", "kind", "name"];
  const other = Object.keys(price).find((field) => !known.includes(field));
  if (other !== undefined)
    invalid(
      `${at}.${other}`,
      `next to ${counted}`,
      `absent: a row has one loss. Remove ${other} or ${counted}; two losses are two rows, or a list of events`,
    );
}

function factOf(field: string, value: unknown, name: string): string | number {
  if (typeof value !== "string" && typeof value !== "number") return invalid(name, value, "a text or a number");
  if (field !== "rowsPerUnit") return String(value);
  return /^\d+$/.test(String(value).trim()) ? Number(value) : invalid(name, value, "a whole number");
}

function jsonOf(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return invalid(name, "a text", "JSON, or CSV with a heading");
  }
}

function csvRows(text: string, name: string): readonly Readonly<Record<string, string>>[] {
  const { heading, rows } = readTable(text, name, { comment: "#", heading: "always" });
  return rows.map(({ cells }) =>
    Object.fromEntries((heading ?? []).flatMap((column, i) => (cells[i] ? [[column, cells[i]]] : []))),
  );
}
