import { checkDeclaration } from "@dosimeter/query/declaration";
import { expect, test } from "vitest";
import { expectKnownTerms } from "../../../core/src/linked.kit.ts";
import { datasetMetadata } from "./metadata.ts";

const declaration = checkDeclaration({
  name: "visits",
  source: { csv: "secret-place.csv" },
  privacyUnit: { column: "patient_number" },
  unitNoun: { one: "patient", many: "patients" },
  contribution: { rows: 5 },
  size: { assumed: 4000 },
  columns: {
    patient_number: { type: "text" },
    day: { type: "date", lower: "2020-01-01", upper: "2024-12-31", label: "Day of the visit" },
    ward: { type: "category", categories: [1, 2], valueLabels: { 1: "Surgery" } },
    stay: { type: "integer", lower: 0, upper: 60, unit: "day", description: "Nights" },
  },
});

test("a dataset is described by what is declared, in words that the vocabularies have, without source and people", () => {
  const address = "https://dosimeter.example/datasets/dat_1";
  const told = { address, version: 3, createdAt: "2026-11-30T10:00:00Z", promise: "Everything is 1-DP." };
  const metadata = datasetMetadata(declaration, told);
  expectKnownTerms(metadata);
  const text = JSON.stringify(metadata);
  expect(text).not.toMatch(/secret-place|patient_number/);
  expect(metadata).toMatchObject({
    "@id": address,
    "dcat:version": "3",
    "dct:issued": { "@value": "2026-11-30" },
    "dct:temporal": { "dcat:startDate": "2020-01-01", "dcat:endDate": "2024-12-31" },
    size: "4000 rows, assumed",
    variableMeasured: [
      { "skos:notation": "day", minValue: "2020-01-01" },
      {
        "disco:representation": { "skos:hasTopConcept": [{ "skos:prefLabel": "Surgery" }, { "skos:prefLabel": "2" }] },
      },
      { minValue: 0, maxValue: 60, unitText: "day", description: "Nights" },
    ],
  });
});
