import { type Chart, type ChartSize, chart, table } from "../chart.ts";
import { captionMarks, rectMark, textMark } from "../frame/marks.ts";
import { ink } from "../scene/ink.ts";
import { node, type SceneNode } from "../scene/scene.ts";
import { capital, fitText, textWidth, wrapText } from "../scene/text.ts";

export interface HeatCell {
  readonly value: number;
  /** The value and its interval as they are written. */
  readonly text: string;
  readonly note: string;
  readonly isFaint?: boolean;
}

export interface HeatTableSpec {
  readonly title: string;
  readonly subtitle?: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly rowLabel: string;
  readonly columnLabel: string;
  readonly valueLabel: string;
  /** A row of cells for each of `rows`; null where there is no answer. */
  readonly cells: readonly (readonly (HeatCell | null)[])[];
}

/** How strong the ink of the largest value is: text on it keeps its contrast in light and dark. */
export const MAX_INK = 0.45;
const MIN_INK = 0.05;
const [TEXT, NOTE, ROW, HEAD] = [13, 11, 40, 15];

const nameWidthOf = ({ rows }: HeatTableSpec, width: number): number =>
  Math.min(width * 0.3, Math.max(24, ...rows.map((name) => textWidth(name, TEXT)))) + 10;

export function heatFits(spec: HeatTableSpec, width: number): boolean {
  const room = (width - nameWidthOf(spec, width)) / Math.max(1, spec.columns.length) - 8;
  return spec.cells
    .flat()
    .every((cell) => cell === null || Math.max(textWidth(cell.text, TEXT), textWidth(cell.note, NOTE)) <= room);
}

/** A table of two groups whose cells are the darker the larger their value is, each with its interval. */
export function heatTable(spec: HeatTableSpec, { width, heading }: ChartSize): Chart {
  const { rows, columns, cells } = spec;
  const left = nameWidthOf(spec, width);
  const step = (width - left - 1) / Math.max(1, columns.length);
  const heads = columns.map((name) => wrapText(name, 12, step - 6).slice(0, 3));
  const caption = wrapText(`${spec.rowLabel} by ${spec.columnLabel}`, 12, width - 8);
  const top = caption.length * HEAD + Math.max(1, ...heads.map((lines) => lines.length)) * HEAD + 10;
  const share = shareOf(cells.flat().flatMap((cell) => (cell === null || cell.isFaint ? [] : [cell.value])));
  const nodes = [
    ...caption.map((line, at) => textMark(line, { x: 4, y: (at + 1) * HEAD - 2, size: 12, isMuted: true })),
    ...heads.flatMap((lines, column) =>
      lines.map((line, at) =>
        textMark(line, {
          x: left + (column + 0.5) * step,
          y: top - 6 - (lines.length - 1 - at) * HEAD,
          anchor: "middle",
          size: 12,
        }),
      ),
    ),
    ...rows.flatMap((name, row) => {
      const y = top + row * ROW;
      return [
        textMark(fitText(name, TEXT, left - 8), { x: 4, y: y + ROW / 2 + 4 }),
        ...columns.flatMap((column, at) =>
          drawn(cells[row]?.[at] ?? null, { x: left + at * step, y, step, share, of: `${name}, ${column}` }),
        ),
      ];
    }),
  ];
  const bottom = top + rows.length * ROW;
  const below = captionMarks(spec.valueLabel, bottom + 20, width);
  const height = Math.ceil(bottom + 10 + below.length * 17);
  return chart({ ...spec, summary: summaryOf(spec) }, { width, height, nodes: [...nodes, ...below] }, tableOf(spec), {
    heading,
  });
}

/** How much ink a value takes: none for the least, or for zero where nothing is below it. */
export function shareOf(values: readonly number[]): (value: number) => number {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const low = least === 0 && Math.min(...values) > most / 2 ? Math.min(...values) : least;
  return (value) => (most > low ? Math.min(1, Math.max(0, (value - low) / (most - low))) : 0);
}

function drawn(
  cell: HeatCell | null,
  at: {
    readonly x: number;
    readonly y: number;
    readonly step: number;
    readonly share: (value: number) => number;
    readonly of: string;
  },
): readonly SceneNode[] {
  const { x, y, step, share, of } = at;
  const box = { x0: x + 1, x1: x + step - 1, y0: y + 1, y1: y + ROW - 1 };
  const middle = { x: x + step / 2, anchor: "middle" } as const;
  if (cell === null) return [textMark("–", { ...middle, y: y + 24, isMuted: true })];
  const hint = `${of}: ${cell.text} ${cell.note}`.trim();
  const words = [
    textMark(cell.text, { ...middle, y: y + (cell.note === "" ? 24 : 18), size: TEXT, isMuted: cell.isFaint === true }),
    textMark(cell.note, { ...middle, y: y + 33, size: NOTE, isMuted: cell.isFaint === true }),
  ];
  if (cell.isFaint) return [rectMark(box, { fill: "none", stroke: "axis", isFaint: true, hint }), ...words];
  const strength = MIN_INK + (MAX_INK - MIN_INK) * share(cell.value);
  const paint = { fill: ink("series1"), "fill-opacity": Math.round(strength * 1000) / 1000 };
  const { attributes, children } = rectMark(box, { fill: paint.fill, hint });
  return [node("rect", { ...attributes, ...paint }, children), ...words];
}

function summaryOf({ rows, columns, cells, valueLabel, rowLabel, columnLabel }: HeatTableSpec): string {
  const all = rows.flatMap((row, at) =>
    columns.flatMap((column, place) => {
      const cell = cells[at]?.[place] ?? null;
      return cell === null || cell.isFaint ? [] : [{ of: `${row}, ${column}`, ...cell }];
    }),
  );
  const sorted = all.toSorted((a, b) => b.value - a.value);
  const [most, least] = [sorted.at(0), sorted.at(-1)];
  const by = `${capital(valueLabel)} by ${rowLabel} and ${columnLabel}`;
  if (most === undefined || least === undefined) return `${by}: nothing to show.`;
  return `${by}, ${all.length} values: highest for ${most.of} at ${most.text}, lowest for ${least.of} at ${least.text}.`;
}

const tableOf = ({ rows, columns, cells, rowLabel, columnLabel, valueLabel }: HeatTableSpec) =>
  table(
    [rowLabel, columnLabel, valueLabel, "Interval"],
    rows.flatMap((row, at) =>
      columns.map((column, place) => {
        const cell = cells[at]?.[place] ?? null;
        return [row, column, cell?.value ?? null, cell?.note ?? null];
      }),
    ),
  );
