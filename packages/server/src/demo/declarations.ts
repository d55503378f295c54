import { checkDeclaration, type Declaration } from "@dosimeter/query/declaration";
import { CLINIC_PATIENTS, educations, modes, races, sexes, visitKinds, wards } from "./people.ts";

/** What the owner of the demo's tables says about them; these two protect the same people. */
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

/** Other people, so a ledger of its own; none of the analysts has a part of its budget. */
export const commutesDeclaration: Declaration = {
  name: "commutes",
  source: { csv: "commutes.csv" },
  privacyUnit: { column: "worker" },
  unitNoun: { one: "worker", many: "workers" },
  adjacency: "addRemove",
  contribution: { rows: 1 },
  size: { assumed: 6_000 },
  columns: {
    worker: { type: "integer", provenance: "public", label: "Number of the worker" },
    mode: { type: "category", categories: modes, provenance: "public", required: true, label: "Means of transport" },
    minutes: {
      type: "integer",
      lower: 0,
      upper: 120,
      provenance: "asserted",
      required: true,
      label: "Way to work",
      unit: "minutes",
      description: "One way, on a usual day",
    },
    home: {
      type: "integer",
      lower: 0,
      upper: 5,
      provenance: "public",
      required: true,
      label: "Days at home",
      description: "Days a week worked at home",
    },
  },
};

/** A table that grows: each month has a budget of its own. */
export const clinicDeclaration = checkDeclaration({
  name: "clinic",
  source: { csv: "clinic.csv" },
  privacyUnit: { column: "patient" },
  unitNoun: { one: "patient", many: "patients" },
  adjacency: "addRemove",
  contribution: { rows: 2 },
  size: { assumed: CLINIC_PATIENTS },
  mostRows: 20_000,
  blocks: { column: "seen", every: "month", zone: "America/Los_Angeles" },
  columns: {
    patient: { type: "integer", provenance: "public", label: "Number of the patient" },
    seen: {
      type: "date",
      lower: "2023-01-01",
      upper: "2024-12-31",
      provenance: "public",
      required: true,
      label: "Day of the visit",
    },
    ward: { type: "category", categories: wards, provenance: "public", required: true, label: "Ward" },
  },
});
