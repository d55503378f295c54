/** The SVG elements a scene may hold. A scene never holds script, links, images or foreign content. */
export type SceneTag =
  | "g"
  | "path"
  | "line"
  | "rect"
  | "circle"
  | "polygon"
  | "text"
  | "tspan"
  | "title"
  | "defs"
  | "pattern"
  | "clipPath";

/** Attribute values in user units (pixels); undefined is left out. Paint is `ink("…")`, never a literal colour. */
export type SceneAttributes = Readonly<Record<string, string | number | undefined>>;

/** A plain SVG node: data that React, `toSvg` and tests all read. */
export interface SceneNode {
  readonly tag: SceneTag;
  readonly attributes: SceneAttributes;
  readonly children: readonly (SceneNode | string)[];
}

/** A finished picture. `title` and `summary` are what a screen reader hears. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly summary: string;
  readonly nodes: readonly SceneNode[];
}

/** One node; children are nodes or text. */
export function node(
  tag: SceneTag,
  attributes: SceneAttributes = {},
  children: readonly (SceneNode | string)[] = [],
): SceneNode {
  return Object.freeze({ tag, attributes: Object.freeze(attributes), children: Object.freeze(children) });
}

export const group = (attributes: SceneAttributes, children: readonly SceneNode[]): SceneNode =>
  node("g", attributes, children);

/** A coordinate with at most two decimals, so that pictures are stable under review. */
export function coordinate(value: number): number {
  const rounded = Math.round(value * 100) / 100;
  return rounded === 0 ? 0 : rounded;
}

/** Every node of a scene in drawing order, parents first. */
export function* walk(nodes: readonly (SceneNode | string)[]): Generator<SceneNode> {
  for (const child of nodes) {
    if (typeof child === "string") continue;
    yield child;
    yield* walk(child.children);
  }
}
