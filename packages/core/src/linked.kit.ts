import { expect } from "vitest";
import { LINKED } from "./linked.ts";

/** The terms that each vocabulary has, of those that are used: schema.org 29, DCAT 3, Dublin Core, DDI discovery, SKOS, XML Schema. */
const terms: Readonly<Record<string, string>> = {
  "": "Dataset PropertyValue name description version measurementTechnique size variableMeasured temporalCoverage unitText minValue maxValue value url identifier datePublished isAccessibleForFree isBasedOn",
  dcat: "Dataset Distribution version landingPage startDate endDate distribution accessURL mediaType",
  dct: "identifier title issued accessRights temporal PeriodOfTime type",
  disco: "LogicalDataSet AnalysisUnit Variable Representation analysisUnit representation",
  skos: "Concept ConceptScheme notation prefLabel hasTopConcept",
  xsd: "date",
};

export function expectKnownTerms(value: unknown): void {
  if (Array.isArray(value)) for (const each of value) expectKnownTerms(each);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const names = key === "@type" ? [inner].flat() : key.startsWith("@") ? [] : [key];
    for (const name of names) {
      const [prefix = "", term] = String(name).includes(":") ? String(name).split(":") : ["", String(name)];
      expect(prefix === "" || prefix in LINKED, name).toBe(true);
      expect(terms[prefix]?.split(" "), name).toContain(term);
    }
    if (key !== "@context" && key !== "@type") expectKnownTerms(inner);
  }
}
