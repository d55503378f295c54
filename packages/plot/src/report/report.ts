import type { Chart, ChartSize, Table } from "../chart.ts";

/** One document, which becomes HTML or PDF. Texts are plain, without markup. */
export interface Report {
  readonly title: string;
  readonly subtitle: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: "heading"; readonly text: string }
  /** What follows begins on a page of its own. */
  | { readonly kind: "page" }
  | { readonly kind: "text"; readonly text: string; readonly tone?: "soft" | "strong" }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: "chart"; readonly draw: (size: ChartSize) => Chart; readonly caption: string }
  | { readonly kind: "table"; readonly caption: string; readonly table: Table }
  | { readonly kind: "code"; readonly caption: string; readonly language: "json" | "shell"; readonly text: string };

/** Charts are drawn for paper of this width, in pixels. */
export const REPORT_WIDTH = 680;
