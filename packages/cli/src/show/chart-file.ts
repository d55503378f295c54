import { writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { invalid } from "@dosimeter/core";
import { type Chart, type ChartSize, toSvg } from "@dosimeter/plot";

const SIZE: ChartSize = { width: 760, height: 440, heading: true };

/** Refuses a name that is neither .svg nor .png, before anything is computed. */
export function checkChartFile(path: string | undefined): void {
  if (path !== undefined && ![".svg", ".png"].includes(extname(path).toLowerCase()))
    invalid("--plot", path, "a file that ends in .svg or .png");
}

/** Writes a chart in the format of the file name; does nothing without one. */
export async function writeChartFile(
  path: string | undefined,
  cwd: string,
  draw: (size: ChartSize) => Chart,
): Promise<void> {
  if (path === undefined) return;
  checkChartFile(path);
  const { scene } = draw(SIZE);
  if (extname(path).toLowerCase() === ".svg") await writeFile(resolve(cwd, path), toSvg(scene, { theme: "light" }));
  else {
    const { toPng } = await import("@dosimeter/plot/png");
    await writeFile(resolve(cwd, path), toPng(scene));
  }
}
