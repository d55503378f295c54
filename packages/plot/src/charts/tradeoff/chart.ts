import { invalid } from "@dosimeter/core";
import { advantage, type TradeoffFunction } from "@dosimeter/tradeoff";
import { type Cell, type Chart, type ChartSize, chart, table } from "../../chart.ts";
import { type Frame, frame } from "../../frame/frame.ts";
import type { LegendItem } from "../../frame/legend.ts";
import { lineMark, type Point, pointMark } from "../../frame/marks.ts";
import { ink, seriesStyle } from "../../scene/ink.ts";
import { formatNumber } from "../../scene/number.ts";
import { coordinate as c, node, type SceneNode } from "../../scene/scene.ts";
import { fitText } from "../../scene/text.ts";
import { type AxesKind, axesOf, type TradeoffItem, type TradeoffPlotOptions } from "./axes.ts";
import { sampleCurve } from "./sample.ts";

const WIDEST = 620;
const tableRates = [0, 1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1];

/** Curves and points in a square: reference line first, curves in argument order, marks on top. */
export function tradeoffChart(items: readonly TradeoffItem[], options: TradeoffPlotOptions, size: ChartSize): Chart {
  const { axes: kind = "linear", from = 1e-6, title = "What an attacker can do" } = options;
  if (kind !== "linear" && kind !== "log" && kind !== "probit") {
    invalid("axes", kind, '"linear", "log" or "probit"');
  }
  if (!(from > 0 && from <= 0.1)) {
    invalid("from", from, "a number in (0, 0.1]");
  }
  const axes = axesOf(kind, from);
  const width = Math.min(size.width, WIDEST);
  const places = items.map(({ place }, i) => place ?? i);
  const placeOf = (i: number) => places[i] ?? i;
  const key: LegendItem[] = items.map((item, i) => legendItem(item, placeOf(i)));
  const spec = (height: number) => ({
    width,
    height,
    legendTitle: options.legend,
    x: axes.x,
    y: axes.y,
    legend: key,
  });
  const first = frame(spec(width));
  const side = (area: Frame["area"]) => area.right - area.left - (area.bottom - area.top);
  const height = Math.round(size.height ?? width + side(first.area));
  const base = frame(spec(height));
  const samples = items.map(({ curve }) => sampleCurve(curve, axes, base));
  const marks = [
    guessLine(axes, base),
    ...items.flatMap((item, i) => bandMarks(item, placeOf(i), axes, base)),
    ...items.map((item, i) =>
      lineMark(samples[i] ?? [], base.x, base.y, {
        ...look(placeOf(i)),
        hint: `${item.name}: advantage ${formatNumber(advantage(item.curve), 4)}`,
      }),
    ),
    ...(options.advantage ? items.flatMap((item, i) => advantageMark(item.curve, placeOf(i), axes, base)) : []),
    ...items.flatMap((item, i) => pointMarks(item, placeOf(i), axes, base)),
    ...items.flatMap((item, i) => hoverMarks(item, samples[i] ?? [], axes, base)),
  ];
  const words = options.advantage ? items.flatMap((item, i) => advantageWords(item.curve, placeOf(i), axes, base)) : [];
  const nodes = [...base.behind, base.clip(marks), ...base.front, ...words];
  return chart({ title, summary: summarise(items, kind) }, { width, height, nodes }, tableOf(items), size);
}

const look = (index: number) => {
  const { ink, dash } = seriesStyle(index);
  return { ink, dash, width: 2 };
};

function legendItem(item: TradeoffItem, index: number): LegendItem {
  const { ink, dash, shape } = seriesStyle(index);
  const hasMarks = item.points !== null && !item.arePointsHidden;
  return { label: shortName(item.name), ink, kind: "line", dash, ...(hasMarks ? { shape } : {}) };
}

/** Long numbers in a label cut to four digits; the hint and the table keep the whole name. */
export const shortName = (name: string): string =>
  name.replace(/\d+\.\d{5,}(?:e[+-]\d+)?|\d\.\d{4,}e[+-]\d+/g, (number) =>
    String(Number(Number(number).toPrecision(4))),
  );

function guessLine(axes: AxesKind, { x, y }: Frame): SceneNode {
  const start = axes.least;
  const from = { x1: c(x.map(start)), y1: c(y.map(axes.guess(start))) };
  const to = { x2: c(x.map(axes.most)), y2: c(y.map(axes.guess(axes.most))) };
  return node("line", { ...from, ...to, stroke: ink("axis"), "stroke-width": 1, "stroke-dasharray": "5 4" }, [
    node("title", {}, ["Guessing: what is learnt with perfect privacy"]),
  ]);
}

/** The area between a lower and an upper curve, by a polygon through both. */
function bandMarks(item: TradeoffItem, index: number, axes: AxesKind, base: Frame): readonly SceneNode[] {
  if (item.band === null) return [];
  const there = sampleCurve(item.band.lower, axes, base);
  const back = [...sampleCurve(item.band.upper, axes, base)].reverse();
  const d = [...there, ...back].map(([px, py]) => `${c(base.x.map(px))} ${c(base.y.map(py))}`).join("L");
  return [node("path", { d: `M${d}Z`, fill: ink(seriesStyle(index).ink), "fill-opacity": 0.16, stroke: "none" })];
}

function pointMarks(item: TradeoffItem, index: number, axes: AxesKind, { x, y }: Frame): readonly SceneNode[] {
  if (item.points === null || item.arePointsHidden) return [];
  const { ink, shape } = seriesStyle(index);
  return item.points
    .filter(({ alpha }) => alpha >= axes.least)
    .map((point) => {
      const at = { cx: x.map(point.alpha), cy: y.map(axes.ofPoint(point)) };
      return node("g", {}, [
        pointMark(shape, at, ink, 8),
        node("title", {}, [hint(item.name, point.alpha, 1 - point.beta)]),
      ]);
    });
}

/** Invisible spots along a curve that tell their values to a resting pointer. */
function hoverMarks(
  item: TradeoffItem,
  points: readonly Point[],
  axes: AxesKind,
  { x, y }: Frame,
): readonly SceneNode[] {
  const spots: SceneNode[] = [];
  let last = { px: Number.NEGATIVE_INFINITY, py: Number.NEGATIVE_INFINITY };
  for (const [alpha, value] of points) {
    const [px, py] = [x.map(alpha), y.map(value)];
    if (Math.hypot(px - last.px, py - last.py) < 24) continue;
    last = { px, py };
    const power = alpha <= 1 ? item.curve.power(alpha) : 1;
    spots.push(
      node("circle", { cx: c(px), cy: c(py), r: 7, fill: ink("surface"), "fill-opacity": 0 }, [
        node("title", {}, [hint(item.name, Math.max(axes.least, alpha), power)]),
      ]),
    );
  }
  return spots;
}

const hint = (name: string, alpha: number, power: number): string =>
  `${name}\nfalse positives α = ${formatNumber(alpha, 4)}\ntrue positives 1 − β = ${formatNumber(power, 4)}\nmisses β = ${formatNumber(1 - power, 4)}`;

/** From the curve straight to the guessing line, where they are furthest apart. */
function advantageMark(curve: TradeoffFunction, index: number, axes: AxesKind, { x, y }: Frame): readonly SceneNode[] {
  const alpha = curve.touch(0);
  if (!(alpha > axes.least && alpha < 1)) return [];
  const px = c(x.map(alpha));
  const ends = { x1: px, x2: px, y1: c(y.map(axes.value(curve, alpha))), y2: c(y.map(axes.guess(alpha))) };
  return [
    node("line", {
      ...ends,
      stroke: ink(seriesStyle(index).ink),
      "stroke-width": 1.5,
      "stroke-dasharray": "1 3",
      "stroke-linecap": "round",
    }),
  ];
}

function advantageWords(curve: TradeoffFunction, index: number, axes: AxesKind, base: Frame): readonly SceneNode[] {
  const alpha = curve.touch(0);
  if (!(alpha > axes.least && alpha < 1)) return [];
  const middle = (base.y.map(axes.value(curve, alpha)) + base.y.map(axes.guess(alpha))) / 2;
  const rim = { stroke: ink("surface"), "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round" };
  const text = fitText(`advantage ${formatNumber(advantage(curve), 3)}`, 12, base.area.right - base.x.map(alpha) - 8);
  const place = { x: c(base.x.map(alpha) + 6), y: c(middle + 4 + index * 13), "font-size": 12 };
  return [node("text", { ...place, fill: ink(seriesStyle(index).ink), ...rim }, [text])];
}

function summarise(items: readonly TradeoffItem[], kind: string): string {
  if (items.length === 0) return "No trade-off functions are shown; the dashed line is guessing.";
  const parts = items.slice(0, 6).map(({ name, curve }) => {
    const percent = formatNumber(100 * curve.power(0.01), 3);
    return `${shortName(name)} allows ${percent} % true positives at 1 % false positives, advantage ${formatNumber(advantage(curve), 3)}`;
  });
  const more = items.length > 6 ? `; and ${items.length - 6} more` : "";
  const what = kind === "linear" ? "Type II against type I error" : "True against false positive rate";
  return `${what} of ${items.length} ${items.length === 1 ? "curve" : "curves"}: ${parts.join("; ")}${more}.`;
}

/** Long form: each curve at round false positive rates, each item's own points after. */
function tableOf(items: readonly TradeoffItem[]) {
  const rows = items.flatMap(({ name, curve, points }): (readonly Cell[])[] => [
    ...tableRates.map((alpha): readonly Cell[] => [name, alpha, curve.beta(alpha), curve.power(alpha)]),
    ...(points ?? []).map(({ alpha, beta }): readonly Cell[] => [`${name} (point)`, alpha, beta, 1 - beta]),
  ]);
  return table(["Curve", "Type-I error α", "Type-II error β", "True positive rate 1 − β"], rows);
}
