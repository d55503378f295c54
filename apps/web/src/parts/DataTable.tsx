import type { CSSProperties, ReactNode } from "react";
import { placesOf } from "./Amount.tsx";

interface DataColumn<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  /** The first such column heads its row. */
  readonly isHead?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** A native table: fast at any length, scrolls inside its own box, and stacks into cards on a phone when `isStacking`. */
export function DataTable<Row>({
  caption,
  isCaptionHidden = false,
  columns,
  rows,
  keyOf,
  isStacking = false,
}: {
  caption: string;
  isCaptionHidden?: boolean;
  columns: readonly DataColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string;
  isStacking?: boolean;
}) {
  const cells = columns.map(({ cell }) => rows.map(cell));
  const places = cells.map((shown) =>
    shown.reduce<number>((most, cell) => (isNumberText(cell) ? Math.max(most, placesOf(cell)) : most), 0),
  );
  const table = (
    <table className={isStacking ? "data stacks" : "data"}>
      <caption className={isCaptionHidden ? "visually-hidden" : undefined}>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" className={column.isNumber ? "num" : undefined}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)}>
            {columns.map((column, at) => {
              const shown = cells[at]?.[index];
              const cell = column.isNumber ? onPoint(shown, places[at] ?? 0) : shown;
              return column.isHead ? (
                <Head key={column.name} column={column} cell={cell} />
              ) : (
                <td key={column.name} data-label={column.name} className={column.isNumber ? "num" : undefined}>
                  {isStacking ? <div>{cell}</div> : cell}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="table-scroll" tabIndex={0} aria-label={caption}>
      {table}
    </section>
  );
}

const isNumberText = (cell: ReactNode): cell is string => typeof cell === "string" && /^\u2212?[\d,.]+$/.test(cell);

/** Numbers of a column have their points below each other: a shorter one leaves room for the digits of the longest. */
function onPoint(cell: ReactNode, most: number): ReactNode {
  const places = isNumberText(cell) ? placesOf(cell) : most;
  if (places === most) return cell;
  const room = { "--digits": most - places, "--point": places === 0 ? "0.28em" : "0em" };
  return (
    <span className="shorter" style={room as CSSProperties}>
      {cell}
    </span>
  );
}

/** The heading of a row. Where the table stacks, a lone number gets the name of its column. */
function Head<Row>({ column: { name, isNumber }, cell }: { column: DataColumn<Row>; cell: ReactNode }) {
  return (
    <th scope="row" data-label={/^\d+$/.test(String(cell)) ? name : undefined} className={isNumber ? "num" : undefined}>
      {cell}
    </th>
  );
}
