import { type CalendarUnit, firstDayOf, formatDate, periodOfDay, rangeName } from "@dosimeter/core";
import { type Chart, type ChartSize, chart, table } from "../chart.ts";
import { rectMark } from "../frame/marks.ts";
import { type InkName, ink } from "../scene/ink.ts";
import { formatNumber } from "../scene/number.ts";
import { coordinate as c, node, type SceneNode } from "../scene/scene.ts";
import { fitText } from "../scene/text.ts";

/** Blocks that follow each other, of which the same is spent and set aside. */
export interface BlockStripRun {
  /** Periods of the calendar, counted from 1970 on. */
  readonly from: number;
  readonly to: number;
  /** Spent share of the budget of each, from 0 to 1. */
  readonly used: number;
  /** Share that is set aside for what is to come, at most what is not spent; 0 when absent. */
  readonly earmarked?: number;
}

export interface BlockStripSpec {
  readonly title: string;
  readonly every: CalendarUnit;
  /** The first and the last block that are shown, as periods. */
  readonly from: number;
  readonly to: number;
  /** One strip for each budget, runs in rising order. A block in no run is free as a whole. */
  readonly rows: readonly { readonly name: string; readonly runs: readonly BlockStripRun[] }[];
}

const [STRIP, LABEL, GAP, FOOT] = [22, 18, 10, 20];
/** No cell is narrower, in pixels. */
const MIN_CELL = 6;

/** What a cell may stand for, finest first. A week is in the month or the year in which it begins. */
const LARGER: Readonly<Record<CalendarUnit, readonly CalendarUnit[]>> = {
  day: ["day", "week", "month", "quarter", "year"],
  week: ["week", "month", "quarter", "year"],
  month: ["month", "quarter", "year"],
  quarter: ["quarter", "year"],
  year: ["year"],
};

/** `count` periods of a unit; one cell of the strip. */
interface Cells {
  readonly by: CalendarUnit;
  readonly count: number;
}

/** The finest cells that are wide enough to be seen: for days those of days, weeks, months, quarters, years, then 10, 100, … years. */
function cellsOf({ every, from, to }: BlockStripSpec, width: number): Cells {
  const most = Math.max(1, Math.floor(width / MIN_CELL));
  const periods = (by: CalendarUnit) => periodOf(to, every, by) - periodOf(from, every, by) + 1;
  const by = LARGER[every].find((unit) => periods(unit) <= most);
  if (by !== undefined) return { by, count: 1 };
  const years = periods("year");
  return { by: "year", count: 10 ** Math.ceil(Math.log10(years / most)) };
}

const periodOf = (block: number, every: CalendarUnit, by: CalendarUnit): number =>
  every === by ? block : periodOfDay(firstDayOf(block, every), by);

/** What the fullest block of each cell has spent, and how much of one is not free, by cells with any of it; for the runs of one strip after the other. */
function fullestOf({ every, from: first, to: last }: BlockStripSpec, { by, count }: Cells) {
  const ranges: { from: number; to: number }[] = [];
  let place = Number.NaN;
  const cellOf = Array.from({ length: last - first + 1 }, (_, index) => {
    const block = first + index;
    const here = Math.floor(periodOf(block, every, by) / count);
    const range = ranges.at(-1);
    if (range !== undefined && here === place) range.to = block;
    else ranges.push({ from: block, to: block });
    place = here;
    return ranges.length - 1;
  });
  return (runs: readonly BlockStripRun[]): readonly BlockStripRun[] => {
    const most = ranges.map((range) => ({ ...range, used: 0, taken: 0 }));
    for (const { from, to, used, earmarked = 0 } of runs)
      for (let at = cellOf[from - first] ?? 0; at <= (cellOf[to - first] ?? -1); at++) {
        const cell = most[at];
        if (cell === undefined) continue;
        cell.used = Math.max(cell.used, used);
        cell.taken = Math.max(cell.taken, used + earmarked);
      }
    return most.flatMap(({ taken, ...cell }) => (taken > 0 ? [{ ...cell, earmarked: taken - cell.used }] : []));
  };
}

const shownOf = ({ from, to }: BlockStripSpec, runs: readonly BlockStripRun[]): readonly BlockStripRun[] =>
  runs.flatMap((run) =>
    run.to < from || run.from > to ? [] : [{ ...run, from: Math.max(from, run.from), to: Math.min(to, run.to) }],
  );

/**
 * How full each block is, one strip for each budget: a bar fills the height of its block, and a full one has another colour too; what is set aside
 * stands on what is spent, and what is free stays empty. Where blocks would be too narrow, a cell is a week, a month, a quarter or a year and has
 * the heights of its fullest block. The table has every block.
 */
export function blockStrip(spec: BlockStripSpec, { width, heading }: ChartSize): Chart {
  const { every, from: first, to: last } = spec;
  const blocksText = blocksTextOf(every);
  const rows = spec.rows.map(({ name, runs }) => ({ name, runs: shownOf(spec, runs) }));
  const cells = cellsOf(spec, width);
  const fullest = isExact(spec, cells) ? null : fullestOf(spec, cells);
  const step = (width - 2) / (last - first + 1);
  const gap = step > 2 * MIN_CELL ? 0.15 * step : 0.5;
  const strips = rows.flatMap(({ name, runs }, index): readonly SceneNode[] => {
    const y = index * (LABEL + STRIP + GAP);
    const [high, low] = [y + LABEL, y + LABEL + STRIP];
    const drawn = fullest === null ? runs : fullest(runs);
    return [
      node("text", { x: 1, y: c(y + 13), "font-size": 13, fill: ink("text") }, [fitText(name, 13, width - 2)]),
      rectMark({ x0: 1, x1: width - 1, y0: high, y1: low }, { fill: ink("track") }),
      ...drawn.flatMap(({ from, to, used, earmarked = 0 }) => {
        const [x0, x1] = [1 + (from - first) * step + gap / 2, 1 + (to - first + 1) * step - gap / 2];
        const hint = `${blocksText({ from, to })}: ${stateText({ used, earmarked })}${fullest === null || from === to ? "" : ` in the fullest ${every}`}`;
        const part = (y0: number, y1: number, name: InkName) =>
          y1 > y0 ? [rectMark({ x0, x1, y0, y1 }, { fill: ink(name), hint })] : [];
        const middle = low - STRIP * used;
        return [
          ...part(middle, low, used < 1 ? "spent" : "danger"),
          ...part(middle - STRIP * earmarked, middle, "allocated"),
        ];
      }),
    ];
  });
  const bottom = rows.length * (LABEL + STRIP + GAP);
  const foot = { y: c(bottom + 8), "font-size": 13, fill: ink("muted") };
  const ends = [
    node("text", { ...foot, x: 1 }, [formatDate(first, every)]),
    ...(last > first
      ? [node("text", { ...foot, x: c(width - 1), "text-anchor": "end" }, [formatDate(last, every)])]
      : []),
  ];
  const said = cellsText(spec, cells);
  const note =
    said === "" ? [] : [node("text", { ...foot, x: 1, y: c(bottom + 8 + LABEL) }, [fitText(said, 13, width - 2)])];
  const legend = hasEarmarks(rows) ? legendAt(bottom + 8 + (1 + note.length) * LABEL) : [];
  return chart(
    { title: spec.title, summary: summaryOf({ ...spec, rows }, cells, blocksText) },
    {
      width,
      height: bottom + FOOT + (note.length + Math.min(1, legend.length)) * LABEL,
      nodes: [...strips, ...ends, ...note, ...legend],
    },
    table(
      ["Budget", "Blocks", "Spent share", "Set aside share", "Free share"],
      rows.flatMap(({ name, runs }) =>
        runs.length === 0
          ? [[name, blocksText({ from: first, to: last }), 0, 0, 1]]
          : runs.map((run) => [name, blocksText(run), run.used, run.earmarked ?? 0, freeOf(run)]),
      ),
    ),
    { heading },
  );
}

/** Whether each cell is one block; then neighbours that spent the same are one bar. */
const isExact = ({ every }: BlockStripSpec, { by, count }: Cells): boolean => by === every && count === 1;

type BlocksText = (run: Pick<BlockStripRun, "from" | "to">) => string;

/** What blocks are called: `2024-01 to 2024-03`. Each name is made once, as many strips have the same blocks. */
function blocksTextOf(every: CalendarUnit): BlocksText {
  const names = new Map<number, string>();
  const nameOf = (block: number): string => {
    const name = names.get(block) ?? formatDate(block, every);
    names.set(block, name);
    return name;
  };
  return ({ from, to }) => rangeName(nameOf(from), nameOf(to));
}

/** Less by nothing that rounding of two shares leaves. */
const freeOf = ({ used, earmarked = 0 }: Pick<BlockStripRun, "used" | "earmarked">): number =>
  Math.max(0, 1 - used - earmarked);

const stateText = (run: Pick<BlockStripRun, "used" | "earmarked">): string =>
  run.earmarked === undefined || run.earmarked === 0
    ? `${share(run.used)} spent`
    : `${share(run.used)} spent, ${share(run.earmarked)} set aside, ${share(freeOf(run))} free`;

const hasEarmarks = (rows: BlockStripSpec["rows"]): boolean =>
  rows.some(({ runs }) => runs.some(({ earmarked = 0 }) => earmarked > 0));

/** What the colours of the bars mean. */
const legendAt = (y: number): readonly SceneNode[] =>
  LEGEND.flatMap(({ x, name, text }) => [
    rectMark({ x0: x, x1: x + 12, y0: y - 11, y1: y + 1 }, { fill: ink(name) }),
    node("text", { x: x + 18, y: c(y), "font-size": 13, fill: ink("muted") }, [text]),
  ]);

const LEGEND = [
  { x: 1, name: "spent", text: "spent" },
  { x: 77, name: "allocated", text: "set aside" },
  { x: 171, name: "track", text: "free" },
] as const;

const share = (used: number): string => `${formatNumber(used * 100, 3)} %`;

function summaryOf(spec: BlockStripSpec, cells: Cells, blocksText: BlocksText): string {
  const { rows, every, from, to } = spec;
  const said = rows.slice(0, 4).map(({ name, runs }) => {
    const full = runs.filter(({ used }) => used >= 1).map((run) => blocksText(run));
    const most = runs.reduce((top, { used }) => Math.max(top, used), 0);
    const held = runs.reduce((top, { earmarked = 0 }) => Math.max(top, earmarked), 0);
    const aside = held === 0 ? "" : ` and set aside at most ${share(held)}`;
    if (full.length === 0) return `${name} has spent at most ${share(most)}${aside} of a block`;
    const more = full.length > 3 ? ` and ${full.length - 3} more` : "";
    return `${name} is full in ${full.slice(0, 3).join(", ")}${more}`;
  });
  const each = cellsText(spec, cells);
  return `From ${formatDate(from, every)} to ${formatDate(to, every)}: ${said.join("; ")}.${each === "" ? "" : ` ${each}`}`;
}

/** What a cell stands for, where it is more than a block. */
function cellsText(spec: BlockStripSpec, cells: Cells): string {
  const { by, count } = cells;
  if (isExact(spec, cells)) return "";
  return `Each cell is ${count === 1 ? `one ${by}` : `${count} ${by}s`}, and as full as its fullest ${spec.every}.`;
}
