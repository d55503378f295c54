import { type InkName, ink } from "./ink.ts";
import { node, type SceneNode } from "./scene.ts";

/** Textures in series order, so that filled areas differ by more than colour. The first is plain. */
export const textures = ["plain", "rising", "dots", "falling", "cross", "level", "upright", "sparse"] as const;
export type Texture = (typeof textures)[number];

/** The fill of a texture in one ink and the definition it needs; the same name always means the same picture. */
export function texturedFill(
  texture: Texture,
  color: InkName,
): { readonly fill: string; readonly defs: readonly SceneNode[] } {
  if (texture === "plain") return { fill: ink(color), defs: [] };
  const id = `plot-${texture}-${color}`;
  const ground = node("rect", { width: 8, height: 8, fill: ink(color), "fill-opacity": 0.3 });
  const stripes = (d: string) => node("path", { d, stroke: ink(color), "stroke-width": 2, fill: "none" });
  const figure = {
    rising: () => stripes("M-2 10L10 -2M-2 2L2 -2M6 10L10 6"),
    falling: () => stripes("M-2 -2L10 10M6 -2L10 2M-2 6L2 10"),
    cross: () => stripes("M0 0L8 8M8 0L0 8"),
    level: () => stripes("M0 2H8M0 6H8"),
    upright: () => stripes("M2 0V8M6 0V8"),
    dots: () => node("circle", { cx: 4, cy: 4, r: 2, fill: ink(color) }),
    sparse: () => stripes("M0 8L8 0"),
  } satisfies Record<Exclude<Texture, "plain">, () => SceneNode>;
  const size = { width: 8, height: 8, patternUnits: "userSpaceOnUse" };
  return { fill: `url(#${id})`, defs: [node("pattern", { id, ...size }, [ground, figure[texture]()])] };
}

/** The texture of the series at `index`. */
export const seriesTexture = (index: number): Texture => textures[index % textures.length] ?? "plain";
