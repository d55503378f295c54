import { routes } from "@dosimeter/client/routes";
import { Argument, type Command, Option } from "commander";
import { planOptions } from "../flags/plan.ts";
import { collect } from "../flags/values.ts";
import { type Field, fieldsOf, type Shape } from "./fields.ts";
import { finders, finderWords } from "./find.ts";
import type { AnyRow, Finder } from "./row.ts";
import { wordsOf } from "./view.ts";

/** A route as a command: what it takes, and from which words of the command line. */
export interface Call {
  readonly row: AnyRow;
  readonly fields: readonly Field[];
  readonly args: readonly string[];
  /** The option of each field that has one, and those that are no field. */
  readonly options: readonly { readonly option: Option; readonly field: Field | null }[];
  readonly hasPlan: boolean;
  readonly hasFile: boolean;
}

/** Where a schema does not say it. */
const MEANS: Readonly<Record<string, string>> = {
  epsilon: "how much ε",
  delta: "how much δ",
  name: "what it is called",
  email: "where mail goes",
  note: "for those who read it",
  reason: "why; it stays in the record",
  limit: "at most this number (default: all)",
  content: "a file",
  request: "its id",
  every: "the period of a block",
};

const SHORT: Readonly<Record<string, string>> = { account: "-a, ", name: "-n, ", declaration: "-d, " };

const LABELS: Readonly<Record<string, string>> = { ledger: "dataset", content: "file" };

const kebab = (name: string): string =>
  name
    .replace(/^is(?=[A-Z])/, "")
    .replaceAll(/[A-Z]/g, (letter, at) => `${at === 0 ? "" : "-"}${letter.toLowerCase()}`);

export const finderOf = ({ row }: Pick<Call, "row">, name: string): Finder => {
  const said = row.finds?.[name];
  return said === undefined ? (finders[name] ?? null) : said;
};

export const isMany = ({ kind, shape }: Field): boolean =>
  kind === "list" || (kind === "structure" && shape.type === "array");

export function callOf(row: AnyRow): Call {
  const fields = fieldsOf(row.route);
  const args = row.args ?? fields.filter(({ isParameter }) => isParameter).map(({ name }) => name);
  const call = { row, fields, args };
  const flagged = fields.filter(
    ({ name, kind, isSecret }) =>
      kind !== "plan" &&
      !args.includes(name) &&
      row.flags?.[name] !== null &&
      row.fixed?.[name] === undefined &&
      row.env?.[name] === undefined &&
      !(isSecret && row.flags?.[name] === undefined),
  );
  const options = [
    ...flagged.flatMap((field) => optionsOf(call, field).map((option) => ({ option, field }))),
    ...Object.entries(row.more ?? {}).map(([flags, help]) => ({ option: new Option(flags, help), field: null })),
    ...(row.flag === undefined ? [] : [{ option: new Option(`--${row.flag}`, summaryOf(row)), field: null }]),
  ];
  const body = flagged.filter(({ isParameter }) => !isParameter);
  const { method } = routes[row.route];
  const hasFile = method === "POST" && body.length >= 4 && !fields.some(({ name }) => name === "file");
  return { ...call, options, hasPlan: fields.some(({ kind }) => kind === "plan"), hasFile };
}

function optionsOf(call: Pick<Call, "row">, field: Field): readonly Option[] {
  const { name, kind, shape } = field;
  const flag = call.row.flags?.[name] ?? kebab(name);
  const help = helpOf(call, field);
  const usual = call.row.usual?.[name];
  const said =
    usual === undefined || typeof usual === "function" ? help : `${help} (default: ${[usual].flat().join(" ")})`;
  if (kind === "switch") {
    const isSetting = field.isRequired || call.row.route.startsWith("set");
    return [new Option(`--${flag}`, said), ...(isSetting ? [new Option(`--no-${flag}`, "the opposite")] : [])];
  }
  const option = new Option(`${SHORT[name] ?? ""}--${flag} <${labelOf(call, field)}>`, said);
  const choices = shape.enum ?? shape.items?.enum;
  if (choices !== undefined) option.argChoices = [...choices];
  if (isMany(field))
    option.argParser((text: string, before: readonly string[] | undefined) =>
      shape.items?.enum === undefined
        ? collect(text, before)
        : [...(before ?? []), ...text.split(/[ ,]+/).filter(Boolean)],
    );
  return [option];
}

function labelOf(call: Pick<Call, "row">, { name, kind, shape }: Field): string {
  const finder = finderOf(call, name);
  if (finder !== null)
    return (
      { people: "person", listed: "dataset", population: "dataset", aside: "account", version: "n" }[finder as never] ??
      LABELS[finder] ??
      finder
    );
  if (shape.enum !== undefined || shape.items?.enum !== undefined) return kebab(name);
  if (kind === "structure") return "file";
  if (shape.id === "Time" || /At$/.test(name)) return "time";
  if (shape.id === "Id") return kebab(name);
  return { amount: "amount", number: "n" }[kind as never] ?? "text";
}

function helpOf(call: Pick<Call, "row">, { name, shape }: Field): string {
  const own = call.row.helps?.[name];
  if (own !== undefined) return own;
  const finder = finderOf(call, name);
  const described = name === "limit" || finder === "version" || isOpaque(shape) ? undefined : shape.description;
  const usual = MEANS[name] ?? (finder === null ? (shape.id === "Id" ? "its id" : wordsOf(name)) : "");
  const means = described === undefined ? usual : lowered(described);
  const written = means.replaceAll(/\bnull\b/g, "none");
  const parts = [written, finder === null ? "" : finderWords[finder]];
  return [...parts.filter(Boolean), ...(shape.isNullable && written === means ? ["or none"] : [])].join("; ");
}

const isOpaque = ({ id, description }: Shape): boolean => id !== undefined && description === OPAQUE[id];

/** What a schema says of all its values says nothing about one field. */
const OPAQUE: Readonly<Record<string, string>> = {
  Id: "An opaque identifier",
  DecimalInput: "A decimal string, or a number meaning its shortest decimal",
  Time: "UTC, ISO 8601",
};

const lowered = (text: string): string =>
  /^[A-Z][a-z]|^A /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

export const summaryOf = ({ route, summary }: AnyRow): string =>
  summary ?? lowered(routes[route].summary).replaceAll(/\bnull\b/g, "none");

export const mayBeAbsent = ({ row, fields }: Call, name: string): boolean =>
  row.usual?.[name] !== undefined || fields.some((field) => field.name === name && !field.isRequired);

export function addWords(command: Command, calls: readonly Call[]): void {
  const [first] = calls;
  if (first === undefined) return;
  const longest = calls.reduce((most, one) => (one.args.length > most.args.length ? one : most));
  const least = Math.min(...calls.map(({ args }) => args.length));
  longest.args.forEach((name, index) => {
    const field = longest.fields.find((one) => one.name === name);
    const isOptional = index >= least || mayBeAbsent(longest, name);
    const label = LABELS[name] ?? kebab(name);
    const finder = finderOf(longest, name);
    const help = field === undefined ? (finder === null ? "" : finderWords[finder]) : helpOf(longest, field);
    const argument = new Argument(isOptional ? `[${label}]` : `<${label}>`, help);
    if (field?.shape.enum !== undefined) argument.argChoices = [...field.shape.enum];
    command.addArgument(argument);
  });
  const seen = new Set<string>();
  const add = (option: Option) => {
    if (option.long === undefined || option.long === null || seen.has(option.long)) return;
    seen.add(option.long);
    command.addOption(option);
  };
  for (const { options } of calls) for (const { option } of options) add(option);
  if (calls.some(({ hasPlan }) => hasPlan)) planOptions(command);
  if (calls.some(({ hasFile }) => hasFile))
    add(new Option("-f, --file <file>", "YAML or JSON with these fields, - for standard input; options win over it"));
  if (calls.some(({ row }) => row.asks !== undefined)) add(new Option("--yes", "do not ask first"));
  const reads = calls.filter(({ row }) => routes[row.route].method === "GET");
  if (reads.some(({ row }) => routes[row.route].media !== undefined))
    add(new Option("-o, --output <file>", "write it there instead of printing it"));
  else if (reads.some(({ fields }) => !fields.some(({ name }) => name === "limit")))
    add(new Option("--only <field>", "print this field of the answer as JSON, and nothing else"));
}

/** What each option and argument is called where it is missing. */
export const wordOf = ({ args, options }: Call, field: Field): string =>
  args.includes(field.name)
    ? (LABELS[field.name] ?? field.name)
    : (options.find((one) => one.field?.name === field.name)?.option.long ?? field.name);
