import { rm } from "node:fs/promises";
import { PrivacyError } from "@dosimeter/core";
import { serveThread } from "../../threads/serve-thread.ts";
import { convertArrow } from "./arrow.ts";
import type { Conversion, Converted, Outcome } from "./converter.ts";
import { openTableWriter } from "./table-writer.ts";
import { unread } from "./unread.ts";
import { convertWorkbook } from "./xlsx.ts";

serveThread(async (asked: Conversion): Promise<Outcome> => {
  try {
    return { converted: await convert(asked) };
  } catch (error) {
    await rm(asked.to, { force: true });
    // What a library says may quote a value.
    const { code, details, message } = error instanceof PrivacyError ? error : unread(WANTED[asked.format]);
    return { refusal: { code, details, message } };
  }
});

const WANTED = {
  xlsx: "an Excel workbook (.xlsx)",
  arrow: "an Arrow file (Feather version 2 or a stream), compressed with LZ4 or ZSTD or not at all",
} as const;

async function convert({ format, from, to, largest, ...limits }: Conversion): Promise<Converted> {
  const writer = openTableWriter(to, largest);
  try {
    const found =
      format === "xlsx"
        ? await convertWorkbook(from, writer, limits)
        : await convertArrow(from, writer, limits.unpacked);
    writer.end();
    return { format, ...found };
  } finally {
    writer.close();
  }
}
