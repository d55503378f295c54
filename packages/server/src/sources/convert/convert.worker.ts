import { PrivacyError } from "@dosimeter/core";
import type { ConvertedFormat } from "@dosimeter/query/source";
import { convertArrow } from "./arrow.ts";
import type { Conversion, Converted, Outcome } from "./converter.ts";
import { convertJson } from "./json.ts";
import { openTransport } from "./sas-transport.ts";
import { openSpss } from "./spss.ts";
import { writeStatTable } from "./stat-table.ts";
import { openStata } from "./stata.ts";
import { openTableWriter, type TableWriter } from "./table-writer.ts";
import { isPacked, unpack } from "./unpack.ts";
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

type Asked = Omit<Conversion, "to" | "largest" | "reserve">;
type Convert = (asked: Asked, writer: TableWriter) => Omit<Converted, "format"> | Promise<Omit<Converted, "format"> | undefined>;

/** What makes a CSV file of each format. */
const tables: Readonly<Record<ConvertedFormat, Convert>> = {
  xlsx: ({ from, ...limits }, writer) => convertWorkbook(from, writer, limits),
  arrow: async ({ from, unpacked }, writer) => void (await convertArrow(from, writer, unpacked)),
  dta: ({ from, encoding }, writer) => whole(openStata(from, encoding), writer),
  sav: ({ from, ...asked }, writer) => whole(openSpss(from, asked), writer),
  xpt: ({ from, encoding }, writer) => whole(openTransport(from, encoding), writer),
  json: async ({ from }, writer) => void (await convertJson(from, writer)),
};

function whole({ table, close }: ReturnType<typeof openStata>, writer: TableWriter): ReturnType<Convert> {
  try {
    return writeStatTable(table, writer);
  } finally {
    close();
  }
}

async function convert({ format, to, largest, reserve, ...asked }: Conversion): Promise<Converted> {
  const packed = isPacked(format) ? await unpack({ ...asked, format, to, largest, reserve }) : null;
  if (packed === "other") return { format };
  const inner = isPacked(format) ? "xlsx" : format;
  const writer = openTableWriter(to, { largest, reserve });
  try {
    const found = await tables[inner]({ ...asked, format: inner }, writer);
    writer.end();
    return { format: inner, ...found };
  } finally {
    writer.close();
  }
}
