import { type Chart, type ChartSize, chart } from "../chart.ts";
import { rectMark } from "../frame/marks.ts";
import { ink } from "../scene/ink.ts";
import { budgetTexts, formatAmount, formatDecimal } from "../scene/number.ts";
import { texturedFill } from "../scene/pattern.ts";
import { coordinate as c, node, type SceneNode } from "../scene/scene.ts";
import { fitText, textWidth } from "../scene/text.ts";

/** A node of a budget tree; amounts are exact decimals of one unit, drawn from their nearest doubles. */
export interface IcicleNode {
  readonly id: string;
  readonly label: string;
  readonly total: string;
  readonly spent: string;
  /** Promised to the nodes below. */
  readonly allocated: string;
  readonly free: string;
  /** A word after the label: "cap", "frozen". */
  readonly mark?: string;
  readonly children: readonly IcicleNode[];
}

export interface IcicleSpec {
  readonly title: string;
  readonly unit: string;
  readonly root: IcicleNode;
}

/** Where a node is drawn, in pixels, for whatever a page lays over it. */
export interface IcicleCell {
  readonly id: string;
  readonly depth: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly node: IcicleNode;
}

const ROW = 52;
const GAP = 2;
/** Below this a name is written upwards. */
const NARROW = 44;

/**
 * The cells of a tree, each row the promises of the row above: as wide as its share of what funds it, or of all that was
 * promised there where that is more than there is.
 */
export function icicleCells({ root }: IcicleSpec, { width }: ChartSize): readonly IcicleCell[] {
  const cells: IcicleCell[] = [];
  const place = (item: IcicleNode, depth: number, x: number, room: number): void => {
    const y = 2 + depth * (ROW + GAP);
    cells.push({ id: item.id, depth, x, y, width: room, height: ROW, node: item });
    const promised = item.children.reduce((sum, { total }) => sum + Number(total), 0);
    const whole = Math.max(Number(item.total), promised, Number.MIN_VALUE);
    let left = x;
    for (const child of item.children) {
      const share = (Number(child.total) / whole) * room;
      place(child, depth + 1, left, share);
      left += share;
    }
  };
  place(root, 0, 1, width - 2);
  return cells;
}

/** A budget tree from the lifetime at the top to the people at the bottom; what is spent is filled, what is free is plain. */
export function icicleChart(spec: IcicleSpec, size: ChartSize): Chart {
  const cells = icicleCells(spec, size);
  const promised = texturedFill("rising", "pending");
  const nodes = cells.flatMap((cell) => drawn(spec, cell, promised.fill));
  const height = Math.max(...cells.map(({ y }) => y + ROW)) + 4;
  return chart(
    { title: spec.title, summary: summaryOf(spec) },
    { width: size.width, height, nodes: [node("defs", {}, promised.defs), ...nodes] },
    {
      columns: [
        { name: "account", align: "left" },
        { name: `quota ${spec.unit}`, align: "right", amounts: "down" },
        { name: `spent ${spec.unit}`, align: "right", amounts: "up" },
        { name: `promised below ${spec.unit}`, align: "right", amounts: "up" },
        { name: `free ${spec.unit}`, align: "right", amounts: "down" },
      ],
      rows: cells.map(({ depth, node: item }) => [
        `${"· ".repeat(depth)}${item.label}${item.mark === undefined ? "" : ` (${item.mark})`}`,
        item.total,
        item.spent,
        item.allocated,
        item.free,
      ]),
    },
    size,
  );
}

function drawn(
  { unit }: IcicleSpec,
  { x, y, width, height, node: item }: IcicleCell,
  promised: string,
): readonly SceneNode[] {
  const [x0, x1, y0, y1] = [x + 0.5, Math.max(x + 1, x + width - GAP), y, y + height];
  const total = Math.max(Number(item.total), Number.MIN_VALUE);
  const part = (amount: string): number => Math.min(1, Number(amount) / total) * (x1 - x0);
  const bar = y1 - 8;
  const spent = part(item.spent);
  const given = Math.max(0, Math.min(part(item.allocated), x1 - x0 - spent));
  const hint = `${item.label}: ${unit} ${formatDecimal(item.spent)} of ${formatDecimal(item.total)} spent`;
  const words = width < NARROW ? [] : wordsOf(item, unit, x1 - x0 - 12);
  return [
    rectMark({ x0, x1, y0, y1 }, { fill: ink("track"), stroke: "axis", radius: 3, hint }),
    rectMark({ x0: x0 + 1, x1: Math.max(x0 + 1, x0 + spent - 1), y0: bar, y1: y1 - 2 }, { fill: ink("spent") }),
    rectMark({ x0: x0 + spent, x1: x0 + spent + given, y0: bar, y1: y1 - 2 }, { fill: promised }),
    ...words.map(({ text, y: down, isHead }) =>
      node(
        "text",
        {
          x: c(x0 + 6),
          y: c(y0 + down),
          "font-size": isHead ? 13 : 12,
          "font-weight": isHead ? 600 : undefined,
          fill: ink(isHead ? "text" : "muted"),
        },
        [text],
      ),
    ),
    ...(width >= NARROW || width < 16 ? [] : [upright(item.label, { x: (x0 + x1) / 2 + 4, y: bar - 3 })]),
  ];
}

/** A name in a box too narrow to read it across. */
const upright = (label: string, { x, y }: { readonly x: number; readonly y: number }): SceneNode =>
  node("text", { transform: `translate(${c(x)} ${c(y)}) rotate(-90)`, "font-size": 11, fill: ink("text") }, [
    fitText(label, 11, ROW - 14),
  ]);

function wordsOf(item: IcicleNode, unit: string, room: number) {
  const label = item.mark === undefined ? item.label : `${item.label} · ${item.mark}`;
  const short = `${unit} ${formatAmount(item.spent, "up")} of ${formatAmount(item.total, "down")}`;
  const amount = [`${short} spent`, short].find((text) => textWidth(text, 12) <= room);
  return [
    { text: fitText(label, 13, room), y: 18, isHead: true },
    // A name may be cut, a figure never: what is left of it would be another one.
    ...(amount === undefined ? [] : [{ text: amount, y: 35, isHead: false }]),
  ];
}

function summaryOf({ unit, root }: IcicleSpec): string {
  const count = (item: IcicleNode): number => 1 + item.children.reduce((sum, child) => sum + count(child), 0);
  const accounts = count(root) - 1;
  const texts = budgetTexts(root.total, [root.spent, root.allocated]);
  const [spent, promised] = texts?.taken ?? [formatAmount(root.spent, "up"), formatAmount(root.allocated, "up")];
  return `${root.label}: ${unit} ${texts?.total ?? formatAmount(root.total, "down")}, of which ${spent} is spent, ${promised} is promised to ${accounts} ${accounts === 1 ? "budget" : "budgets"} and ${texts?.free ?? formatAmount(root.free, "down")} is free.`;
}
