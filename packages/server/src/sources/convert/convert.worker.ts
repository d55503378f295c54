import { PrivacyError } from "@dosimeter/core";
import { convertArrow } from "./arrow.ts";
import type { Conversion, Converted, Outcome } from "./converter.ts";
import { openTableWriter } from "./table-writer.ts";
import { tooMuchMemory, unread, WANTED } from "./unread.ts";
import { convertWorkbook } from "./xlsx.ts";

/** One file; then the server ends the process. */
process.once("message", (asked: Conversion) => {
  void outcomeOf(asked).then((outcome) => process.send?.(outcome));
});
// The server has ended, perhaps without a word.
process.on("disconnect", () => process.exit());

async function outcomeOf(asked: Conversion): Promise<Outcome> {
  try {
    return { converted: await convert(asked) };
  } catch (error) {
    const { code, details, message } = refusalOf(error, asked);
    return { refusal: { code, details, message } };
  }
}

/** What a library says may quote a value. */
function refusalOf(error: unknown, { format }: Conversion): PrivacyError {
  if (error instanceof PrivacyError) return error;
  if ((error as NodeJS.ErrnoException).code === "ENOSPC") return new PrivacyError("NOT_READY", {}, "the disk is full");
  return error instanceof Error && /allocat/i.test(error.message) ? tooMuchMemory() : unread(WANTED[format]);
}

async function convert({ format, from, to, largest, reserve, ...limits }: Conversion): Promise<Converted> {
  const writer = openTableWriter(to, { largest, reserve });
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
