import { createRequire } from "node:module";
import { Resvg } from "@resvg/resvg-js";
import type { Scene } from "./scene.ts";
import { toSvg } from "./svg.ts";

const FONT = "Roboto";
const files = createRequire(import.meta.url);

/** The fonts that come with the package: the same picture on every machine, whatever it has installed. */
const fontFiles = (): string[] =>
  ["Roboto-Regular.ttf", "Roboto-Medium.ttf"].map((file) => files.resolve(`roboto-fontface/fonts/Roboto/${file}`));

/** Roboto has no raised and lowered digits: they are drawn as smaller ordinary ones. */
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺";
const LOWERED = "₀₁₂₃₄₅₆₇₈₉₋₊";
const PLAIN = "0123456789−+";
const shifted = (svg: string, from: string, shift: "super" | "sub"): string =>
  svg.replace(new RegExp(`[${from}]+`, "g"), (run) => {
    const plain = [...run].map((character) => PLAIN[from.indexOf(character)] ?? character).join("");
    return `<tspan baseline-shift="${shift}" font-size="70%">${plain}</tspan>`;
  });

/** Only text that is drawn: titles and descriptions stay as they are. */
const withDrawnDigits = (svg: string): string =>
  svg.replace(/<text[^>]*>[^<]*<\/text>/g, (text) => shifted(shifted(text, RAISED, "super"), LOWERED, "sub"));

/** The scene as a PNG file with two pixels for each of its own, light, drawn without a browser. */
export function toPng(scene: Scene): Uint8Array {
  const svg = withDrawnDigits(toSvg(scene, { theme: "light", fontFamily: FONT }));
  const drawn = new Resvg(svg, {
    fitTo: { mode: "zoom", value: 2 },
    font: { loadSystemFonts: false, fontFiles: fontFiles(), defaultFontFamily: FONT },
  });
  return drawn.render().asPng();
}
