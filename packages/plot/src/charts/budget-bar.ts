import { type Chart, type ChartSize, chart, type Table } from "../chart.ts";
import { rectMark, ruleMark } from "../frame/marks.ts";
import { type InkName, ink, seriesStyle } from "../scene/ink.ts";
import { budgetTexts, formatAmount, formatDecimal } from "../scene/number.ts";
import { seriesTexture, type Texture, texturedFill } from "../scene/pattern.ts";
import { coordinate as c, node, type SceneNode } from "../scene/scene.ts";
import { fitText, textWidth } from "../scene/text.ts";

/** A share of the whole. `amount` is the exact decimal that is written; it is drawn from its nearest double. */
export interface BudgetSegment {
  readonly label: string;
  readonly amount: string;
  readonly kind: "spent" | "pending" | "allocated" | "free" | "row";
  /** A row's place in its list, which gives it colour and texture. */
  readonly row?: number;
}

export interface BudgetBarSpec {
  readonly title: string;
  /** The whole, an exact decimal. */
  readonly total: string;
  /** "ε", "δ": written before amounts. */
  readonly unit: string;
  readonly segments: readonly BudgetSegment[];
  /** What is asked for beyond the total, an exact decimal; "0" or absent for none. */
  readonly over?: string;
}

const looks = {
  spent: { ink: "spent", texture: "plain" },
  pending: { ink: "pending", texture: "rising" },
  allocated: { ink: "allocated", texture: "dots" },
  free: { ink: "track", texture: "plain" },
} as const satisfies Record<Exclude<BudgetSegment["kind"], "row">, { ink: InkName; texture: Texture }>;

const lookOf = ({ kind, row = 0 }: BudgetSegment): { readonly ink: InkName; readonly texture: Texture } =>
  kind === "row" ? { ink: seriesStyle(row).ink, texture: seriesTexture(row) } : looks[kind];

const BAR = 22;

/** Where each segment of the bar ends, in pixels of a picture so wide, and what the whole width stands for. */
export function budgetEdges(
  { segments, total }: BudgetBarSpec,
  width: number,
): { readonly ends: readonly number[]; readonly scale: number } {
  const amounts = segments.map(({ amount }) => Math.max(0, Number(amount)));
  const scale = Math.max(
    amounts.reduce((a, b) => a + b, 0),
    Number(total),
    Number.MIN_VALUE,
  );
  let x = 1;
  return { ends: amounts.map((amount) => (x += (amount / scale) * (width - 2))), scale };
}

/** The gauge of a budget: one bar of shares with every amount written below it. The height follows the words. */
export function budgetBar(spec: BudgetBarSpec, { width, heading }: ChartSize): Chart {
  const top = 2;
  const { ends, scale } = budgetEdges(spec, width);
  const [left, right] = [1, width - 1];
  const bars = spec.segments.map((segment, index): SceneNode => {
    const box = { x0: ends[index - 1] ?? left, x1: ends[index] ?? left, y0: top, y1: top + BAR };
    const look = lookOf(segment);
    const hint = `${segment.label}: ${spec.unit} ${formatDecimal(segment.amount)}`;
    return rectMark(box, { fill: texturedFill(look.texture, look.ink).fill, hint });
  });
  const outline = rectMark(
    { x0: left, x1: right, y0: top, y1: top + BAR },
    { fill: "none", stroke: "axis", radius: 3 },
  );
  const limit = left + (Number(spec.total) / scale) * (right - left);
  const isOver = spec.over !== undefined && Number(spec.over) > 0;
  const limitLine = isOver ? [ruleMark([limit, top - 2], [limit, top + BAR + 5], "danger", 3)] : [];
  const key = keyRows(spec, width, top + BAR + 10);
  const defs = distinctLooks(spec).flatMap((look) => texturedFill(look.texture, look.ink).defs);
  const nodes = [node("defs", {}, defs), ...bars, outline, ...limitLine, ...key.nodes];
  return chart({ title: spec.title, summary: describe(spec) }, { width, height: key.bottom, nodes }, tableOf(spec), {
    heading,
  });
}

function keyRows(
  spec: BudgetBarSpec,
  width: number,
  top: number,
): { readonly nodes: readonly SceneNode[]; readonly bottom: number } {
  const texts = textsOf(spec);
  let x = 1;
  let y = top;
  const nodes = spec.segments.flatMap((segment): readonly SceneNode[] => {
    const look = lookOf(segment);
    const label = fitText(segment.label, 13, width * 0.6);
    const amount = texts.of(segment);
    const needed = 20 + textWidth(label, 13) + 6 + textWidth(amount, 13);
    if (x > 1 && x + needed > width) {
      x = 1;
      y += 22;
    }
    const { fill } = texturedFill(look.texture, look.ink);
    const placed = [
      node("rect", {
        x: c(x + 0.5),
        y: y + 4.5,
        width: 12,
        height: 12,
        rx: 2,
        fill,
        stroke: ink(segment.kind === "free" ? "axis" : look.ink),
      }),
      node("text", { x: c(x + 20), y: y + 15, "font-size": 13, fill: ink("muted") }, [
        `${label} `,
        node("tspan", { fill: ink("text"), "font-weight": 600 }, [amount]),
      ]),
    ];
    x += needed + 18;
    return placed;
  });
  return { nodes, bottom: y + 24 };
}

function distinctLooks({ segments }: BudgetBarSpec): readonly ReturnType<typeof lookOf>[] {
  const found = segments.map(lookOf);
  return found.filter((look, index) => found.findIndex((other) => other.ink === look.ink) === index);
}

/** Room is never shown as more than it is, and nothing else as less; where there is enough, all add up to the total as it is written. */
function textsOf({ unit, total, segments, over = "0" }: BudgetBarSpec) {
  const free = segments.filter(({ kind }) => kind === "free");
  const taken = segments.filter(({ kind }) => kind !== "free");
  const isWhole = free.length === 1 && !(Number(over) > 0);
  const texts = isWhole
    ? budgetTexts(
        total,
        taken.map(({ amount }) => amount),
      )
    : null;
  const written = (text: string): string => `${unit} ${text}`.trim();
  return {
    total: written(texts?.total ?? formatAmount(total, "down")),
    of: (segment: BudgetSegment): string =>
      written(
        segment.kind === "free"
          ? (texts?.free ?? formatAmount(segment.amount, "down"))
          : (texts?.taken[taken.indexOf(segment)] ?? formatAmount(segment.amount, "up")),
      ),
    over: written(formatAmount(over, "up")),
  };
}

function describe(spec: BudgetBarSpec): string {
  const texts = textsOf(spec);
  const parts = spec.segments.map((segment) => `${segment.label.toLowerCase()} ${texts.of(segment)}`);
  const isOver = spec.over !== undefined && Number(spec.over) > 0;
  const over = isOver ? ` This is ${texts.over} more than there is.` : "";
  return `Of ${texts.total}: ${parts.join(", ")}.${over}`;
}

const tableOf = (spec: BudgetBarSpec): Table => ({
  columns: [
    { name: "Share", align: "left" as const },
    {
      name: spec.unit,
      align: "right" as const,
      amounts: [...spec.segments.map(({ kind }) => (kind === "free" ? ("down" as const) : ("up" as const))), "down"],
    },
  ],
  rows: [...spec.segments.map((segment) => [segment.label, segment.amount]), ["Total", spec.total]],
});
