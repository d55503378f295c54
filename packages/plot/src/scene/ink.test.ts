import { expect, test } from "vitest";
import { dashes, inks, seriesStyle, shapes } from "./ink.ts";
import { textures } from "./pattern.ts";

/** WCAG 2 relative luminance and contrast. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string) => {
    const [r = 0, g = 0, bl = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const series = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => seriesStyle(index).ink);

test.each(["light", "dark"] as const)("marks have 3:1 and words 4.5:1 on the surface, %s", (theme) => {
  const ground = inks.surface[theme];
  for (const name of [...series, "axis", "spent", "pending", "allocated", "danger"] as const) {
    expect(contrast(inks[name][theme], ground), name).toBeGreaterThanOrEqual(3);
  }
  for (const name of ["text", "muted"] as const)
    expect(contrast(inks[name][theme], ground), name).toBeGreaterThanOrEqual(4.5);
});

test("no two of the first eight series share a colour, dash, shape or texture", () => {
  for (const list of [series, dashes, shapes, textures]) expect(new Set(list).size).toBe(8);
});

test("a series keeps its look whatever comes after it, and the ninth looks like the first", () => {
  expect(seriesStyle(8)).toEqual(seriesStyle(0));
  expect(seriesStyle(2)).toEqual({ ink: "series3", dash: "2 3", shape: "triangle" });
});
