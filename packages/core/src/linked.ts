/** What the words of published metadata mean: schema.org, and in full DCAT-AP, Dublin Core and DDI (its RDF discovery vocabulary). */
export const LINKED = {
  "@vocab": "https://schema.org/",
  dcat: "http://www.w3.org/ns/dcat#",
  dct: "http://purl.org/dc/terms/",
  disco: "http://rdf-vocabulary.ddialliance.org/discovery#",
  skos: "http://www.w3.org/2004/02/skos/core#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
} as const;

/** Who may read it, as DCAT-AP lists it. */
export const accessRight = (right: "PUBLIC" | "NON_PUBLIC") =>
  ({ "@id": `http://publications.europa.eu/resource/authority/access-right/${right}` }) as const;

export const linkedDate = (iso: string) => ({ "@type": "xsd:date", "@value": iso.slice(0, 10) }) as const;
