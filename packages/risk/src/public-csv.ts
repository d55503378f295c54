import { invalid, PrivacyError } from "@dosimeter/core";
import type { Rows } from "./statistic.ts";

/** The named columns of a CSV text of public or synthetic records, first line names; every cell must be a finite number. */
export function readNumericColumns(text: string, columns: readonly string[]): Rows {
  const lines = cells(text);
  const names = (lines[0] ?? []).map((name) => name.trim());
  const wanted = columns.length === 0 ? names.slice(0, 1) : columns;
  const places = wanted.map((name) => {
    const place = names.indexOf(name);
    if (place < 0)
      throw new PrivacyError("UNKNOWN_COLUMN", { name: "column", got: name, want: `one of ${names.join(", ")}` });
    return place;
  });
  return lines.slice(1).map((line, row) =>
    places.map((place, i) => {
      const cell = (line[place] ?? "").trim();
      const value = cell === "" ? Number.NaN : Number(cell);
      if (!Number.isFinite(value)) {
        const name = `row ${row + 1}, ${wanted[i]}`;
        invalid(name, cell, "a finite number");
      }
      return value;
    }),
  );
}

/** RFC 4180: quoted cells may hold commas, line ends and doubled quotes; blank lines are skipped. */
function cells(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let line: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endLine = (): void => {
    line.push(cell);
    if (line.length > 1 || cell.trim() !== "") lines.push(line);
    [line, cell] = [[], ""];
  };
  const start = text.startsWith("\ufeff") ? 1 : 0;
  for (let i = start; i < text.length; i++) {
    const character = text.charAt(i);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else isQuoted = false;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === ",") {
      line.push(cell);
      cell = "";
    } else if (character === "\n") endLine();
    else if (character !== "\r") cell += character;
  }
  endLine();
  return lines;
}
