import { PrivacyError } from "../error.ts";
import type { PointsInput } from "./points.ts";

/**
 * Points of a CSV text: columns `alpha` and `beta` by name in any order and among others, or two columns of numbers, or
 * 101 numbers. Lines may end in LF, CRLF or CR.
 */
export function readPointsCsv(text: string, name: string): PointsInput {
  const lines = linesOf(text);
  const [first] = lines;
  if (first === undefined) throw refusal(name, "an empty file", "points: columns alpha and beta");
  const isHeaded = first.cells.some((cell) => cell !== "" && Number.isNaN(Number(cell)));
  const heading = first.cells.map((cell) => cell.toLowerCase());
  const body = isHeaded ? lines.slice(1) : lines;
  const columns = isHeaded ? [heading.indexOf("alpha"), heading.indexOf("beta")] : [0, 1];
  if (columns.includes(-1)) throw refusal(name, first.cells.join(","), "a heading with alpha and beta");
  const cell = (line: Line, column: number) => numberIn(line, column, name);
  if (!isHeaded && body.every(({ cells }) => cells.length === 1)) return body.map((line) => cell(line, 0));
  const [alpha = 0, beta = 1] = columns;
  return { alpha: body.map((line) => cell(line, alpha)), beta: body.map((line) => cell(line, beta)) };
}

/** Attack scores of a CSV text: the column `score` by name, or one column of numbers. */
export function readScoresCsv(text: string, name: string): readonly number[] {
  const lines = linesOf(text);
  const [first] = lines;
  if (first === undefined) throw refusal(name, "an empty file", "scores: one number a line");
  const isHeaded = first.cells.some((cell) => cell !== "" && Number.isNaN(Number(cell)));
  const heading = first.cells.map((cell) => cell.toLowerCase());
  const column = isHeaded && first.cells.length > 1 ? heading.indexOf("score") : 0;
  if (column === -1 || (!isHeaded && first.cells.length > 1)) {
    throw refusal(name, first.cells.join(","), "one column of numbers, or one with the heading score");
  }
  const body = isHeaded ? lines.slice(1) : lines;
  if (body.length === 0) throw refusal(name, "a heading alone", "scores: one number a line");
  return body.map((line) => numberIn(line, column, name));
}

interface Line {
  readonly number: number;
  readonly cells: readonly string[];
}

const linesOf = (text: string): readonly Line[] =>
  text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .map((line, i) => ({
      number: i + 1,
      cells: line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));

function numberIn({ cells, number: line }: Line, column: number, name: string): number {
  const value = cells[column];
  const number = value === undefined || value === "" ? Number.NaN : Number(value);
  if (Number.isNaN(number)) throw refusal(`${name}, line ${line}`, value ?? "a missing value", "a number");
  return number;
}

const refusal = (name: string, got: string, want: string): PrivacyError =>
  new PrivacyError("INVALID_PARAMETER", { name, got, want });
