import { barStrip, formatNumber } from "@dosimeter/plot";
import { type ReportedAnswer, titleOf } from "@dosimeter/plot/report";
import {
  estimate as estimateTable,
  MAX_SYNTHETIC_ROWS,
  type ReleasedTable,
  type SyntheticCells,
  syntheticCells,
  type TableErrors,
  tableErrors,
  tableNotes,
} from "@dosimeter/query/statistics";
import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { download } from "../parts/browser.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { useWidth } from "../parts/Figure.tsx";
import { Choice, NumberField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { readTyped, type Wish } from "../parts/number-text.ts";
import { Facts } from "../parts/Page.tsx";
import { SceneView } from "../parts/SceneView.tsx";
import { shareOfRows } from "../parts/words.ts";
import { openWorker } from "../worker/open-worker.ts";
import { AskRows } from "./AskRows.tsx";
import { CostLine } from "./CostLine.tsx";
import { CountRows } from "./CountRows.tsx";

const ROWS: Wish = { min: 1, max: MAX_SYNTHETIC_ROWS, isWhole: true };
const SEED: Wish = { min: 0, below: 2 ** 32, isWhole: true };

type Format = "csv" | "parquet";
const FORMATS: readonly { readonly value: Format; readonly label: string }[] = [
  { value: "csv", label: "CSV" },
  { value: "parquet", label: "Parquet" },
];

/** Rows as a file: any number, free, and the same for the same seed. */
function MakeRows({ table, rows: seeming }: { table: ReleasedTable; rows: number }) {
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

/** Rows that are made up for the pictures. */
const SHOWN_ROWS = 20_000;

/** What was measured of a table, how far off it is, and rows that are made up from it for free. */
export function SyntheticTable({ answer, table }: { answer: ReportedAnswer; table: ReleasedTable }) {
  const rows = useMemo(() => estimateTable(table).rows, [table]);
  const errors = tableErrors(table, rows);
  const made = useMemo(() => syntheticCells(table, { rows: Math.min(rows, SHOWN_ROWS) }), [table, rows]);
  const notes = tableNotes(table);
  return (
    <>
      <h2>{titleOf(answer)}</h2>
      <Facts
        of={{
          Rows: `about ${formatNumber(rows, 15)}`,
          Columns: String(table.columns.length),
          "Pairs measured": String(table.pairs.length),
        }}
      />
      {notes.length === 0 ? null : (
        <Notice tone="warn">
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </Notice>
      )}
      <MakeRows table={table} rows={Math.min(rows, MAX_SYNTHETIC_ROWS)} />
      <h3>What made-up rows keep</h3>
      <p className="soft small">
        Bars: made-up rows. Whiskers: where the count lies without noise, in {shareOfRows(answer.confidence)} of cases.
        Misplaced: the share of rows that the noise alone moves.
      </p>
      <Columns answer={answer} table={table} errors={errors} made={made} />
      <Pairs table={table} errors={errors} />
      {table.columns.length === 1 ? null : <CountRows table={table} errors={errors} made={made} />}
      <AskRows table={table} />
      <CostLine answer={{ ...answer, notes: answer.notes.filter((note) => !notes.includes(note)) }} />
    </>
  );
}

interface ColumnsProps {
  answer: ReportedAnswer;
  table: ReleasedTable;
  errors: TableErrors;
  made: SyntheticCells;
}

/** Each column: the counts of made-up rows within the intervals of the released ones. */
function Columns({ answer, table, errors, made }: ColumnsProps) {
  let from = 0;
  return (
    <ul className="synthetic-columns">
      {table.columns.map(({ name, counts }, at) => {
        const cells = answer.cells.slice(from, from + counts.length);
        from += counts.length;
        const tally = new Array<number>(counts.length).fill(0);
        for (const cell of made.columns[at] ?? []) tally[cell] = (tally[cell] ?? 0) + 1;
        const bars = cells.map(({ bin, interval: [low, high] }, cell) => ({
          name: bin?.label ?? "",
          value: { value: ((tally[cell] ?? 0) * errors.rows) / made.rows, low, high },
        }));
        return (
          <li key={name}>
            <Strip name={name} bars={bars} />
            <span className="soft small">noise: {shareOfRows(errors.columns[at]?.error ?? 0)} of rows misplaced</span>
          </li>
        );
      })}
    </ul>
  );
}

function Strip({ name, bars }: { name: string; bars: Parameters<typeof barStrip>[0]["bars"] }) {
  const [width, measure] = useWidth();
  const { scene, summary } = barStrip({ title: name, bars }, { width: Math.max(120, width), height: 64 });
  return (
    <div ref={measure}>
      <h4>{name}</h4>
      {width === 0 ? <div style={{ height: 64 }} /> : <SceneView scene={scene} label={`${name}. ${summary}`} />}
      <div className="ends soft small" aria-hidden>
        <span>{endOf(name, bars.at(0))}</span>
        <span>{endOf(name, bars.at(-1))}</span>
      </div>
    </div>
  );
}

/** What the first or the last bar is, without the name of the column, which stands above it. */
const endOf = (column: string, bar: { readonly name: string } | undefined): string =>
  (bar?.name ?? "").replace(`${column}: `, "");

/** The pairs that were measured; all others are taken as independent. */
function Pairs({ table, errors }: { table: ReleasedTable; errors: TableErrors }) {
  if (table.columns.length === 1) return null;
  if (errors.pairs.length === 0) return <p>No pair of columns was worth its noise at this price.</p>;
  return (
    <DataTable
      caption="Pairs that were measured"
      rows={errors.pairs}
      keyOf={({ columns }) => columns.join()}
      columns={[
        { name: "Pair", isHead: true, cell: ({ columns }) => columns.join(" with ") },
        {
          name: "Rows misplaced by the noise",
          isNumber: true,
          cell: ({ error }) => `${shareOfRows(error)} of rows`,
        },
      ]}
    />
  );
}
