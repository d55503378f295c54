import { estimateTable, syntheticCsv } from "@dosimeter/query";
import type { RowsQuestion } from "./rows.ts";
import { serveThread } from "./serve-thread.ts";

/** The most made-up rows of one answer; commands and pages make more by themselves. */
const MAX_ROWS = 100_000;

serveThread(({ table, rows, seed }: RowsQuestion) => {
  const asked = { rows: rows ?? Math.min(MAX_ROWS, estimateTable(table).rows), seed };
  return new TextEncoder().encode([...syntheticCsv(table, asked)].join(""));
});
