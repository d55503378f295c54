import type { RegionShape } from "@dosimeter/plot";
import { geoNaturalEarth1, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import type { Regions } from "./regions.ts";

/** The outlines of a map in its own pixels: states as the atlas projects them, countries by Natural Earth. */
export interface Atlas {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly RegionShape[];
}

type Topology = Parameters<typeof feature>[0];

const [WIDTH, STATES_HEIGHT, COUNTRIES_HEIGHT] = [975, 610, 500];

export async function atlasOf(map: Regions["map"]): Promise<Atlas> {
  if (map === "states") {
    const { default: json } = await import("us-atlas/states-albers-10m.json?raw");
    return outlines(json, map, STATES_HEIGHT, geoPath().digits(1));
  }
  const { default: json } = await import("world-atlas/countries-110m.json?raw");
  const projection = geoNaturalEarth1().fitSize([WIDTH, COUNTRIES_HEIGHT], { type: "Sphere" });
  return outlines(json, map, COUNTRIES_HEIGHT, geoPath(projection).digits(1));
}

function outlines(json: string, map: Regions["map"], height: number, draw: ReturnType<typeof geoPath>): Atlas {
  const topology = JSON.parse(json) as Topology;
  const places = topology.objects[map];
  const found = places === undefined ? null : feature(topology, places);
  const features = found === null ? [] : "features" in found ? found.features : [found];
  const shapes = features.map((each, at) => ({ id: String(each.id ?? `unnamed ${at}`), path: draw(each) ?? "" }));
  return { width: WIDTH, height, shapes };
}
