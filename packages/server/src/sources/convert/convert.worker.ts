import { PrivacyError } from "@dosimeter/core";
import type { ConvertedFormat, PackedFormat } from "@dosimeter/query/source";
import type { Conversion, Converted, Outcome, Unpacked } from "./converter.ts";
import type { OpenedTable } from "./stat-table.ts";
import { openTableWriter, type TableWriter } from "./table-writer.ts";
import { isPacked, unpack } from "./unpack.ts";
import { tooMuchMemory, unread, WANTED } from "./unread.ts";

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

type Reading = Omit<Conversion, "to" | "largest" | "reserve">;
type Convert = (asked: Reading, writer: TableWriter) => Promise<Omit<Converted, "format"> | undefined>;

/** What makes a CSV file of each format. A process reads one, and loads no other. */
const tables: Readonly<Record<ConvertedFormat, Convert>> = {
  xlsx: async ({ from, ...limits }, writer) => (await import("./xlsx.ts")).convertWorkbook(from, writer, limits),
  ods: async ({ from, ...limits }, writer) => (await import("./ods.ts")).convertOds(from, writer, limits),
  arrow: async ({ from, unpacked }, writer) =>
    void (await (await import("./arrow.ts")).convertArrow(from, writer, unpacked)),
  dta: async ({ from, encoding }, writer) => whole((await import("./stata.ts")).openStata(from, encoding), writer),
  sav: async ({ from, ...asked }, writer) => whole((await import("./spss.ts")).openSpss(from, asked), writer),
  xpt: async ({ from, encoding }, writer) =>
    whole((await import("./sas-transport.ts")).openTransport(from, encoding), writer),
  sas7bdat: async ({ from, encoding }, writer) =>
    whole((await import("./sas-table.ts")).openSasTable(from, encoding), writer),
  json: async ({ from }, writer) => void (await (await import("./json.ts")).convertJson(from, writer)),
};

async function whole({ table, close }: OpenedTable, writer: TableWriter) {
  try {
    return (await import("./stat-table.ts")).writeStatTable(table, writer);
  } finally {
    close();
  }
}

async function convert({ format, to, largest, reserve, ...asked }: Conversion): Promise<Converted | Unpacked> {
  const inner = isPacked(format) ? await unpack({ ...asked, format, to, largest, reserve }) : format;
  if (inner === "other") return { packed: format as PackedFormat };
  const writer = openTableWriter(to, { largest, reserve });
  try {
    const found = await tables[inner]({ ...asked, format: inner }, writer);
    writer.end();
    return { format: inner, ...found };
  } finally {
    writer.close();
  }
}
