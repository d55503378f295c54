import { ink } from "../scene/ink.ts";
import { coordinate as c, group, node, type SceneNode } from "../scene/scene.ts";
import { fitText, textWidth } from "../scene/text.ts";
import { type LegendItem, legend } from "./legend.ts";
import { ruleMark } from "./marks.ts";
import { type BandScale, bandScale, type Scale, type Tick } from "./scale.ts";

/** An axis: its words, and how to make its scale once the pixels are known. */
export interface AxisSpec {
  readonly label: string;
  readonly scale: (range: readonly [number, number]) => Scale;
  /** About how many ticks; chosen from the length when left out. */
  readonly ticks?: number;
}

export interface FrameSpec {
  readonly width: number;
  readonly height: number;
  readonly y: AxisSpec;
  /** A numeric axis, or the names of slots. */
  readonly x: AxisSpec | { readonly label: string; readonly names: readonly string[] };
  readonly legend?: readonly LegendItem[];
  /** A heading above the legend. */
  readonly legendTitle?: string | undefined;
}

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The room for marks, its scales, and what is drawn behind (grid) and in front (axes, words). */
export interface Frame {
  readonly area: Area;
  readonly x: Scale;
  readonly slots: BandScale;
  readonly y: Scale;
  readonly behind: readonly SceneNode[];
  readonly front: readonly SceneNode[];
  clip(marks: readonly SceneNode[]): SceneNode;
}

const TICK = 12;
const WORD = 13;
const PAD = 4;

/** Lays out axes, grid, ticks and legend so that no text leaves the picture. */
export function frame(spec: FrameSpec): Frame {
  const key = legend(spec.legend ?? [], spec.width - 2 * PAD, spec.legendTitle);
  const top = PAD + key.height + 27;
  const names = "names" in spec.x ? spec.x.names : undefined;
  const isCrowded = names !== undefined && crowded(names, spec.width - 70);
  const longest = Math.max(0, ...(names ?? []).map((name) => textWidth(fitText(name, TICK, 120), TICK)));
  const bottom = spec.height - PAD - 20 - (isCrowded ? 10 + longest * Math.SQRT1_2 : 20);

  const yScale = spec.y.scale([bottom, top]);
  const yTicks = yScale.ticks(spec.y.ticks ?? Math.max(2, Math.floor((bottom - top) / 48)));
  const left = PAD + 8 + Math.ceil(Math.max(0, ...yTicks.map((tick) => textWidth(tick.label, TICK))));
  const right = spec.width - PAD - 14;
  const area = { left, top, right, bottom };

  const slots = bandScale(names?.length ?? 1, [left, right]);
  const xScale = "names" in spec.x ? slotScale(slots, spec.x.names, [left, right]) : spec.x.scale([left, right]);
  const xTicks = "names" in spec.x ? [] : fitting(xScale, right - left, spec.x.ticks);

  const grid = yTicks.map((tick) => {
    const y = yScale.map(tick.value);
    return ruleMark([left, y], [right, y], "grid", 1);
  });
  const yLabels = yTicks.map((tick) =>
    label(tick.label, { x: left - 8, y: yScale.map(tick.value) + 4, anchor: "end" }),
  );
  const xLabels = xTicks.flatMap((tick) => xLabel(tick.label, c(xScale.map(tick.value)), bottom, spec.width));
  const floor = yScale.domain[0] < 0 && names !== undefined ? "grid" : "axis";
  const axis = ruleMark([left, bottom], [right, bottom], floor, 1);
  const words = [
    group({ transform: `translate(${PAD} ${PAD})` }, key.nodes),
    node("text", { x: PAD, y: c(top - 14), "font-size": WORD, fill: ink("muted") }, [
      fitText(spec.y.label, WORD, spec.width - 2 * PAD),
    ]),
    node(
      "text",
      { x: c(right), y: c(spec.height - PAD - 4), "font-size": WORD, "text-anchor": "end", fill: ink("muted") },
      [fitText(spec.x.label, WORD, right - PAD)],
    ),
  ];
  // Leaning names need room too: where slots are narrower, every second or third of them is named.
  const every = isCrowded ? Math.ceil((LEANING * (names?.length ?? 0)) / (right - left)) : 1;
  const slotLabels = (names ?? []).flatMap((name, index) =>
    index % every === 0 ? [slotLabel(name, slots.center(index), bottom, isCrowded)] : [],
  );
  const id = `plot-clip-${[left, top, right, bottom].map((edge) => Math.round(edge)).join("-")}`;
  return {
    area,
    x: xScale,
    slots,
    y: yScale,
    behind: [group({}, grid)],
    front: [axis, group({}, [...yLabels, ...xLabels, ...slotLabels]), ...words],
    clip: (marks) =>
      group({}, [
        node("defs", {}, [
          node("clipPath", { id }, [
            node("rect", { x: c(left - 5), y: c(top - 5), width: c(right - left + 10), height: c(bottom - top + 10) }),
          ]),
        ]),
        group({ "clip-path": `url(#${id})` }, marks),
      ]),
  };
}

/** A tick below the axis and its label, moved to the left where it would leave the picture. */
const xLabel = (text: string, x: number, bottom: number, width: number): readonly SceneNode[] => [
  ruleMark([x, bottom], [x, bottom + 5], "axis"),
  label(text, { x: Math.min(x, width - textWidth(text, TICK) / 2), y: bottom + 19, anchor: "middle" }),
];

function label(
  text: string,
  at: { readonly x: number; readonly y: number; readonly anchor: "middle" | "end" | "start" },
): SceneNode {
  const attributes = { x: c(at.x), y: c(at.y), "font-size": TICK, "text-anchor": at.anchor, fill: ink("muted") };
  return node("text", attributes, [text]);
}

function slotLabel(name: string, x: number, bottom: number, isCrowded: boolean): SceneNode {
  if (!isCrowded) return label(name, { x, y: bottom + 19, anchor: "middle" });
  const text = fitText(name, TICK, 120);
  const turn = `translate(${c(x + 4)} ${c(bottom + 14)}) rotate(-45)`;
  return node("text", { transform: turn, "font-size": TICK, "text-anchor": "end", fill: ink("muted") }, [text]);
}

/** Pixels between two leaning names that do not touch. */
const LEANING = TICK * 1.5;

const crowded = (names: readonly string[], width: number): boolean =>
  names.some((name) => textWidth(name, TICK) + 6 > width / Math.max(1, names.length));

/** As many ticks as fit side by side. */
export function fitting(scale: Scale, width: number, wanted?: number): readonly Tick[] {
  for (
    let count = wanted ?? Math.max(2, Math.min(5, Math.floor(width / 60)), Math.floor(width / 100));
    count > 1;
    count--
  ) {
    const ticks = scale.ticks(count);
    const room = ticks.reduce((sum, tick) => sum + textWidth(tick.label, TICK) + 10, 0);
    if (room <= width) return ticks;
  }
  return scale.ticks(1);
}

function slotScale(slots: BandScale, names: readonly string[], range: readonly [number, number]): Scale {
  return {
    kind: "slots",
    domain: [0, Math.max(0, names.length - 1)],
    range,
    map: (index) => slots.center(index),
    invert: (pixel) => names.findIndex((_, index) => pixel <= slots.start(index) + slots.bandwidth),
    ticks: () => names.map((name, value) => ({ value, label: name })),
  };
}
