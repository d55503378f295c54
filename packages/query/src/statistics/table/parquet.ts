import { parsePeriod } from "@dosimeter/core";
import type { ColumnSource, ParquetWriter } from "hyparquet-writer";
import type { Key } from "../../declaration/key.ts";
import type { ReleasedColumn, ReleasedTable } from "../released.ts";
import { type SyntheticRequest, syntheticValues } from "./synthesize.ts";

/** Rows of one row group. */
const GROUP = 65_536;

type SchemaElement = ParquetWriter["schema"][number];

interface Stored {
  readonly type: Omit<SchemaElement, "name">;
  readonly of: (value: Key) => unknown;
}
const stored = {
  whole: { type: { type: "INT64" }, of: (value) => BigInt(value) },
  number: { type: { type: "DOUBLE" }, of: Number },
  truth: { type: { type: "BOOLEAN" }, of: (value) => value },
  day: { type: { type: "INT32", converted_type: "DATE" }, of: (value) => parsePeriod(String(value), "day") },
  text: { type: { type: "BYTE_ARRAY", converted_type: "UTF8" }, of: String },
} as const satisfies Record<string, Stored>;

/** Days are dates; other periods and all that is of several kinds are the texts that a CSV file has. */
function storedAs({ type, calendar = "day", bins }: ReleasedColumn): Stored {
  const kinds = new Set(bins.map((bin) => ("value" in bin ? typeof bin.value : "number")));
  if (type === "date") return calendar === "day" ? stored.day : stored.text;
  if (kinds.size !== 1) return stored.text;
  if (kinds.has("boolean")) return stored.truth;
  if (!kinds.has("number")) return stored.text;
  return type === "integer" ? stored.whole : stored.number;
}

/** A made-up table as a Parquet file, with the same values as its CSV file. A missing value is null. */
export async function syntheticParquet(
  table: ReleasedTable,
  request: SyntheticRequest = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { ByteWriter, ParquetWriter: Writer } = await import("hyparquet-writer");
  const kinds = table.columns.map(storedAs);
  const bytes = new ByteWriter();
  const file = new Writer({
    writer: bytes,
    createdBy: "dosimeter",
    schema: [
      { name: "root", num_children: kinds.length },
      ...kinds.map(
        ({ type }, at): SchemaElement => ({
          ...{ name: table.columns[at]?.name ?? "", ...type },
          repetition_type: table.columns[at]?.hasMissing === true ? "OPTIONAL" : "REQUIRED",
        }),
      ),
    ],
  });
  for (const columns of syntheticValues(table, request, GROUP))
    await file.write({
      rowGroupSize: GROUP,
      columnData: columns.map(
        (values, at): ColumnSource => ({
          name: table.columns[at]?.name ?? "",
          data: values.map((value) => (value === null ? null : kinds[at]?.of(value))),
        }),
      ),
    });
  await file.finish();
  return new Uint8Array(bytes.getBytes());
}
