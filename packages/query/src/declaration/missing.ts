import { invalid } from "@dosimeter/core";
import { checkNumber, type Fields, list, own, text } from "../input/check.ts";
import { checkCode, isScaled } from "./decimals.ts";
import type { Column } from "./declaration.ts";

const MAX_MISSING = 20;

type Marked = Pick<Column, "type" | "scale" | "categories" | "missing">;

const isNumber = (marker: string): boolean => marker.trim() !== "" && Number.isFinite(Number(marker));
const isOfNumbers = ({ type, categories }: Marked): boolean =>
  type === "integer" || type === "number" || typeof categories?.[0] === "number";

/** Markers of a column of numbers: numbers stand for the value, however it is written, and words for a text. */
export function markersOfNumbers(column: Marked): {
  readonly numbers: readonly number[];
  readonly words: readonly string[];
} {
  const all = isOfNumbers(column) ? (column.missing ?? []) : [];
  return { numbers: all.filter(isNumber).map(Number), words: all.filter((marker) => !isNumber(marker)) };
}

/** What stands for a missing value. Numbers are kept as texts; a marker has to be a possible value of its column, or a word. */
export function checkMissing(given: Fields, path: string, column: Marked): Pick<Column, "missing"> {
  const json = own(given, "missing");
  if (json === undefined) return {};
  const at = `${path}.missing`;
  const markers = list(json, at);
  if (markers.length > MAX_MISSING) invalid(at, markers.length, `at most ${MAX_MISSING} markers`);
  const missing = markers.map((marker, index) =>
    text(typeof marker === "number" ? String(marker) : marker, `${at}[${index}]`, 40).normalize("NFC"),
  );
  // Markers of dates were never compared with one another, and declarations that were stored stay readable.
  if (column.type === "date") return { missing };
  const meant = missing.map((marker, index) => meantBy(marker, column, `${at}[${index}]`));
  const again = meant.findIndex((value, index) => meant.indexOf(value) < index);
  if (again >= 0) invalid(`${at}[${again}]`, missing[again], "different from the markers before it");
  return { missing };
}

/** What a marker stands for; refused where no stored value could be it, or where it is a value that counts. */
function meantBy(marker: string, column: Marked, path: string): string | number {
  const value = isOfNumbers(column) && isNumber(marker) ? Number(marker) + 0 : marker;
  if (column.categories?.includes(value)) invalid(path, value, "none of the categories");
  if (typeof value === "string") return value;
  if (isScaled(column)) checkCode(value, column, path);
  return checkNumber(value, path, column.type === "integer");
}

/** Whether a value may be missing, and what stands for it. */
export const missingWords = ({
  required,
  missing,
}: {
  readonly required?: unknown;
  readonly missing?: unknown;
}): string => {
  if (required === true) return "never";
  return Array.isArray(missing) && missing.length > 0 ? `possible, also ${missing.join(", ")}` : "possible";
};
