import { inkVariables, resolveInks, type Theme } from "./ink.ts";
import type { Scene, SceneNode } from "./scene.ts";
import { FONT_FAMILY } from "./text.ts";

export interface SvgOptions {
  /** "auto" follows the reader's system; "light" and "dark" are fixed and need no CSS variables; "page" leaves them to the page. */
  readonly theme?: Theme | "auto" | "page";
  /** Paint the background; off for inlining on a page of its own colour. */
  readonly background?: boolean;
  readonly fontFamily?: string;
}

/** The scene as a standalone SVG document: text, title, description and colours included. */
export function toSvg(scene: Scene, options: SvgOptions = {}): string {
  const { theme = "auto", background = true, fontFamily = FONT_FAMILY } = options;
  const style =
    theme === "auto"
      ? `<style>:root{${inkVariables("light")}}@media (prefers-color-scheme:dark){:root{${inkVariables("dark")}}}</style>`
      : "";
  const backdrop = background
    ? `<rect width="${scene.width}" height="${scene.height}" fill="var(--plot-surface, #ffffff)"/>`
    : "";
  const body = scene.nodes.map(render).join("");
  const document =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${scene.width}" height="${scene.height}" ` +
    `viewBox="0 0 ${scene.width} ${scene.height}" role="img" font-family="${escapeText(fontFamily)}" ` +
    `style="font-variant-numeric:tabular-nums">` +
    `<title>${escapeText(scene.title)}</title><desc>${escapeText(scene.summary)}</desc>` +
    `${style}${backdrop}${body}</svg>`;
  return theme === "auto" || theme === "page" ? document : resolveInks(document, theme);
}

function render(item: SceneNode | string): string {
  if (typeof item === "string") return escapeText(item);
  const attributes = Object.entries(item.attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeText(String(value))}"`)
    .join("");
  if (item.children.length === 0) return `<${item.tag}${attributes}/>`;
  return `<${item.tag}${attributes}>${item.children.map(render).join("")}</${item.tag}>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return [...text]
    .filter(isXml)
    .map((character) => entities[character] ?? character)
    .join("");
}

/** XML 1.0 forbids most control characters and lone surrogates: one of them would make the whole picture unreadable. */
export function isXml(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff;
}
