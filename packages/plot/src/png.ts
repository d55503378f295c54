import { createRequire } from "node:module";
import { Resvg } from "@resvg/resvg-js";
import type { Theme } from "./ink.ts";
import type { Scene } from "./scene.ts";
import { toSvg } from "./svg.ts";

const FONT = "Inter";
const files = createRequire(import.meta.url);

/** The fonts that come with the package: the same picture on every machine, whatever it has installed. */
const fontFiles = (): string[] =>
  ["400Regular/Inter_400Regular.ttf", "600SemiBold/Inter_600SemiBold.ttf"].map((file) =>
    files.resolve(`@expo-google-fonts/inter/${file}`),
  );

export interface PngOptions {
  readonly theme?: Theme;
  /** Pixels of the file per pixel of the scene; 2 when left out. */
  readonly scale?: number;
}

/** The scene as a PNG file, drawn without a browser. */
export function toPng(scene: Scene, { theme = "light", scale = 2 }: PngOptions = {}): Uint8Array {
  const svg = toSvg(scene, { theme, fontFamily: FONT });
  const drawn = new Resvg(svg, {
    fitTo: { mode: "zoom", value: scale },
    font: { loadSystemFonts: false, fontFiles: fontFiles(), defaultFontFamily: FONT },
  });
  return drawn.render().asPng();
}
