import type { Declaration } from "@dosimeter/query";
import { educations, races, sexes, visitKinds } from "./people.ts";

/** What the owner of the demo's two tables says about them; both protect the same people. */
export const adultsDeclaration: Declaration = {
  name: "adults",
  source: { csv: "adults.csv" },
  privacyUnit: { column: "person" },
  adjacency: "addRemove",
  contribution: { rows: 1 },
  size: { assumed: 20_000 },
  columns: {
    person: { type: "integer", provenance: "public", label: "Number of the person" },
    age: { type: "integer", lower: 18, upper: 93, provenance: "public", required: true, label: "Age", unit: "years" },
    sex: { type: "category", categories: sexes, provenance: "public", required: true, label: "Sex" },
    education: {
      type: "category",
      categories: educations,
      provenance: "public",
      required: true,
      label: "Highest schooling",
    },
    race: {
      type: "category",
      categories: races,
      provenance: "public",
      required: true,
      label: "Race, census categories",
    },
    income: {
      type: "integer",
      lower: -10_000,
      upper: 250_000,
      granularity: 10,
      provenance: "asserted",
      required: true,
      label: "Income a year",
      unit: "$",
    },
    married: { type: "boolean", provenance: "public", required: true, label: "Now married" },
  },
};

export const visitsDeclaration: Declaration = {
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "person" },
  adjacency: "addRemove",
  contribution: { rows: 6 },
  size: { assumed: 18_000 },
  columns: {
    person: { type: "integer", provenance: "public", label: "Number of the person" },
    month: { type: "integer", lower: 1, upper: 12, provenance: "public", required: true, label: "Month" },
    kind: { type: "category", categories: visitKinds, provenance: "public", required: true, label: "Kind of visit" },
    cost: {
      type: "integer",
      lower: 0,
      upper: 10_000,
      granularity: 10,
      provenance: "asserted",
      required: true,
      label: "Cost",
      unit: "$",
    },
  },
};
