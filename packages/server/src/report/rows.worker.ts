import {
  askRows,
  estimate as estimateTable,
  longestLine,
  syntheticCsv,
  syntheticParquet,
} from "@dosimeter/query/statistics";
import { serveThread } from "../threads/serve-thread.ts";
import { MAX_ROWS, MAX_ROWS_BYTES, type RowsAsked, type RowsWanted } from "./rows.ts";

/** Null where the rows would be too many bytes. */
serveThread(async (wanted: RowsWanted | RowsAsked) => {
  if ("asked" in wanted) return askRows(wanted.table, wanted.asked);
  const { table, rows, seed, format } = wanted;
  const asked = { rows: rows ?? Math.min(MAX_ROWS, estimateTable(table).rows), seed };
  if (asked.rows * longestLine(table) > MAX_ROWS_BYTES) return null;
  if (format === "csv") return new TextEncoder().encode([...syntheticCsv(table, asked)].join(""));
  const bytes = await syntheticParquet(table, asked);
  return bytes.length > MAX_ROWS_BYTES ? null : bytes;
});
