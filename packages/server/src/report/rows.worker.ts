import { estimateTable, longestLine, syntheticCsv } from "@dosimeter/query";
import { MAX_ROWS, MAX_ROWS_BYTES, type RowsQuestion } from "./rows.ts";
import { serveThread } from "./serve-thread.ts";

/** Null where the rows would be too many bytes. */
serveThread(({ table, rows, seed }: RowsQuestion) => {
  const asked = rows ?? Math.min(MAX_ROWS, estimateTable(table).rows);
  if (asked * longestLine(table) > MAX_ROWS_BYTES) return null;
  return new TextEncoder().encode([...syntheticCsv(table, { rows: asked, seed })].join(""));
});
