import { type Chart, type ChartSize, chart } from "../chart.ts";
import { rectMark } from "../frame/marks.ts";
import { bandScale } from "../frame/scale.ts";
import { ink } from "../scene/ink.ts";
import { formatNumber } from "../scene/number.ts";
import { coordinate as c, node, type SceneNode } from "../scene/scene.ts";
import { fitText } from "../scene/text.ts";
import { table } from "../table.ts";

/** Blocks that follow each other and have spent the same. */
export interface BlockStripRun {
  /** Counted from the first block of the strip, which is 0. */
  readonly from: number;
  readonly to: number;
  /** What the blocks are called: `2024-01 to 2024-03`. */
  readonly label: string;
  /** Spent share of the budget of each, from 0 to 1. */
  readonly used: number;
}

export interface BlockStripSpec {
  readonly title: string;
  readonly first: string;
  readonly last: string;
  /** How many blocks there are. */
  readonly count: number;
  /** One strip for each budget. A block in no run has spent nothing. */
  readonly rows: readonly { readonly name: string; readonly runs: readonly BlockStripRun[] }[];
}

const [STRIP, LABEL, GAP, FOOT] = [22, 18, 10, 20];

/** How full each block is, one strip for each budget: a bar fills the height of its block, and a full one has another colour too. */
export function blockStrip(spec: BlockStripSpec, { width, heading = false }: ChartSize): Chart {
  const top = heading ? 30 : 0;
  const blocks = bandScale(spec.count, [1, width - 1], spec.count > width / 6 ? 0 : 0.15);
  const end = (block: number): number => blocks.start(block) + Math.max(0.5, blocks.bandwidth);
  const strips = spec.rows.flatMap(({ name, runs }, index): readonly SceneNode[] => {
    const y = top + index * (LABEL + STRIP + GAP);
    const [high, low] = [y + LABEL, y + LABEL + STRIP];
    return [
      node("text", { x: 1, y: c(y + 13), "font-size": 13, fill: ink("text") }, [fitText(name, 13, width - 2)]),
      rectMark({ x0: 1, x1: width - 1, y0: high, y1: low }, { fill: ink("track") }),
      ...runs.map(({ from, to, label, used }) =>
        rectMark(
          { x0: blocks.start(from), x1: end(to), y0: low - STRIP * used, y1: low },
          { fill: ink(used < 1 ? "spent" : "danger"), hint: `${label}: ${share(used)} spent` },
        ),
      ),
    ];
  });
  const bottom = top + spec.rows.length * (LABEL + STRIP + GAP);
  const foot = { y: c(bottom + 8), "font-size": 13, fill: ink("muted") };
  const ends = [
    node("text", { ...foot, x: 1 }, [spec.first]),
    ...(spec.count > 1 ? [node("text", { ...foot, x: c(width - 1), "text-anchor": "end" }, [spec.last])] : []),
  ];
  const title = heading
    ? [
        node("text", { x: 1, y: 19, "font-size": 16, "font-weight": 650, fill: ink("text") }, [
          fitText(spec.title, 16, width - 2),
        ]),
      ]
    : [];
  return chart(
    { title: spec.title, summary: summaryOf(spec) },
    { width, height: bottom + FOOT, nodes: [...title, ...strips, ...ends] },
    table(
      ["Budget", "Blocks", "Spent share"],
      spec.rows.flatMap(({ name, runs }) =>
        runs.length === 0
          ? [[name, `${spec.first} to ${spec.last}`, 0]]
          : runs.map(({ label, used }) => [name, label, used]),
      ),
    ),
  );
}

const share = (used: number): string => `${formatNumber(used * 100, 3)} %`;

function summaryOf({ rows, first, last }: BlockStripSpec): string {
  const said = rows.slice(0, 4).map(({ name, runs }) => {
    const full = runs.filter(({ used }) => used >= 1).map(({ label }) => label);
    const most = runs.reduce((top, { used }) => Math.max(top, used), 0);
    if (full.length === 0) return `${name} has spent at most ${share(most)} of a block`;
    const more = full.length > 3 ? ` and ${full.length - 3} more` : "";
    return `${name} is full in ${full.slice(0, 3).join(", ")}${more}`;
  });
  return `From ${first} to ${last}: ${said.join("; ")}.`;
}
