import type PDFDocument from "pdfkit";
import { resolveInks } from "../scene/ink.ts";
import type { Scene, SceneNode } from "../scene/scene.ts";

type Document = InstanceType<typeof PDFDocument>;

/** What a node inherits from those around it. */
interface Context {
  readonly fonts: { readonly plain: string; readonly bold: string };
  readonly size: number;
  readonly fill: string;
  readonly anchor: string;
}

const START: Context = { fonts: { plain: "plain", bold: "bold" }, size: 12, fill: "#17222b", anchor: "start" };

/** A scene as vectors of a PDF, its light colours, at a place and scale. Fonts "plain" and "bold" must be registered. */
export function drawScene(
  pdf: Document,
  scene: Scene,
  { x, y, scale }: { readonly x: number; readonly y: number; readonly scale: number },
): void {
  pdf.save().translate(x, y).scale(scale);
  for (const node of scene.nodes) draw(pdf, node, START);
  pdf.restore();
}

const paint = (value: unknown): string | null => {
  const text = value === undefined ? "" : resolveInks(String(value), "light");
  if (text === "" || text === "none") return null;
  // A texture becomes its own colour, lighter: the name of a pattern ends with its ink.
  const pattern = /^url\(#plot-[a-z]+-(\w+)\)$/.exec(text)?.[1];
  return pattern === undefined ? text : resolveInks(`var(--plot-${pattern}, #777)`, "light");
};

const number = (value: unknown, missing = 0): number => (value === undefined ? missing : Number(value));

function draw(pdf: Document, node: SceneNode | string, context: Context): void {
  if (typeof node === "string") return;
  const { tag, attributes: at, children } = node;
  switch (tag) {
    case "defs":
    case "title":
    case "pattern":
    case "clipPath":
      return;
    case "g":
      pdf.save();
      turn(pdf, at.transform);
      for (const child of children) draw(pdf, child, context);
      pdf.restore();
      return;
    case "text":
    case "tspan":
      words(pdf, node, context);
      return;
    case "line":
      pdf.moveTo(number(at.x1), number(at.y1)).lineTo(number(at.x2), number(at.y2));
      break;
    case "rect":
      if (number(at.width) <= 0 || number(at.height) <= 0) return;
      if (at.rx === undefined) pdf.rect(number(at.x), number(at.y), number(at.width), number(at.height));
      else pdf.roundedRect(number(at.x), number(at.y), number(at.width), number(at.height), number(at.rx));
      break;
    case "circle":
      pdf.circle(number(at.cx), number(at.cy), number(at.r));
      break;
    case "polygon": {
      const points = String(at.points ?? "")
        .split(" ")
        .map((pair) => pair.split(",").map(Number) as [number, number]);
      pdf.polygon(...points);
      break;
    }
    case "path":
      if (at.d === undefined || at.d === "") return;
      pdf.path(String(at.d));
      break;
    default:
      tag satisfies never;
  }
  ink(pdf, node);
}

function ink(pdf: Document, { tag, attributes: at }: SceneNode): void {
  const fill = tag === "line" ? null : paint(at.fill ?? "#000000");
  const stroke = paint(at.stroke);
  const isTextured = String(at.fill ?? "").startsWith("url(");
  pdf.fillOpacity(isTextured ? 0.55 : number(at["fill-opacity"], 1));
  pdf.lineWidth(number(at["stroke-width"], 1));
  if (at["stroke-dasharray"] === undefined) pdf.undash();
  else {
    const lengths = String(at["stroke-dasharray"]).split(" ").map(Number);
    pdf.dash(lengths[0] ?? 1, { space: lengths[1] ?? lengths[0] ?? 1 });
  }
  if (fill !== null && stroke !== null) pdf.fillAndStroke(fill, stroke);
  else if (fill !== null) pdf.fill(fill);
  else if (stroke !== null) pdf.stroke(stroke);
  pdf.fillOpacity(1).undash();
}

function words(pdf: Document, { attributes: at, children }: SceneNode, context: Context): void {
  const size = number(at["font-size"], context.size);
  const isBold = number(at["font-weight"], 400) >= 600;
  const texts = children.map((child) => (typeof child === "string" ? child : child.children.join("")));
  const text = drawable(texts.join(""));
  pdf.save();
  turn(pdf, at.transform);
  pdf.font(isBold ? context.fonts.bold : context.fonts.plain).fontSize(size);
  const width = pdf.widthOfString(text);
  const anchor = at["text-anchor"] ?? context.anchor;
  const left = number(at.x) - (anchor === "middle" ? width / 2 : anchor === "end" ? width : 0);
  pdf.fillOpacity(1).fillColor(paint(at.fill) ?? context.fill);
  pdf.text(text, left, number(at.y), { lineBreak: false, baseline: "alphabetic" });
  pdf.restore();
}

/** `translate(x y)` and `rotate(degrees)`: all that a scene uses. */
function turn(pdf: Document, transform: unknown): void {
  for (const [, name, inside = ""] of String(transform ?? "").matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [a = 0, b = 0] = inside.split(/[\s,]+/).map(Number);
    if (name === "translate") pdf.translate(a, b);
    if (name === "rotate") pdf.rotate(a);
  }
}

/** What the font that comes with the package lacks: it has Latin, Greek, Cyrillic and some signs. */
const MISSING =
  /[^\n\x20-\x7e\xa0-\u017f\u0384-\u038a\u038e-\u03a1\u03a3-\u03ce\u0400-\u0486\u0488-\u0513\u1ea0-\u1ef9\u2010\u2011\u2013-\u2015\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122\u2211\u2212\u221a\u221e\u2248\u2260\u2264\u2265]/u;
const LETTER = new RegExp(MISSING, "gu");
const RUN = new RegExp(`(?:${MISSING.source})+`, "gu");
/** A raised number with a digit the font lacks, and the signs that would be read as what is written for one. */
const POWER = /[¹²³]*[⁰⁴⁵⁶⁷⁸⁹⁻][⁰¹²³⁴⁵⁶⁷⁸⁹⁻]*(?![⁰¹²³⁴⁵⁶⁷⁸⁹⁻\d−])|\^(?=[\d−])|\\(?=u[\da-f]{4})/g;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻";

/** As in JSON: `\uXXXX`, two of them beyond the first plane. */
const escaped = (letter: string): string =>
  letter
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/**
 * What the font can show: 10⁻⁸ is 10^−8, another letter it lacks is its escape, never an empty box. Two texts that differ
 * are never written alike: a `^` or `\u` that stands in a text is an escape where it could be taken for ours.
 */
export const drawable = (text: string): string =>
  text
    .replaceAll(POWER, (found) =>
      found === "^" || found === "\\"
        ? escaped(found)
        : `^${[...found].map((digit) => "0123456789−"[RAISED.indexOf(digit)]).join("")}`,
    )
    .replaceAll(LETTER, escaped);

/** Prose: a letter and its number stay on one line. */
export const drawableProse = (text: string): string => drawable(text.replaceAll(/([εδμρ]) (?=[\d−])/g, "$1\u00a0"));

/** Code that says the same where a letter is missing: JSON has escapes, a shell reads the bytes of UTF-8 in `$'…'`. */
export const drawableCode = (text: string, language: "json" | "shell"): string =>
  language === "json"
    ? text.replaceAll(LETTER, escaped)
    : // A word with such a letter stands in single quotes, which end here and begin again.
      text.replaceAll(RUN, (run) => {
        const bytes = [...new TextEncoder().encode(run)].map((byte) => `\\x${byte.toString(16)}`);
        return `'$'${bytes.join("")}''`;
      });
