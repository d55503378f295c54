import { PrivacyError } from "@dosimeter/core";
import { publicRecords, readNumericColumns } from "@dosimeter/risk";
import { FileInput } from "@mantine/core";
import { useState } from "react";
import { TextField } from "../../parts/fields.tsx";

export interface OwnTable {
  readonly rows: readonly (readonly number[])[];
  readonly origin: string;
}

export function reasonOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return error instanceof PrivacyError ? error.message : "The table cannot be read";
  }
}

export function OwnTableInput({ onTable }: { onTable: (table: OwnTable | undefined) => void }) {
  const [columns, setColumns] = useState("");
  const [origin, setOrigin] = useState("");
  const [text, setText] = useState<string>();
  const names = columns.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  const offer = (next: { text?: string | undefined; columns?: readonly string[]; origin?: string }) => {
    const [given, chosen, where] = [next.text ?? text, next.columns ?? names, next.origin ?? origin];
    if (given === undefined || where.trim() === "") return onTable(undefined);
    try {
      const rows = readNumericColumns(given, chosen);
      publicRecords({ provenance: "public", origin: where, rows });
      onTable({ rows, origin: where });
    } catch {
      onTable(undefined);
    }
  };
  const fault = text === undefined ? undefined : reasonOf(() => readNumericColumns(text, names));
  return (
    <div className="field-grid below-16">
      <FileInput
        label="CSV file"
        description="Stays in this browser"
        placeholder="Choose a file"
        accept=".csv,text/csv"
        error={fault}
        onChange={(file) => {
          void file?.text().then((read) => {
            setText(read);
            offer({ text: read });
          });
        }}
      />
      <TextField
        label="Columns"
        description="Separated by commas; empty: the first"
        value={columns}
        onChange={(typed) => {
          const value = typed;
          setColumns(value);
          offer({ columns: value.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])) });
        }}
      />
      <TextField
        label="I state that these records are public or synthetic, from"
        description="Shown with every result"
        value={origin}
        onChange={(typed) => {
          setOrigin(typed);
          offer({ origin: typed });
        }}
      />
    </div>
  );
}
