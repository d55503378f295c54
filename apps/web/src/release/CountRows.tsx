import { formatNumber } from "@dosimeter/plot";
import {
  type ReleasedTable,
  type SyntheticCells,
  standingOfPair,
  type TableErrors,
  UNMEASURED,
} from "@dosimeter/query/statistics";
import { useMemo, useState } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { Choice } from "../parts/fields.tsx";
import { shareOfRows } from "../parts/words.ts";

/** A pair with more cells is no picture of anything: its rows are downloaded. */
const MAX_SHOWN = 4096;

interface Given {
  readonly table: ReleasedTable;
  readonly errors: TableErrors;
  readonly made: SyntheticCells;
}

/** Made-up rows counted by any two columns: free, and no better than what was measured of the two, which is said. */
export function CountRows({ table, errors, made }: Given) {
  const [[first, second], setPair] = useState<readonly [number, number]>(table.pairs[0]?.columns ?? [0, 1]);
  const options = table.columns.map(({ name }, at) => ({ value: String(at), label: name }));
  const choose = (label: string, at: number, set: (at: number) => void) => (
    <Choice label={label} value={String(at)} data={options} onChange={(column) => set(Number(column))} />
  );
  return (
    <>
      <h3>Count made-up rows</h3>
      <p className="soft small">
        Free, and without an interval: where a number matters, plan it as a statistic of its own.
        {errors.rows > made.rows &&
          ` Counted in ${formatNumber(made.rows, 15)} made-up rows and scaled up: each count is a multiple of ${formatNumber(Math.ceil(errors.rows / made.rows), 3)}.`}
      </p>
      <div className="make-rows">
        {choose("Of each", first, (at) => setPair([at, at === second ? first : second]))}
        {choose("by", second, (at) => setPair([at === first ? second : first, at]))}
      </div>
      <Standing table={table} errors={errors} pair={[first, second]} />
      <Counts table={table} errors={errors} made={made} pair={[first, second]} />
    </>
  );
}

/** What the counts of two columns are worth. */
function Standing({ table, errors, pair }: Omit<Given, "made"> & { readonly pair: readonly [number, number] }) {
  const standing = standingOfPair(table, pair);
  if (standing !== "measured") return <p role="status">These two {UNMEASURED[standing]}</p>;
  const at = table.pairs.findIndex(({ columns }) => columns.every((column) => pair.includes(column)));
  const error = errors.pairs[at]?.error ?? 0;
  return (
    <p role="status">
      These two were measured together: the noise misplaces at most about {shareOfRows(error)} of rows.
    </p>
  );
}

function Counts({ table, errors, made, pair }: Given & { readonly pair: readonly [number, number] }) {
  const [first, second] = pair;
  const [rows, columns] = pair.map((at) => cellsOf(table, at)) as [readonly string[], readonly string[]];
  const isShown = rows.length * columns.length <= MAX_SHOWN;
  const counts = useMemo(() => {
    const tally = new Float64Array(isShown ? rows.length * columns.length : 0);
    made.columns[first]?.forEach((cell, row) => {
      const at = cell * columns.length + (made.columns[second]?.[row] ?? 0);
      tally[at] = (tally[at] ?? 0) + 1;
    });
    return tally;
  }, [made, first, second, rows.length, columns.length, isShown]);
  if (!isShown) return <p>They have too many values to be shown: download the rows.</p>;
  const shown = (row: number, column: number): string =>
    formatNumber(Math.round(((counts[row * columns.length + column] ?? 0) * errors.rows) / made.rows), 15);
  return (
    <DataTable
      caption={`Made-up rows by ${table.columns[first]?.name} and ${table.columns[second]?.name}`}
      isCaptionHidden
      rows={rows.map((name, at) => ({ name, at }))}
      keyOf={({ name }) => name}
      columns={[
        {
          name: table.columns[first]?.name ?? "",
          isHead: true,
          cell: ({ name }) => <span className="whole">{name}</span>,
        },
        ...columns.map((name, column) => ({
          name,
          isNumber: true,
          cell: ({ at }: { readonly at: number }) => shown(at, column),
        })),
      ]}
    />
  );
}

/** The cells of a column in their order, the one for a missing value last. */
const cellsOf = ({ columns }: ReleasedTable, at: number): readonly string[] => {
  const { bins = [], hasMissing = false } = columns[at] ?? {};
  return [...bins.map(({ label }) => label), ...(hasMissing ? ["missing"] : [])];
};
