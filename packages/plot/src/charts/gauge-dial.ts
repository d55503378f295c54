import { type Chart, type ChartSize, chart } from "../chart.ts";
import { type InkName, ink } from "../scene/ink.ts";
import { type BudgetTexts, budgetTexts, formatAmount, formatDecimal } from "../scene/number.ts";
import { type Texture, texturedFill } from "../scene/pattern.ts";
import { coordinate as c, node, type SceneNode } from "../scene/scene.ts";
import { fitText } from "../scene/text.ts";

interface More {
  readonly count: number;
  readonly isAtLeast: boolean;
  /** The next one would lack δ alone. */
  readonly isDelta?: boolean;
}

/** A budget as a dial. Amounts are exact decimals of one unit. */
export interface GaugeDialSpec {
  readonly title: string;
  readonly unit: string;
  readonly total: string;
  readonly spent: string;
  /** Of what is spent, as programs outside declared it; the rest was measured. */
  readonly declared?: string;
  /** Given on to others and not yet spent. */
  readonly promised: string;
  readonly free: string;
  /** How many more charges like the last one fit; absent or null where there was none. */
  readonly more?: More | null;
}

const all = [
  { key: "spent", label: "Spent", ink: "spent", texture: "plain" },
  { key: "declared", label: "Declared outside", ink: "spent", texture: "falling" },
  { key: "promised", label: "Promised", ink: "pending", texture: "rising" },
  { key: "free", label: "Free", ink: "track", texture: "plain" },
] as const satisfies readonly {
  readonly key: "spent" | "declared" | "promised" | "free";
  readonly label: string;
  readonly ink: InkName;
  readonly texture: Texture;
}[];

/** With what was declared the spent part is what was measured. */
function amountsOf({
  spent,
  declared = "0",
  promised,
  free,
}: GaugeDialSpec): Readonly<Record<(typeof all)[number]["key"], string>> {
  const measured = Number(declared) > 0 ? String(Math.max(0, Number(spent) - Number(declared))) : spent;
  return { spent: measured, declared, promised, free };
}

const partsOf = ({ declared = "0" }: GaugeDialSpec) =>
  all.filter(({ key }) => key !== "declared" || Number(declared) > 0);

/** The dial runs clockwise over three quarters of a circle, from the lower left to the lower right. */
const START = (3 / 4) * Math.PI;
const SWEEP = (3 / 2) * Math.PI;
/** Dials of at least this width have the free amount in their middle. */
const WORDED = 120;
/** Of a circle of radius 1: the dial ends above its lowest point. */
const DEPTH = 1 + Math.SQRT1_2;

/** The dial of a dosimeter: spent, then promised, then free, always clockwise from the lower left. */
export function gaugeDial(spec: GaugeDialSpec, { width, heading }: ChartSize): Chart {
  const top = 2;
  const outer = Math.min(width, 220) / 2 - 2;
  const inner = outer * 0.72;
  const at = { x: width / 2, y: top + outer };
  const parts = partsOf(spec);
  const exact = amountsOf(spec);
  const amounts = parts.map(({ key }) => Math.max(0, Number(exact[key])));
  const whole = Math.max(
    Number(spec.total),
    amounts.reduce((sum, amount) => sum + amount, 0),
    Number.MIN_VALUE,
  );
  let turn = START;
  const arcs = parts.map((part, index): SceneNode => {
    const from = turn;
    turn += ((amounts[index] ?? 0) / whole) * SWEEP;
    const { fill } = texturedFill(part.texture, part.ink);
    const hint = node("title", {}, [`${part.label}: ${spec.unit} ${formatDecimal(exact[part.key])}`]);
    return node("path", { d: ring(at, [inner, outer], [from, turn]), fill }, [hint]);
  });
  const used = START + (amounts.slice(0, -1).reduce((sum, amount) => sum + amount, 0) / whole) * SWEEP;
  const defs = parts.flatMap((part) => texturedFill(part.texture, part.ink).defs);
  const outline = node("path", {
    d: ring(at, [inner, outer], [START, START + SWEEP]),
    fill: "none",
    stroke: ink("axis"),
    "stroke-width": 1,
  });
  const nodes = [
    node("defs", {}, defs),
    ...arcs,
    outline,
    hand(at, [inner, outer], used),
    ...(width < WORDED ? [] : middle(spec, at, inner)),
  ];
  const height = Math.ceil(top + outer * DEPTH + 3);
  return chart({ title: spec.title, summary: describe(spec) }, { width, height, nodes }, tableOf(spec), { heading });
}

type Place = { readonly x: number; readonly y: number };
type Pair = readonly [from: number, to: number];

const onCircle = ({ x, y }: Place, radius: number, turn: number): string =>
  `${c(x + radius * Math.cos(turn))} ${c(y + radius * Math.sin(turn))}`;

/** A part of a ring, clockwise. */
function ring(at: Place, [inner, outer]: Pair, [from, to]: Pair): string {
  const isLarge = to - from > Math.PI ? 1 : 0;
  return [
    `M${onCircle(at, outer, from)}`,
    `A${c(outer)} ${c(outer)} 0 ${isLarge} 1 ${onCircle(at, outer, to)}`,
    `L${onCircle(at, inner, to)}`,
    `A${c(inner)} ${c(inner)} 0 ${isLarge} 0 ${onCircle(at, inner, from)}Z`,
  ].join("");
}

/** Points at where what is free begins. */
function hand(at: Place, [inner, outer]: Pair, turn: number): SceneNode {
  const d = `M${onCircle(at, inner * 0.82, turn)}L${onCircle(at, outer, turn)}`;
  return node("path", { d, stroke: ink("text"), "stroke-width": outer < 40 ? 1.5 : 2.5, "stroke-linecap": "round" });
}

/** Where only more than six decimal places add up, each part is written alone. */
const isLong = ({ taken }: BudgetTexts): boolean => taken.some((text) => /\.\d{7}/.test(text));

/** Each part as it is written: they add up to the total, unless that takes too many digits to read. */
export function gaugeTexts({ total, spent, promised, free }: GaugeDialSpec): BudgetTexts & {
  readonly spent: string;
  readonly promised: string;
} {
  const whole = budgetTexts(total, [spent, promised]);
  const texts =
    whole !== null && !isLong(whole)
      ? whole
      : {
          total: formatAmount(total, "down"),
          taken: [formatAmount(spent, "up"), formatAmount(promised, "up")],
          free: formatAmount(free, "down"),
        };
  return { ...texts, spent: texts.taken[0] ?? "", promised: texts.taken[1] ?? "" };
}

function middle(spec: GaugeDialSpec, { x, y }: Place, inner: number): readonly SceneNode[] {
  const { free, total } = gaugeTexts(spec);
  const text = (dy: number, size: number, fill: InkName, words: string, weight = 400) =>
    node(
      "text",
      { x: c(x), y: c(y + dy), "font-size": size, "font-weight": weight, "text-anchor": "middle", fill: ink(fill) },
      [fitText(words, size, inner * 1.7)],
    );
  return [text(4, 28, "text", free, 680), text(24, 14, "muted", `of ${total} free`), text(-26, 14, "muted", spec.unit)];
}

function describe(spec: GaugeDialSpec): string {
  const texts = gaugeTexts(spec);
  const { unit, declared = "0" } = spec;
  const outside = Number(declared) > 0 ? `, ${unit} ${formatAmount(declared, "up")} of it declared outside` : "";
  const said = [
    `spent ${unit} ${texts.spent}${outside}`,
    ...(Number(spec.promised) > 0 ? [`promised ${unit} ${texts.promised}`] : []),
    `free ${unit} ${texts.free}`,
  ];
  const more = spec.more == null ? "" : ` ${moreText(spec.more)}.`;
  return `Of ${spec.unit} ${texts.total}: ${said.join(", ")}.${more}`;
}

/** "About 3 more like your last": what a person may still ask, in their own measure. */
export function moreText({ count, isAtLeast, isDelta = false }: More): string {
  const room = count === 0 ? "Too little for another" : `${isAtLeast ? "At least" : "About"} ${count} more`;
  return `${room} like your last${isDelta ? ": δ is the limit" : ""}`;
}

const tableOf = (spec: GaugeDialSpec) => ({
  columns: [
    { name: "Part", align: "left" as const },
    {
      name: spec.unit,
      align: "right" as const,
      amounts: [
        ...partsOf(spec).map(({ key }) => (key === "free" ? ("down" as const) : ("up" as const))),
        "down" as const,
      ],
    },
  ],
  rows: [...partsOf(spec).map(({ key, label }) => [label, amountsOf(spec)[key]]), ["Total", spec.total]],
});
