import { invalid, PrivacyError } from "@dosimeter/core";
import { type Fields, isRecord, present } from "@dosimeter/core/internal";
import { readCodeBook, refuseMany } from "./code-book.ts";
import { readDdi } from "./ddi.ts";
import { readRedcap } from "./redcap.ts";
import type { ColumnWords, SchemaWords } from "./schema-words.ts";
import { valuesText } from "./values.ts";
import { spellingsText, withinText } from "./within-text.ts";

/** Reads a Table Schema (Frictionless), CSVW, a JSON Schema of a row or our own declaration, already parsed from JSON or YAML; null for anything else. */
export function readSchema(json: unknown): SchemaWords | null {
  if (!isRecord(json)) return null;
  const first = (list: unknown): Fields => (Array.isArray(list) && isRecord(list[0]) ? list[0] : {});
  const schemas = [json, inside(json, "schema"), inside(first(json.resources), "schema")];
  const schema = schemas.find(({ fields }) => Array.isArray(fields));
  if (schema !== undefined) return { kind: "Table Schema", columns: ofTableSchema(schema), about: {} };
  const table = isRecord(json.tableSchema) ? json.tableSchema : inside(first(json.tables), "tableSchema");
  if (Array.isArray(table.columns))
    return { kind: "CSVW", columns: table.columns.filter(isRecord).filter(isRead).map(ofCsvw), about: {} };
  const row = isRecord(json.properties) ? json : inside(json, "items");
  if (isRecord(row.properties)) return { kind: "JSON Schema", columns: ofJsonSchema(row), about: {} };
  const { columns, ...about } = json;
  if (Array.isArray(columns)) return { kind: "declaration", columns: columns.filter(isRecord).map(ofOurs), about };
  if (!isRecord(columns)) return null;
  const named = Object.entries(columns).map(([name, column]) => ofOurs({ ...(isRecord(column) ? column : {}), name }));
  return { kind: "declaration", columns: named, about };
}

/** More values of one column are none of a category. */
const MAX_VALUES = 65_536;
/** Much more than the code book of a census. */
export const MAX_SCHEMA_BYTES = 20_000_000;

/** No table has a longer name, and no page shows a longer label. */
const MAX_NAME = 1000;
const MAX_WORDS = 100_000;

/** What is too long is not repeated. */
function refuseLong({ names, ...words }: ColumnWords): void {
  const said = (text: string) => `${text.slice(0, 40)}… (${text.length} characters)`;
  for (const name of names)
    if (name.length > MAX_NAME)
      invalid("schema", said(name), `a column's name, of at most ${MAX_NAME} characters: is this a code book?`);
  for (const [field, text] of Object.entries(words))
    if (typeof text === "string" && text.length > MAX_WORDS)
      invalid(`${field} of ${names[0]}`, said(text), `at most ${MAX_WORDS} characters`);
}

/**
 * The same of a text: XML, JSON, what `parseYaml` reads, a data dictionary, or a code book. Throws INVALID_PARAMETER where it says nothing of a
 * column, or two things of one code.
 */
export function readSchemaText(text: string, parseYaml: (text: string) => unknown): SchemaWords {
  if (text.length > MAX_SCHEMA_BYTES) throw tooLarge();
  const found = structured(text.replace(/^\uFEFF/, ""), parseYaml);
  if (found === null || found.columns.length === 0)
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "schema" },
      "this says nothing of a column: it must be a code book, DDI, a Table Schema, CSVW, a data dictionary of REDCap, a JSON Schema or a declaration",
    );
  refuseMany(found.columns.length);
  for (const column of found.columns) {
    const { names, values = [] } = column;
    refuseLong(column);
    const [name = ""] = names;
    if (values.length > MAX_VALUES)
      invalid(
        `values of ${name}`,
        values.length,
        `at most ${MAX_VALUES}: leave them out, and declare a text with its most different values`,
      );
    const seen = new Set<string>();
    for (const value of values)
      if (seen.size === seen.add(value).size)
        invalid(`values of ${name}`, value, "listed once, with one label: keep the right one in the code book");
  }
  return found;
}

/** The same of a file in UTF-8, in UTF-16 with its mark, or in XML that names its encoding. */
export function readSchemaFile(bytes: Uint8Array, parseYaml: (text: string) => unknown): SchemaWords {
  if (bytes.byteLength > MAX_SCHEMA_BYTES) throw tooLarge();
  return readSchemaText(decoded(bytes), parseYaml);
}

const tooLarge = (): PrivacyError => new PrivacyError("PAYLOAD_TOO_LARGE", { name: "schema", want: "at most 20 MB" });

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const named = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : named;
  try {
    return new TextDecoder(encoding ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    return invalid("schema", `a file that is not ${encoding ?? "UTF-8"}`, "saved as UTF-8");
  }
}

const isLikeJson = (text: string): boolean => text.trimStart().startsWith("{");

function structured(text: string, parseYaml: (text: string) => unknown): SchemaWords | null {
  if (text.trimStart().startsWith("<")) {
    const columns = readDdi(text);
    return columns && { kind: "DDI", columns, about: {} };
  }
  if (isLikeJson(text)) {
    try {
      return readSchema(JSON.parse(text));
    } catch {
      throw new PrivacyError("INVALID_PARAMETER", { name: "schema" }, "this begins like JSON and is not JSON");
    }
  }
  if (/^(?:columns|fields|schema|tableSchema)\s*:\s*$/m.test(text)) {
    const found = readSchema(parseYaml(text));
    if (found !== null) return found;
  }
  const fields = readRedcap(text);
  return fields === null ? readCodeBook(text) : { kind: "data dictionary", columns: fields, about: {} };
}

const inside = (json: Fields, key: string): Fields => (isRecord(json[key]) ? json[key] : {});
const word = (json: unknown): string | undefined =>
  typeof json === "string" && json.trim() !== "" ? json.trim() : typeof json === "number" ? String(json) : undefined;
/** As a form lists them; an empty text is missing anyway. */
const markers = (json: unknown): string | undefined => {
  const values = list(json)
    .map((item) => word(isRecord(item) ? item.value : item))
    .filter((value) => value !== undefined);
  return values.length === 0 ? undefined : valuesText({ values, labels: {} });
};
const list = (json: unknown): readonly unknown[] => (Array.isArray(json) ? json : json === undefined ? [] : [json]);

const types: Readonly<Record<string, ColumnWords["type"]>> = {
  integer: "integer",
  year: "integer",
  number: "number",
  decimal: "decimal",
  boolean: "boolean",
  date: "date",
  datetime: "timestamp",
  timestamp: "timestamp",
  category: "category",
  string: "text",
  text: "text",
};
const typeNamed = (name: unknown) => (Object.hasOwn(types, String(name)) ? types[String(name)] : undefined);

/** Markers of a field are in place of those of its schema. */
const ofTableSchema = ({ fields, missingValues }: Fields): readonly ColumnWords[] =>
  list(fields)
    .filter(isRecord)
    .map((field) => ofField({ missingValues, ...field }));

function ofField(field: Fields): ColumnWords {
  const constraints = inside(field, "constraints");
  const coded = list(field.categories).map((item) => (isRecord(item) ? item : { value: item }));
  const values = coded.length > 0 ? coded.map(({ value }) => value) : list(constraints.enum);
  return present({
    names: [word(field.name), word(field.title)].filter((name) => name !== undefined),
    ...valued(values, typeNamed(field.type ?? "string") ?? "text"),
    ...labelled(coded),
    lower: word(constraints.minimum),
    upper: word(constraints.maximum),
    required: constraints.required === true ? true : undefined,
    missing: markers(field.missingValues),
    label: word(field.title),
    unit: word(field.unit),
    description: word(field.description),
  });
}

/** Coded values make a category, unless only a boolean is coded. */
function valued(values: readonly unknown[], type: ColumnWords["type"]): Pick<ColumnWords, "type" | "values"> {
  const texts = values.map(word).filter((value) => value !== undefined);
  return texts.length === 0 || type === "boolean"
    ? type === undefined
      ? {}
      : { type }
    : { type: "category", values: texts };
}

function labelled(coded: readonly Fields[]): Pick<ColumnWords, "labels"> {
  const pairs = coded.flatMap(({ value, label }) =>
    word(value) === undefined || word(label) === undefined ? [] : [[word(value), word(label)]],
  );
  return pairs.length === 0 ? {} : { labels: Object.fromEntries(pairs) as Record<string, string> };
}

const isRead = ({ virtual }: Fields): boolean => virtual !== true;

const csvwTypes = (base: string): ColumnWords["type"] =>
  /^(?:integer|int|long|short|byte|nonNegativeInteger|positiveInteger|unsigned\w+|gYear)$/.test(base)
    ? "integer"
    : /^(?:number|decimal|double|float)$/.test(base)
      ? "number"
      : base === "dateTime" || base === "dateTimeStamp"
        ? "timestamp"
        : base === "boolean" || base === "date"
          ? base
          : "text";

/** Texts may be said in several languages: the first one. */
const spoken = (json: unknown): readonly string[] => {
  const [first] = isRecord(json) && !("@value" in json) ? Object.values(json) : [json];
  return list(first).flatMap((each) => word(isRecord(each) ? each["@value"] : each) ?? []);
};

function ofCsvw(column: Fields): ColumnWords {
  const datatype = isRecord(column.datatype) ? column.datatype : { base: column.datatype };
  const titles = spoken(column.titles);
  return present({
    names: [...titles, word(column.name)].filter((name) => name !== undefined),
    type: csvwTypes(String(datatype.base ?? "string")),
    lower: word(datatype.minimum ?? datatype.minInclusive),
    upper: word(datatype.maximum ?? datatype.maxInclusive),
    required: column.required === true ? true : undefined,
    missing: markers(column.null),
    label: spoken(column["rdfs:label"])[0] ?? titles[0],
    unit: word(column["schema:unitText"]),
    description: spoken(column["dc:description"] ?? column["rdfs:comment"])[0],
  });
}

/** Of the objects that a JSON Schema describes: its properties are the columns. `null` among the types or values means that one may be missing. */
function ofJsonSchema({ properties, required }: Fields): readonly ColumnWords[] {
  const always = new Set(list(required));
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => {
    const { type, format, enum: values, title, description, minimum, maximum } = isRecord(property) ? property : {};
    const isMissing = [...list(type), ...list(values)].some((each) => each === "null" || each === null);
    const base = list(type).find((each) => each !== "null");
    const named = format === "date" ? "date" : format === "date-time" ? "timestamp" : base;
    return present({
      names: [name, word(title)].filter((each) => each !== undefined),
      ...valued(list(values), typeNamed(named)),
      lower: word(minimum),
      upper: word(maximum),
      required: always.has(name) && !isMissing ? true : undefined,
      label: word(title),
      description: word(description),
    });
  });
}

/** As a form writes it: the pattern, and the first year that two digits may mean. */
const patternText = ({ pattern, pivot }: Fields): string =>
  `${String(pattern)}${pivot === undefined ? "" : ` from ${String(pivot)}`}`;

/** The step of a decimal, of which a form reads its scale. */
const lastDigit = (scale: unknown): string | undefined =>
  typeof scale === "number" && scale >= 0 && scale < 10 ? (10 ** -scale).toFixed(scale) : undefined;

function ofOurs(column: Fields): ColumnWords {
  const labels = inside(column, "valueLabels");
  const values = column.categories === undefined ? Object.keys(labels) : list(column.categories).map(String);
  return present({
    names: [word(column.name)].filter((name) => name !== undefined),
    type: typeNamed(column.type),
    lower: word(column.lower),
    upper: word(column.upper),
    granularity: word(column.granularity ?? lastDigit(column.scale)),
    zone: word(column.zone),
    pattern: word(column.pattern) === undefined ? undefined : patternText(column),
    values: values.length === 0 ? undefined : values,
    labels: Object.keys(labels).length === 0 ? undefined : (labels as Record<string, string>),
    required: column.required === true ? true : undefined,
    missing: markers(column.missing),
    within: withinText(column.within),
    spellings: spellingsText(column.spellings),
    label: word(column.label),
    unit: word(column.unit),
    description: word(column.description),
    provenance: (["public", "asserted"] as const).find((known) => known === column.provenance),
  });
}
