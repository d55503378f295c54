import { readTable } from "@dosimeter/core/internal";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { JoinRequest } from "../../../query/src/declaration/join-type.ts";
import { measureJoin } from "../../../query/src/join/join.kit.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import type { EngineUnderTest, Row, Stored } from "./under-test.kit.ts";

/** Planes are protected: each may have all of its flights of the year, at most 575. */
export const FLIGHTS = {
  name: "flights",
  privacyUnit: { column: "tailnum" },
  unitNoun: { one: "plane", many: "planes" },
  adjacency: "addRemove",
  contribution: { rows: 575 },
  size: { assumed: 336_776 },
  columns: {
    tailnum: { type: "text" },
    departs: {
      ...{ type: "timestamp", zone: "America/New_York", granularity: "hour" },
      ...{ lower: "2013-01-01", upper: "2013-12-31", label: "Scheduled departure" },
    },
    origin: { type: "category", categories: ["EWR", "JFK", "LGA"], label: "From" },
    carrier: { type: "text", label: "Airline" },
    delay: { type: "integer", lower: -60, upper: 240, unit: "min", label: "Delay at departure" },
    air_time: { type: "integer", lower: 0, upper: 720, unit: "min", label: "Time in the air" },
    distance: { type: "integer", lower: 0, upper: 5000, unit: "mi", label: "Distance" },
  },
} as const;

export const PLANES = {
  name: "planes",
  privacyUnit: { column: "tailnum" },
  unitNoun: { one: "plane", many: "planes" },
  adjacency: "addRemove",
  contribution: { rows: 1 },
  size: { assumed: 3_322 },
  columns: {
    tailnum: { type: "text" },
    made: { type: "integer", lower: 1950, upper: 2013, unit: "year", label: "Year of manufacture" },
    maker: { type: "text", label: "Manufacturer" },
    engines: { type: "integer", lower: 1, upper: 4, label: "Engines" },
    seats: { type: "integer", lower: 0, upper: 500, label: "Seats" },
  },
} as const;

export const FLIGHTS_STORED = {
  tailnum: "VARCHAR",
  departs: "TIMESTAMPTZ",
  origin: "VARCHAR",
  carrier: "VARCHAR",
  delay: "BIGINT",
  air_time: "BIGINT",
  distance: "BIGINT",
} as const satisfies Record<keyof (typeof FLIGHTS)["columns"], Stored>;

export const PLANES_STORED = {
  tailnum: "VARCHAR",
  made: "BIGINT",
  maker: "VARCHAR",
  engines: "BIGINT",
  seats: "BIGINT",
} as const satisfies Record<keyof (typeof PLANES)["columns"], Stored>;

/** What the files of the package call a column, where it has another name here. */
const names: Readonly<Record<string, string>> = {
  departs: "time_hour",
  delay: "dep_delay",
  made: "year",
  maker: "manufacturer",
};

/** The wanted columns of a file. NA is missing. */
export function rowsOf(text: string, stored: Readonly<Record<string, Stored>>): readonly Row[] {
  const { heading, rows } = readTable(text, "flights", { heading: "always" });
  const header = heading ?? [];
  const places = Object.entries(stored).map(
    ([name, type]) => [name, type, header.indexOf(names[name] ?? name)] as const,
  );
  return rows.map(({ cells }) => {
    return Object.fromEntries(
      places.map(([name, type, place]) => {
        const cell = cells[place] ?? "NA";
        return [name, cell === "NA" ? null : type === "BIGINT" ? Number(cell) : cell];
      }),
    );
  });
}

const inNewYork = new Intl.DateTimeFormat("en-US", { timeZone: "America/New_York", month: "numeric" });
/** The month of a flight by the clocks of New York. */
export const monthOf = ({ departs }: Row): number => Number(inNewYork.format(new Date(String(departs))));

/** Both tables, stored and declared, flights with planes to join. */
export async function storeFlights(
  under: EngineUnderTest,
  { flights, planes }: { readonly flights: readonly Row[]; readonly planes: readonly Row[] },
): Promise<Declaration> {
  const [source, other] = [await under.store(FLIGHTS_STORED, flights), await under.store(PLANES_STORED, planes)];
  const declaration = checkDeclaration({ ...FLIGHTS, source });
  return {
    ...declaration,
    joinable: { planes: { version: 1, declaration: checkDeclaration({ ...PLANES, source: other }) } },
  };
}

export const PLANES_OF_FLIGHTS: JoinRequest = {
  dataset: "planes",
  on: "tailnum",
  columns: { made: "made", maker: "maker", seats: "seats" },
} as JoinRequest;

/** The integers of one question; with their keys in order, where it looked for them. */
export type Exactly = readonly bigint[] | readonly (readonly [key: string, count: bigint | undefined])[];

/** Of each question, the integers before any noise. Databases find keys in an order of their own. */
export async function measureFlights(
  under: EngineUnderTest,
  plan: Plan,
  declaration: Declaration,
): Promise<readonly Exactly[]> {
  const [measured] = await measureJoin(under, plan, declaration);
  return measured.map((vector) =>
    vector.found === undefined
      ? [...vector]
      : vector.found.map((key, at) => [JSON.stringify(key), vector[at]] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
