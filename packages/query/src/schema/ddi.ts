import { invalid } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { SaxesParser } from "saxes";
import type { ColumnWords } from "./schema-words.ts";
import { valuesText } from "./values.ts";

type Attributes = Readonly<Record<string, string>>;

interface Category {
  value: string;
  label: string;
  readonly isMissing: boolean;
}

interface Variable {
  readonly name: string;
  readonly about: Attributes;
  format: Attributes;
  range: Attributes;
  readonly missing: string[];
  readonly categories: Category[];
  /** The first text of each element: others are in other languages, or say more. */
  readonly texts: Map<string, string>;
}

/** The variables of a DDI code book (2.x): one `var` for each column. Null for another document; INVALID_PARAMETER for what is not XML. */
export function readDdi(text: string): readonly ColumnWords[] | null {
  const variables: Variable[] = [];
  const path: string[] = [];
  let [isDdi, said] = [false, ""];
  let current: Variable | undefined;
  const parser = new SaxesParser<{ xmlns: false }>();
  parser.on("error", () => invalid("schema", "a document that is not well-formed", "well-formed XML"));
  parser.on("doctype", () => invalid("schema", "a document with a document type", "XML without one"));
  parser.on("opentag", ({ name, attributes }) => {
    const tag = localName(name);
    if (path.length === 0) isDdi = tag === "codeBook";
    path.push(tag);
    said = "";
    if (tag === "var") {
      const { name: called = "" } = attributes;
      current = {
        name: called,
        about: attributes,
        format: {},
        range: {},
        missing: [],
        categories: [],
        texts: new Map(),
      };
      variables.push(current);
    } else if (current !== undefined) opened(current, tag, path.at(-2) ?? "", attributes);
  });
  const heard = (part: string): void => {
    said += part;
  };
  parser.on("text", heard);
  parser.on("cdata", heard);
  parser.on("closetag", ({ name }) => {
    const tag = localName(name);
    path.pop();
    if (tag === "var") current = undefined;
    else if (current !== undefined) closed(current, tag, path.at(-1) ?? "", said.replaceAll(/\s+/g, " ").trim());
    said = "";
  });
  parser.write(text).close();
  return isDdi ? variables.filter(({ name }) => name !== "").map(ofVariable) : null;
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function opened(variable: Variable, tag: string, parent: string, attributes: Attributes): void {
  if (tag === "varFormat") variable.format = attributes;
  if (tag === "range" && parent === "valrng") variable.range = attributes;
  if (tag === "item" && parent === "invalrng") variable.missing.push(attributes.VALUE ?? attributes.value ?? "");
  if (tag === "catgry") variable.categories.push({ value: "", label: "", isMissing: attributes.missing === "Y" });
}

function closed({ categories, texts }: Variable, tag: string, parent: string, said: string): void {
  const category = parent === "catgry" ? categories.at(-1) : undefined;
  if (category !== undefined && tag === "catValu") category.value = said;
  else if (category !== undefined && tag === "labl") category.label ||= said;
  else if (parent === "var" || parent === "qstn") texts.set(tag, texts.get(tag) ?? said);
}

function ofVariable({ name, about, format, range, missing, categories, texts }: Variable): ColumnWords {
  const listed = categories.filter(({ value }) => value !== "");
  const values = listed.filter(({ isMissing }) => !isMissing).map(({ value }) => value);
  const labelled = listed.filter(({ isMissing, label }) => !isMissing && label !== "");
  const markers = [...new Set([...missing, ...listed.filter(({ isMissing }) => isMissing).map(({ value }) => value)])];
  return present({
    names: [name],
    type: typeOf(about, format, values.length > 0),
    lower: range.min,
    upper: range.max,
    values: values.length === 0 ? undefined : values,
    labels: labelled.length === 0 ? undefined : Object.fromEntries(labelled.map(({ value, label }) => [value, label])),
    missing: markers.length === 0 ? undefined : valuesText({ values: markers, labels: {} }),
    label: texts.get("labl"),
    unit: about.measUnit,
    description: texts.get("txt") ?? texts.get("qstnLit"),
  });
}

function typeOf({ intrvl, dcml }: Attributes, { type, category }: Attributes, isListed: boolean): ColumnWords["type"] {
  if (category === "date") return "date";
  if (isListed && intrvl !== "contin") return "category";
  if (type !== "numeric") return type === undefined && intrvl !== "contin" ? undefined : "text";
  return dcml === undefined ? (intrvl === "contin" ? "number" : "integer") : Number(dcml) > 0 ? "number" : "integer";
}
