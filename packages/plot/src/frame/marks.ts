import { type InkName, ink, type Shape } from "../scene/ink.ts";
import { coordinate as c, node, type SceneNode } from "../scene/scene.ts";
import { wrapText } from "../scene/text.ts";
import type { Scale } from "./scale.ts";

export type Point = readonly [x: number, y: number];

export interface Stroke {
  readonly ink: InkName;
  readonly width?: number;
  readonly dash?: string;
  /** What a pointer resting on the mark shows. */
  readonly hint?: string | undefined;
}

const hinted = (hint: string | undefined): readonly SceneNode[] =>
  hint === undefined ? [] : [node("title", {}, [hint])];

/** A polyline through data points; a point with a non-finite coordinate breaks it. */
export function lineMark(points: readonly Point[], x: Scale, y: Scale, stroke: Stroke): SceneNode {
  let isDown = false;
  const path: string[] = [];
  for (const [px, py] of points) {
    if (!Number.isFinite(px) || !Number.isFinite(py)) {
      isDown = false;
      continue;
    }
    path.push(`${isDown ? "L" : "M"}${c(x.map(px))} ${c(y.map(py))}`);
    isDown = true;
  }
  const attributes = {
    d: path.join(""),
    fill: "none",
    stroke: ink(stroke.ink),
    "stroke-width": stroke.width ?? 2,
    "stroke-linejoin": "round",
    "stroke-linecap": stroke.dash ? "butt" : "round",
    "stroke-dasharray": stroke.dash || undefined,
  };
  return node("path", attributes, hinted(stroke.hint));
}

/** The area between two curves over the same x, as a light band. */
export function bandMark(
  points: readonly { readonly x: number; readonly low: number; readonly high: number }[],
  x: Scale,
  y: Scale,
  color: InkName,
): SceneNode {
  const upper = points.map((p) => `${c(x.map(p.x))} ${c(y.map(p.high))}`);
  const lower = points.map((p) => `${c(x.map(p.x))} ${c(y.map(p.low))}`).reverse();
  const d = points.length === 0 ? "" : `M${[...upper, ...lower].join("L")}Z`;
  return node("path", { d, fill: ink(color), "fill-opacity": 0.16, stroke: "none" });
}

/** A point of one of eight shapes, about `size` pixels wide, centred on pixels (`cx`, `cy`). */
export function pointMark(
  shape: Shape,
  at: { readonly cx: number; readonly cy: number },
  color: InkName,
  size = 8,
): SceneNode {
  const { cx, cy } = at;
  const r = size / 2;
  const solid = { fill: ink(color) };
  const hollow = { fill: ink("surface"), stroke: ink(color), "stroke-width": 2 };
  const corner = ([dx, dy]: Point, by: string) => `${c(cx + dx * r)}${by}${c(cy + dy * r)}`;
  const polygon = (...corners: readonly Point[]) =>
    node("polygon", { points: corners.map((at) => corner(at, ",")).join(" "), ...solid });
  const strokes = (...pairs: readonly (readonly [Point, Point])[]) => {
    const d = pairs.map((ends) => `M${ends.map((end) => corner(end, " ")).join("L")}`).join("");
    return node("path", { d, stroke: ink(color), "stroke-width": 2, fill: "none" });
  };
  const draw = {
    circle: () => node("circle", { cx: c(cx), cy: c(cy), r: c(r), ...solid }),
    ring: () => node("circle", { cx: c(cx), cy: c(cy), r: c(r), ...hollow }),
    square: () => polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]),
    diamond: () => polygon([0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]),
    triangle: () => polygon([0, -1.1], [1.1, 0.9], [-1.1, 0.9]),
    down: () => polygon([0, 1.1], [1.1, -0.9], [-1.1, -0.9]),
    cross: () =>
      strokes(
        [
          [-0.9, -0.9],
          [0.9, 0.9],
        ],
        [
          [-0.9, 0.9],
          [0.9, -0.9],
        ],
      ),
    plus: () =>
      strokes(
        [
          [-1.1, 0],
          [1.1, 0],
        ],
        [
          [0, -1.1],
          [0, 1.1],
        ],
      ),
  } satisfies Record<Shape, () => SceneNode>;
  return draw[shape]();
}

/** A whisker between two pixels of one axis, with caps of `cap` pixels; `at` is its place on the other axis. */
export function whiskerMark(
  span: {
    readonly from: number;
    readonly to: number;
    readonly at: number;
    readonly isVertical: boolean;
    readonly cap?: number;
  },
  stroke: Stroke,
): SceneNode {
  const { from, to, at, isVertical, cap = 8 } = span;
  const segment = (a: Point, b: Point) => `M${c(a[0])} ${c(a[1])}L${c(b[0])} ${c(b[1])}`;
  const place = (along: number, across: number): Point => (isVertical ? [across, along] : [along, across]);
  const ends = [from, to].map((end) => segment(place(end, at - cap / 2), place(end, at + cap / 2)));
  const d = [segment(place(from, at), place(to, at)), ...ends].join("");
  return node(
    "path",
    { d, stroke: ink(stroke.ink), "stroke-width": stroke.width ?? 1.5, fill: "none" },
    hinted(stroke.hint),
  );
}

/** A straight line between two points in pixels. */
export const ruleMark = ([x1, y1]: Point, [x2, y2]: Point, color: InkName, width?: number): SceneNode =>
  node("line", { x1: c(x1), x2: c(x2), y1: c(y1), y2: c(y2), stroke: ink(color), "stroke-width": width });

/** A line of text; its place is that of its baseline. */
export function textMark(
  text: string,
  at: {
    readonly x: number;
    readonly y: number;
    readonly anchor?: "start" | "middle" | "end";
    readonly size?: number;
    readonly weight?: number;
    readonly isMuted?: boolean;
  },
): SceneNode {
  const { anchor = "start", size = 13, weight, isMuted = false } = at;
  const look = {
    "font-size": size,
    "font-weight": weight,
    "text-anchor": anchor,
    fill: ink(isMuted ? "muted" : "text"),
  };
  return node("text", { x: c(at.x), y: c(at.y), ...look }, [text]);
}

/** What an axis below a picture is about, whole and flush right; its first line is at `y`. */
export const captionMarks = (text: string, y: number, width: number): readonly SceneNode[] =>
  wrapText(text, 13, width - 8).map((line, at) =>
    textMark(line, { x: width - 4, y: y + at * 17, anchor: "end", isMuted: true }),
  );

/** A dot for what cannot be distinguished from noise. */
export const faintMark = (
  { cx, cy }: { readonly cx: number; readonly cy: number },
  { ink: color, hint }: Stroke,
): SceneNode =>
  node(
    "circle",
    { cx: c(cx), cy: c(cy), r: 4, fill: "none", stroke: ink(color), "stroke-width": 1, "stroke-dasharray": "2 2" },
    hinted(hint),
  );

/** A filled rectangle given by two opposite corners in pixels; `fill` is a paint or a pattern. */
export function rectMark(
  box: { readonly x0: number; readonly x1: number; readonly y0: number; readonly y1: number },
  paint: {
    readonly fill: string;
    readonly radius?: number;
    readonly hint?: string | undefined;
    readonly stroke?: InkName;
    /** Of what cannot be distinguished from noise: a dashed outline. */
    readonly isFaint?: boolean;
  },
): SceneNode {
  const attributes = {
    x: c(Math.min(box.x0, box.x1)),
    y: c(Math.min(box.y0, box.y1)),
    width: c(Math.abs(box.x1 - box.x0)),
    height: c(Math.abs(box.y1 - box.y0)),
    rx: paint.radius,
    fill: paint.fill,
    stroke: paint.stroke === undefined ? undefined : ink(paint.stroke),
    "stroke-dasharray": paint.isFaint ? "3 3" : undefined,
  };
  return node("rect", attributes, hinted(paint.hint));
}
