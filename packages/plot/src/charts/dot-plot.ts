import { errorText } from "@dosimeter/core/internal";
import { type Chart, type ChartSize, chart, table } from "../chart.ts";
import { rectMark, ruleMark, textMark } from "../frame/marks.ts";
import { linearScale } from "../frame/scale.ts";
import { ink } from "../scene/ink.ts";
import { coordinate as c, node, type SceneNode } from "../scene/scene.ts";
import { textWidth } from "../scene/text.ts";

export interface DotPlotSpec {
  readonly title: string;
  /** Offsets from the truth, each as likely as any other. */
  readonly dots: readonly number[];
  /** Half-width of the band that is promised, and with which confidence. */
  readonly error: number;
  readonly confidence: number;
  /** What would be good enough. */
  readonly target?: number;
  /** "people", "dollars"; empty for none. */
  readonly unit?: string;
  /** Which dot is drawn now: one hypothetical answer. */
  readonly shown?: number;
}

const DOT = 11;

/** Each dot is one in `dots.length` of what the answer could be, stacked around the truth. Noise only: no data is in it. */
export function dotPlot(spec: DotPlotSpec, { width, heading }: ChartSize): Chart {
  const reach = Math.max(spec.error, ...spec.dots.map(Math.abs), spec.target ?? 0, Number.MIN_VALUE) * 1.08;
  const x = linearScale({ domain: [-reach, reach], range: [12, width - 12] });
  const columns = new Map<number, number>();
  const placed = spec.dots.map((dot) => {
    const column = Math.round((x.map(dot) - width / 2) / DOT);
    const level = columns.get(column) ?? 0;
    columns.set(column, level + 1);
    return { cx: width / 2 + column * DOT, level };
  });
  const top = 8;
  const floor = top + DOT * Math.max(3, ...columns.values()) + 6;
  const height = floor + 38;
  const dots = placed.map(({ cx, level }, index) => {
    const isShown = spec.shown === undefined || spec.shown === index;
    return node("circle", {
      cx: c(cx),
      cy: c(floor - DOT / 2 - level * DOT),
      r: DOT / 2 - 1,
      fill: ink(spec.shown === index ? "danger" : "series1"),
      "fill-opacity": isShown ? 1 : 0.35,
    });
  });
  const said = (error: number): string => errorText(error, spec.unit);
  const lines = [
    tick(x.map(0), floor, { words: "truth", isTruth: true, width }),
    tick(x.map(-spec.error), floor, { words: `−${said(spec.error)}`, width }),
    tick(x.map(spec.error), floor, { words: `+${said(spec.error)}`, width }),
  ].flat();
  const target =
    spec.target === undefined || spec.target >= reach
      ? []
      : [
          rectMark(
            { x0: x.map(-spec.target), x1: x.map(spec.target), y0: top - 4, y1: floor },
            { fill: ink("track"), hint: `target ±${said(spec.target)}` },
          ),
        ];
  const axis = ruleMark([8, floor], [width - 8, floor], "axis");
  const within = spec.dots.filter((dot) => Math.abs(dot) <= spec.error).length;
  const shown = spec.shown === undefined ? undefined : spec.dots[spec.shown];
  const one = shown === undefined ? "" : ` This one is off by ${said(Math.abs(shown))}.`;
  const summary = `Each dot is 1 in ${spec.dots.length} of what could come out: ${within} of ${spec.dots.length} are within ± ${said(spec.error)}.${one}`;
  const facts = table(
    ["Answer", "Off by"],
    spec.dots.map((dot, index) => [index + 1, dot]),
  );
  return chart({ title: spec.title, summary }, { width, height, nodes: [...target, axis, ...dots, ...lines] }, facts, {
    heading,
  });
}

function tick(
  x: number,
  floor: number,
  { words, width, isTruth = false }: { readonly words: string; readonly width: number; readonly isTruth?: boolean },
): readonly SceneNode[] {
  const half = textWidth(words, 12) / 2 + 1;
  const at = Math.min(width - half, Math.max(half, x));
  return [
    ruleMark([x, isTruth ? floor - 4 : floor], [x, floor + 6], "text", isTruth ? 2 : 1),
    textMark(words, { x: at, y: floor + 22, anchor: "middle", size: 12, isMuted: true }),
  ];
}
