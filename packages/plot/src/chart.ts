import type { Scene } from "./scene/scene.ts";
import type { Table } from "./table.ts";

/** What every chart function returns: the picture, the same facts as a table, and one sentence for a screen reader. */
export interface Chart {
  readonly title: string;
  readonly scene: Scene;
  readonly table: Table;
  readonly summary: string;
}

/** Room for a chart in pixels; `heading` draws the title into the picture, for files that stand alone. */
export interface ChartSize {
  readonly width: number;
  readonly height?: number;
  readonly heading?: boolean;
}

/** A chart whose scene carries the same title and summary. */
export function chart(
  words: { readonly title: string; readonly summary: string },
  picture: Omit<Scene, "title" | "summary">,
  table: Table,
): Chart {
  return Object.freeze({ ...words, scene: Object.freeze({ ...picture, ...words }), table });
}
