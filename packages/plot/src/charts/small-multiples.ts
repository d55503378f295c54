import { type Chart, type ChartSize, chart, type Table } from "../chart.ts";
import { textMark } from "../frame/marks.ts";
import { group, type SceneNode } from "../scene/scene.ts";
import { wrapText } from "../scene/text.ts";

export interface SmallMultiplesSpec {
  readonly title: string;
  readonly subtitle?: string;
  readonly summary: string;
  readonly table: Table;
  readonly panels: readonly { readonly name: string; readonly draw: (size: ChartSize) => Chart }[];
}

/** The least width in which a panel can be read. */
const PANEL = 250;
const [HEIGHT, LINE, GAP] = [200, 17, 16];

/** The same chart of several groups side by side, in rows of as many as fit. */
export function smallMultiples(spec: SmallMultiplesSpec, { width, heading }: ChartSize): Chart {
  const { panels } = spec;
  const across = Math.max(1, Math.min(panels.length, Math.floor((width + GAP) / (PANEL + GAP))));
  const step = (width + GAP) / across;
  const heads = panels.map(({ name }) => wrapText(name, 13, step - GAP - 8));
  const below = LINE * Math.max(1, ...heads.map(({ length }) => length)) + 7;
  let [top, next] = [0, 0];
  const nodes = panels.flatMap(({ draw }, index): readonly SceneNode[] => {
    if (index % across === 0) top = next;
    const x = Math.round((index % across) * step);
    const { scene } = draw({ width: Math.floor(step - GAP), height: HEIGHT });
    next = Math.max(next, top + below + scene.height + GAP);
    return [
      ...(heads[index] ?? []).map((line, at) => textMark(line, { x: x + 4, y: top + 15 + at * LINE, weight: 600 })),
      group({ transform: `translate(${x} ${top + below})` }, scene.nodes),
    ];
  });
  return chart(spec, { width, height: next, nodes }, spec.table, { heading });
}
