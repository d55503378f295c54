import { PrivacyError } from "../error.ts";
import type { PointsInput } from "./points.ts";

/**
 * Points of a CSV text: columns `alpha` and `beta` by name in any order and among others, or two columns of numbers, or
 * 101 numbers. Lines may end in LF, CRLF or CR.
 */
export function readPointsCsv(text: string, name: string): PointsInput {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .map((line, i) => ({
      number: i + 1,
      cells: line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const [first] = lines;
  if (first === undefined) throw refusal(name, "an empty file", "points: columns alpha and beta");
  const isHeaded = first.cells.some((cell) => cell !== "" && Number.isNaN(Number(cell)));
  const heading = first.cells.map((cell) => cell.toLowerCase());
  const body = isHeaded ? lines.slice(1) : lines;
  const columns = isHeaded ? [heading.indexOf("alpha"), heading.indexOf("beta")] : [0, 1];
  if (columns.includes(-1)) throw refusal(name, first.cells.join(","), "a heading with alpha and beta");
  const cell = (line: (typeof lines)[number], column: number) => {
    const value = line.cells[column];
    const number = value === undefined || value === "" ? Number.NaN : Number(value);
    if (Number.isNaN(number)) throw refusal(`${name}, line ${line.number}`, value ?? "a missing value", "a number");
    return number;
  };
  if (!isHeaded && body.every(({ cells }) => cells.length === 1)) return body.map((line) => cell(line, 0));
  const [alpha = 0, beta = 1] = columns;
  return { alpha: body.map((line) => cell(line, alpha)), beta: body.map((line) => cell(line, beta)) };
}

const refusal = (name: string, got: string, want: string): PrivacyError =>
  new PrivacyError("INVALID_PARAMETER", { name, got, want });
