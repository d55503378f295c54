import { type InkName, ink, type Shape } from "../scene/ink.ts";
import { seriesTexture, type Texture, texturedFill } from "../scene/pattern.ts";
import { coordinate, group, node, type SceneNode } from "../scene/scene.ts";
import { fitText, textWidth } from "../scene/text.ts";
import { pointMark } from "./marks.ts";

export interface LegendItem {
  readonly label: string;
  readonly ink: InkName;
  readonly kind: "line" | "area" | "point";
  readonly dash?: string;
  readonly shape?: Shape;
  readonly texture?: Texture;
}

const SIZE = 13;
const ROW = 22;
const SWATCH = 28;
const GAP = 18;

/** The legend as rows that wrap within `width`, and the height they take; nothing for no items. */
export function legend(
  items: readonly LegendItem[],
  width: number,
  title?: string,
): { readonly nodes: readonly SceneNode[]; readonly height: number } {
  if (items.length === 0) return { nodes: [], height: 0 };
  let x = 0;
  let row = title === undefined ? 0 : 1;
  const heading =
    title === undefined
      ? []
      : [
          node("text", { x: 0, y: 15, "font-size": SIZE, "font-weight": 600, fill: ink("text") }, [
            fitText(title, SIZE, width),
          ]),
        ];
  const nodes = items.map((item) => {
    const label = fitText(item.label, SIZE, width - SWATCH);
    const needed = SWATCH + textWidth(label, SIZE);
    if (x > 0 && x + needed > width) {
      x = 0;
      row += 1;
    }
    const placed = group({ transform: `translate(${coordinate(x)} ${row * ROW})` }, [
      ...swatch(item),
      node("text", { x: SWATCH, y: 15, "font-size": SIZE, fill: ink("text") }, [label]),
    ]);
    x += needed + GAP;
    return placed;
  });
  return { nodes: [...heading, ...nodes], height: (row + 1) * ROW + 4 };
}

function swatch(item: LegendItem): readonly SceneNode[] {
  if (item.kind === "area") {
    const { fill, defs } = texturedFill(item.texture ?? seriesTexture(0), item.ink);
    const box = node("rect", { x: 4, y: 4, width: 16, height: 13, rx: 2, fill, stroke: ink(item.ink) });
    return defs.length === 0 ? [box] : [node("defs", {}, defs), box];
  }
  const middle = pointMark(item.shape ?? "circle", { cx: 11, cy: 11 }, item.ink);
  if (item.kind === "point") return [middle];
  const line = node("path", {
    d: "M0 11H22",
    stroke: ink(item.ink),
    "stroke-width": 2,
    "stroke-dasharray": item.dash || undefined,
    fill: "none",
  });
  return item.shape === undefined ? [line] : [line, middle];
}
