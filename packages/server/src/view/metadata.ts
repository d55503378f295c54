import { formatPeriod } from "@dosimeter/core";
import { accessRight, LINKED, linkedDate, present } from "@dosimeter/core/internal";
import { type Column, type Declaration, unitOfDates } from "@dosimeter/query/declaration";

/**
 * A dataset as catalogues read it (DCAT-AP, DDI, schema.org), from what its owner declared: no row was read for it, it names neither its source
 * nor a person, and not the column that tells people apart.
 */
export function datasetMetadata(
  { name, privacyUnit, unitNoun, size, columns }: Declaration,
  {
    address,
    version,
    createdAt,
    promise,
  }: {
    readonly address: string;
    readonly version: number;
    readonly createdAt: string;
    /** The sentence of its ledger; null without one. */
    readonly promise: string | null;
  },
) {
  const shown = Object.entries(columns).filter(([column]) => privacyUnit === "row" || privacyUnit.column !== column);
  const many = unitNoun?.many ?? (privacyUnit === "row" ? "rows" : "people");
  const says = `Declared facts about a table of ${many}. Its rows are private: it is asked for differentially private statistics.`;
  const rows = size === undefined ? null : "public" in size ? size.public : size.assumed;
  return {
    "@context": LINKED,
    "@id": address,
    "@type": ["Dataset", "dcat:Dataset", "disco:LogicalDataSet"],
    "dct:identifier": address,
    name,
    "dct:title": name,
    description: promise === null ? says : `${says} ${promise}`,
    version: String(version),
    "dcat:version": String(version),
    "dct:issued": linkedDate(createdAt),
    "dct:accessRights": accessRight("NON_PUBLIC"),
    "dcat:landingPage": { "@id": address },
    measurementTechnique: "differential privacy",
    "disco:analysisUnit": {
      "@type": "disco:AnalysisUnit",
      "skos:prefLabel": unitNoun?.one ?? (privacyUnit === "row" ? "row" : "person"),
    },
    ...(rows === null
      ? {}
      : { size: `${rows} rows, ${size !== undefined && "public" in size ? "public" : "assumed"}` }),
    ...spans(shown),
    variableMeasured: shown.map(([column, declared]) => variable(column, declared)),
  };
}

function variable(column: string, declared: Column) {
  const { type, label, description, unit, lower, upper, categories, valueLabels = {} } = declared;
  const end = (value: number | undefined) =>
    value === undefined ? undefined : type === "date" ? formatPeriod(value, unitOfDates(declared)) : value;
  return present({
    "@type": ["PropertyValue", "disco:Variable"],
    "skos:notation": column,
    name: label ?? column,
    description,
    unitText: unit,
    minValue: end(lower),
    maxValue: end(upper),
    "dct:type": type,
    "disco:representation":
      categories === undefined
        ? undefined
        : {
            "@type": ["disco:Representation", "skos:ConceptScheme"],
            "skos:hasTopConcept": categories.map((value) => ({
              "@type": "skos:Concept",
              "skos:notation": String(value),
              "skos:prefLabel": Object.hasOwn(valueLabels, String(value)) ? valueLabels[String(value)] : String(value),
            })),
          },
  });
}

/** The time that its only column of dates is declared to span. */
function spans(columns: readonly (readonly [string, Column])[]) {
  const [only, another] = columns.filter(([, { type }]) => type === "date");
  if (only === undefined || another !== undefined) return {};
  const [, column] = only;
  const { lower, upper } = column;
  if (lower === undefined || upper === undefined) return {};
  const [from, to] = [lower, upper].map((end) => formatPeriod(end, unitOfDates(column)));
  return {
    temporalCoverage: `${from}/${to}`,
    "dct:temporal": { "@type": "dct:PeriodOfTime", "dcat:startDate": from, "dcat:endDate": to },
  };
}
