import { type Chart, type ChartSize, chart, table } from "../chart.ts";
import { captionMarks, textMark } from "../frame/marks.ts";
import { ink } from "../scene/ink.ts";
import { group, node } from "../scene/scene.ts";
import { capital } from "../scene/text.ts";
import { type HeatCell, shareOf } from "./heat-table.ts";

/** A place with its outline, in the pixels of its map. */
export interface RegionShape {
  readonly id: string;
  readonly path: string;
}

export interface RegionMapSpec {
  readonly title: string;
  readonly subtitle?: string;
  readonly placeLabel: string;
  readonly valueLabel: string;
  /** Of the map itself. */
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly RegionShape[];
  readonly values: readonly (HeatCell & { readonly id: string; readonly name: string })[];
}

/** No words stand on a place: its ink may be strong. */
const inkOf = (share: number): number => Math.round((0.12 + 0.78 * share) * 1000) / 1000;
const STEPS = [0, 0.25, 0.5, 0.75, 1] as const;

/** Places, the darker the larger their value is; those that may be noise alone are an outline of dashes. */
export function regionMap(spec: RegionMapSpec, { width, heading }: ChartSize): Chart {
  const scale = width / spec.width;
  const bottom = Math.ceil(spec.height * scale);
  const told = spec.values.filter(({ isFaint }) => isFaint !== true);
  const share = shareOf(told.map(({ value }) => value));
  const byId = new Map(spec.values.map((value) => [value.id, value]));
  const line = Number((0.75 / scale).toFixed(2));
  // Those with a value lie above the outlines of their neighbours.
  const ordered = spec.shapes.toSorted((a, b) => Number(byId.has(a.id)) - Number(byId.has(b.id)));
  const shapes = ordered.map(({ id, path }) => {
    const cell = byId.get(id);
    const outline = { d: path, stroke: ink("axis"), "stroke-width": line };
    if (cell === undefined) return node("path", { ...outline, fill: "none", stroke: ink("track") });
    const hint = [node("title", {}, [`${cell.name}: ${cell.text} ${cell.note}`.trim()])];
    return cell.isFaint === true
      ? node("path", { ...outline, fill: "none", "stroke-dasharray": `${4 * line} ${3 * line}` }, hint)
      : node("path", { ...outline, fill: ink("series1"), "fill-opacity": inkOf(share(cell.value)) }, hint);
  });
  const sorted = told.toSorted((a, b) => a.value - b.value);
  const [least, most] = [sorted.at(0), sorted.at(-1)];
  const key =
    least === undefined || most === undefined
      ? []
      : [
          textMark(least.text, { x: 4, y: bottom + 24, size: 12, isMuted: true }),
          ...STEPS.map((step, at) =>
            node("rect", {
              ...{ x: 90 + at * 26, y: bottom + 12, width: 26, height: 14, stroke: ink("axis"), "stroke-width": 0.5 },
              ...{
                fill: ink("series1"),
                "fill-opacity": inkOf(share(least.value + step * (most.value - least.value))),
              },
            }),
          ),
          textMark(most.text, { x: 228, y: bottom + 24, size: 12, isMuted: true }),
        ];
  const dashes = told.length < spec.values.length ? "; dashes: may be noise alone" : "";
  const below = captionMarks(`${spec.valueLabel}${dashes}`, bottom + 46, width);
  const by = `${capital(spec.valueLabel)} by ${spec.placeLabel}`;
  const summary =
    least === undefined || most === undefined
      ? `${by}: nothing to show.`
      : `${by}, ${told.length} places: highest for ${most.name} at ${most.text}, lowest for ${least.name} at ${least.text}${told.length < spec.values.length ? `; ${spec.values.length - told.length} may be noise alone` : ""}.`;
  const rows = spec.values.map(({ name, value, note }) => [name, value, note]);
  const picture = {
    width,
    height: bottom + 36 + below.length * 17,
    nodes: [group({ transform: `scale(${scale})` }, shapes), ...key, ...below],
  };
  return chart({ ...spec, summary }, picture, table([spec.placeLabel, spec.valueLabel, "Interval"], rows), { heading });
}
