import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Cell, Table } from "../chart.ts";

type SchemaElement = ParquetWriter["schema"][number];

interface StoredColumn {
  readonly name: string;
  readonly type: Omit<SchemaElement, "name">;
  readonly data: readonly (string | number | null)[];
}

const types = {
  number: { type: "DOUBLE" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
} as const satisfies Record<string, StoredColumn["type"]>;

/** A table as a Parquet file. A column of numbers and texts, such as counts and dates, becomes two: `value` and `value_text`. */
export async function parquetOf({ columns, rows }: Table): Promise<Uint8Array<ArrayBuffer>> {
  const stored: StoredColumn[] = [];
  const taken = new Set<string>();
  for (const [at, column] of columns.entries())
    for (const one of storedAs(
      column.name,
      rows.map((row) => row[at] ?? null),
    )) {
      // Groups are by columns of a dataset, which may be called as those of the answers are.
      let { name } = one;
      while (taken.has(name)) name += "_";
      taken.add(name);
      stored.push({ ...one, name });
    }
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    createdBy: "dosimeter",
    schema: [
      { name: "root", num_children: stored.length },
      ...stored.map(({ name, type }): SchemaElement => ({ name, ...type, repetition_type: "OPTIONAL" })),
    ],
  });
  await file.write({ columnData: stored.map(({ name, data }) => ({ name, data: [...data] })) });
  await file.finish();
  return new Uint8Array(bytes.getBytes());
}

function storedAs(name: string, cells: readonly Cell[]): readonly StoredColumn[] {
  const numbers = cells.map((cell) => (typeof cell === "number" ? cell : null));
  const texts = cells.map((cell) => (typeof cell === "string" ? cell : null));
  const [hasNumbers, hasTexts] = [numbers, texts].map((all) => all.some((cell) => cell !== null));
  if (!hasNumbers) return [{ name, type: types.text, data: texts }];
  const column = { name, type: types.number, data: numbers };
  return hasTexts ? [column, { name: `${name}_text`, type: types.text, data: texts }] : [column];
}
