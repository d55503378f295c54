import { MAX_SYNTHETIC_ROWS, type ReleasedTable } from "@dosimeter/query/statistics";
import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { download } from "../parts/browser.ts";
import { Choice, NumberField } from "../parts/fields.tsx";
import { readTyped, type Wish } from "../parts/number-text.ts";
import { openWorker } from "../worker/open-worker.ts";

const ROWS: Wish = { min: 1, max: MAX_SYNTHETIC_ROWS, isWhole: true };
const SEED: Wish = { min: 0, below: 2 ** 32, isWhole: true };

type Format = "csv" | "parquet";
const FORMATS: readonly { readonly value: Format; readonly label: string }[] = [
  { value: "csv", label: "CSV" },
  { value: "parquet", label: "Parquet" },
];

/** Rows as a file: any number, free, and the same for the same seed. */
export function MakeRows({ table, rows: seeming }: { table: ReleasedTable; rows: number }) {
  const [rows, setRows] = useState(String(seeming));
  const [seed, setSeed] = useState("0");
  const [format, setFormat] = useState<Format>("csv");
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState("");
  const [count, start] = [readTyped(rows, ROWS), readTyped(seed, SEED)];
  const asked =
    count.fault === undefined && start.fault === undefined ? { rows: count.value, seed: start.value } : null;
  const make = async (): Promise<void> => {
    if (asked === null) return;
    setBusy(true);
    const worker = openWorker();
    try {
      const rows = await worker.run("makeRows", { table, format, ...asked });
      download(`synthetic.${format}`, rows.type, rows);
      setSaid(`synthetic.${format} is downloaded. Nothing was charged.`);
    } catch {
      setSaid("The rows could not be made: ask for fewer.");
    } finally {
      worker.close();
      setBusy(false);
    }
  };
  return (
    <form
      className="make-rows"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <NumberField label="Rows" wish={ROWS} value={rows} onChange={setRows} />
      <NumberField
        label="Seed"
        description="The same seed gives the same rows."
        inputWrapperOrder={["label", "input", "description", "error"]}
        wish={SEED}
        value={seed}
        onChange={setSeed}
      />
      <Choice label="Format" data={FORMATS} value={format} onChange={setFormat} />
      <Button
        type="submit"
        loading={isBusy}
        disabled={asked === null}
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        Download made-up rows
      </Button>
      <span className="soft small" role="status">
        {said}
      </span>
    </form>
  );
}
