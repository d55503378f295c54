/** Named paints of a chart. Each has one value per theme; a page may override them as `--plot-<name>`. */
export const inks = {
  surface: { light: "#ffffff", dark: "#16202a" },
  text: { light: "#17222b", dark: "#e8edf1" },
  muted: { light: "#55636e", dark: "#9fb0bd" },
  axis: { light: "#7d8a94", dark: "#73838f" },
  grid: { light: "#e4e9ec", dark: "#2a3742" },
  track: { light: "#e9eef0", dark: "#25323d" },
  series1: { light: "#0b6b78", dark: "#45c0cf" },
  series2: { light: "#b8500f", dark: "#f0944d" },
  series3: { light: "#5a4fcf", dark: "#a79ffb" },
  series4: { light: "#a12a6d", dark: "#f07fbb" },
  series5: { light: "#44750f", dark: "#9ccb5a" },
  series6: { light: "#2563b0", dark: "#6fb0f5" },
  series7: { light: "#8a6400", dark: "#dcb443" },
  series8: { light: "#5d6872", dark: "#aebac4" },
  spent: { light: "#0b6b78", dark: "#45c0cf" },
  pending: { light: "#b8500f", dark: "#f0944d" },
  allocated: { light: "#6d8f96", dark: "#6c8b95" },
  danger: { light: "#b3261e", dark: "#ff8a80" },
} as const satisfies Record<string, { readonly light: string; readonly dark: string }>;

export type InkName = keyof typeof inks;
export type Theme = "light" | "dark";

/** The paint of that name, as a CSS variable that falls back to the light value. */
export const ink = (name: InkName): string => `var(--plot-${name}, ${inks[name].light})`;

/** Line dashes in series order, so that colour is never the only difference. The first is solid. */
export const dashes = ["", "7 4", "2 3", "10 3 2 3", "5 2 1 2 1 2", "12 5", "1 4", "8 3 3 3"] as const;

/** Point shapes in series order. */
export const shapes = ["circle", "square", "triangle", "diamond", "cross", "ring", "down", "plus"] as const;
export type Shape = (typeof shapes)[number];

const seriesInks = [
  "series1",
  "series2",
  "series3",
  "series4",
  "series5",
  "series6",
  "series7",
  "series8",
] as const satisfies readonly InkName[];

/** How the series at `index` (from 0, in argument order) looks: the ninth looks like the first. */
export function seriesStyle(index: number): { readonly ink: InkName; readonly dash: string; readonly shape: Shape } {
  const i = ((index % seriesInks.length) + seriesInks.length) % seriesInks.length;
  return { ink: seriesInks[i] ?? "series1", dash: dashes[i] ?? "", shape: shapes[i] ?? "circle" };
}

/** `--plot-x: #…;` for every ink of a theme. */
export function inkVariables(theme: Theme): string {
  return Object.entries(inks)
    .map(([name, value]) => `--plot-${name}:${value[theme]};`)
    .join("");
}

/** Replaces every `var(--plot-x, …)` by the theme's value, for renderers that know no variables. */
export function resolveInks(text: string, theme: Theme): string {
  return text.replace(/var\(--plot-([a-zA-Z0-9]+), [^)]*\)/g, (whole, name: string) =>
    Object.hasOwn(inks, name) ? inks[name as InkName][theme] : whole,
  );
}
