import { type Chart, type ChartSize, chart } from "../chart.ts";
import { fitting } from "../frame/frame.ts";
import { captionMarks, rectMark, ruleMark, textMark } from "../frame/marks.ts";
import { linearScale, type Scale } from "../frame/scale.ts";
import { group, type SceneNode } from "../scene/scene.ts";
import { fitText, textWidth } from "../scene/text.ts";
import { type BarChartSpec, definitions, describe, hint, paint, reach, tableOf, whisker } from "./bar-chart.ts";

/** Pixels between two names that can be read. */
const NAME = 14;

/** Two series back to back over bins in order, the last on top, on one scale: the ages of two sexes. */
export function pyramidChart(spec: BarChartSpec, { width, heading }: ChartSize): Chart {
  const { names, series } = spec;
  const step = Math.max(6, Math.min(26, 420 / Math.max(1, names.length)));
  const top = 28;
  const bottom = top + names.length * step;
  const gutter = Math.min(width * 0.3, Math.max(24, ...names.map((name) => textWidth(name, 12)))) + 16;
  const middle = width / 2;
  const most = Math.max(0, reach(spec)[1]) || 1;
  const every = Math.ceil(NAME / step);
  const sides = [-1, 1].map((side): Scale => {
    const edge = middle + (side * gutter) / 2;
    return linearScale({ domain: [0, most], range: [edge, side < 0 ? 14 : width - 14], nice: true });
  });
  const bars = series.slice(0, 2).flatMap((one, index): readonly SceneNode[] => {
    const x = sides[index];
    if (x === undefined) return [];
    const head = textMark(fitText(one.name, 13, middle - gutter / 2 - 8), {
      x: x.map(0),
      y: 18,
      anchor: index === 0 ? "end" : "start",
      weight: 600,
    });
    const ticks = fitting(x, middle - gutter / 2 - 14).flatMap(({ value, label }) => {
      const half = textWidth(label, 12) / 2;
      const at = Math.min(width - half, Math.max(half, x.map(value)));
      return [
        ruleMark([x.map(value), top], [x.map(value), bottom], value === 0 ? "axis" : "grid"),
        textMark(label, { x: at, y: bottom + 16, anchor: "middle", size: 12, isMuted: true }),
      ];
    });
    const { fill, stroke } = paint(index);
    return [
      head,
      ...ticks,
      ...names.flatMap((name, slot): readonly SceneNode[] => {
        const value = one.values[slot];
        if (value === null || value === undefined) return [];
        const y0 = bottom - (slot + 1) * step + step * 0.08;
        const box = { x0: x.map(0), x1: x.map(value.value), y0, y1: y0 + step * 0.84 };
        const look = value.isFaint ? { fill: "none", isFaint: true } : { fill };
        const at = y0 + step * 0.42;
        return [
          rectMark(box, { ...look, stroke, hint: hint(spec, name, one.name, value) }),
          ...whisker(value, { map: x.map, at, isVertical: false, cap: Math.min(8, step * 0.5) }),
        ];
      }),
    ];
  });
  const labels = names.flatMap((name, slot) =>
    slot % every === 0
      ? [
          textMark(fitText(name, 12, gutter - 4), {
            x: middle,
            y: bottom - (slot + 0.5) * step + 4,
            anchor: "middle",
            size: 12,
            isMuted: true,
          }),
        ]
      : [],
  );
  const below = captionMarks(`${spec.valueLabel}, by ${spec.nameLabel}`, bottom + 38, width);
  const nodes = [...definitions(spec), group({}, bars), ...labels, ...below];
  const height = Math.ceil(bottom + 28 + below.length * 17);
  return chart({ ...spec, summary: spec.summary ?? describe(spec) }, { width, height, nodes }, tableOf(spec), {
    heading,
  });
}
