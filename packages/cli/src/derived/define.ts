import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Client } from "@dosimeter/client";
import { routes } from "@dosimeter/client/routes";
import { invalid, PrivacyError } from "@dosimeter/core";
import { choiceOf, isRecord, typedNumber } from "@dosimeter/core/internal";
import type { Command } from "commander";
import { NOWHERE, withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { withJoinedId } from "../find.ts";
import { type PlanFlags, planFlagNames, planOf } from "../flags/plan.ts";
import { readStructured } from "../flags/structured.ts";
import { say, sayJson } from "../terminal/output.ts";
import { sure } from "../terminal/sure.ts";
import { paint, printable, type Terminal } from "../terminal/terminal.ts";
import { addWords, type Call, callOf, finderOf, mayBeAbsent, summaryOf, wordOf } from "./call.ts";
import { type Field, shapeOf } from "./fields.ts";
import { found } from "./find.ts";
import type { AnyRow, Given, Scene } from "./row.ts";
import { derivedRows } from "./rows.ts";
import { sayAnswer, valueAt } from "./view.ts";

/** What a noun alone does. */
const USUAL: readonly string[] = [
  ...["account list", "agent list", "connection list", "draft list", "ledger show", "person list", "request list"],
  ...["team list", "token list"],
];

/** Adds the commands below a noun that routes are. */
export function derive(command: Command, context: Context): void {
  const verbs = Map.groupBy(
    derivedRows.filter(({ command: line }) => line.startsWith(`${command.name()} `)),
    ({ command: line }) => line.slice(command.name().length + 1),
  );
  for (const [verb, rows] of verbs) {
    const first = rows.find(({ flag }) => flag === undefined) ?? rows[0];
    if (first === undefined) continue;
    const calls = rows.map(callOf);
    const sub = command.command(verb, { isDefault: USUAL.includes(first.command) }).description(summaryOf(first));
    addWords(sub, calls);
    sub.action(() => act(sub, calls, context));
  }
}

/** What stands on the line, by the name of its argument or the attribute of its option. */
interface Line {
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, unknown>>;
}

async function act(command: Command, calls: readonly Call[], context: Context): Promise<void> {
  const { terminal, globals, endWith } = context;
  const line: Line = { args: command.args, options: command.opts() };
  const call = chosen(calls, line);
  refuseOthers(call, calls, line);
  const { row } = call;
  const raw = rawOf(call, line);
  const read = await readAll(call, raw, line, terminal);
  if (row.asks !== undefined && line.options.yes !== true) await sure(row.asks, terminal);
  await withClient(context, async (client) => {
    const scene: Scene = { client, terminal, raw, undo: [] };
    const given = await resolved(call, read, scene);
    const warning = await row.warns?.(given, scene);
    if (warning != null) terminal.err.write(`${warning}\n`);
    const input = { ...inputOf(call, given), ...(await row.build?.(given, scene)) };
    const answer = await answerOf(client, call, input).catch(async (error: unknown) => {
      if (error instanceof PrivacyError) await Promise.allSettled(scene.undo.map((undo) => undo()));
      throw named(error, call, raw);
    });
    if (row.fails?.(answer as never) === true) endWith(exitCodes.failed);
    await show({ answer, call, raw, line, terminal, isJson: globals().json === true });
    if (isRecord(answer) && String(answer.url).startsWith(`${NOWHERE}/`))
      terminal.err.write("No server runs on this data folder: start one, and open the link at its address.\n");
  });
}

/** A server does not say what was not found: here it is what stands first on the line. */
function named(error: unknown, { args: [name] }: Call, raw: Given): unknown {
  const isBare = error instanceof PrivacyError && error.code === "NOT_FOUND" && error.message.startsWith("not found");
  const got = name === undefined ? undefined : raw[name];
  if (!isBare || name === undefined || typeof got !== "string") return error;
  return new PrivacyError("NOT_FOUND", { name, got }, `${name} ${JSON.stringify(got)}: ${error.message}`);
}

/** The route that takes all that is given, and has all that it needs. */
function chosen(calls: readonly Call[], line: Line): Call {
  const takers = calls.filter((call) => foreign(call, line).length === 0 && hasFlag(call, line));
  const fitting = takers.find(
    (call) =>
      call.args.every((name, index) => line.args[index] !== undefined || mayBeAbsent(call, name)) &&
      call.fields.every((field) => !field.isParameter || isGiven(call, field, line)) &&
      (!needsOption(call) || givenOptions(line).length > 0),
  );
  const flagged = calls.find((call) => call.row.flag !== undefined && hasFlag(call, line));
  return fitting ?? takers[0] ?? flagged ?? (calls[0] as Call);
}

const hasFlag = ({ row }: Call, { options }: Line): boolean =>
  row.flag === undefined || options[attributeOf(row.flag)] === true;

const attributeOf = (flag: string): string => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const givenOptions = ({ options }: Line): readonly string[] =>
  Object.keys(options).filter((name) => options[name] !== undefined && name !== "yes" && name !== "only");

/** What is given and this route does not take. */
const foreign = ({ options, args, hasPlan, hasFile }: Call, line: Line): readonly string[] => {
  const own = new Set<string>([
    ...options.map(({ option }) => option.attributeName()),
    ...["yes", "only", "output"],
    ...(hasFile ? ["file"] : []),
    ...(hasPlan ? planFlagNames : []),
  ]);
  return [
    ...line.args.slice(args.length).filter((text) => text !== undefined),
    ...givenOptions(line).filter((name) => !own.has(name)),
  ];
};

function isGiven(call: Call, field: Field, line: Line): boolean {
  if (call.args.includes(field.name)) return line.args[call.args.indexOf(field.name)] !== undefined;
  const option = optionOf(call, field);
  return option === undefined || line.options[option] !== undefined;
}

const optionOf = ({ options }: Call, field: Field): string | undefined =>
  options.find((one) => one.field?.name === field.name)?.option.attributeName();

/** A change that names no change would do nothing. */
const needsOption = ({ row, fields, args }: Call): boolean => {
  const body = fields.filter(({ isParameter }) => !isParameter);
  const isSet = ({ name, isRequired }: Field) => isRequired || args.includes(name) || row.fixed?.[name] !== undefined;
  return /^(set|change|label)/.test(row.route) && !body.some(isSet);
};

function refuseOthers(call: Call, calls: readonly Call[], line: Line): void {
  const [other] = foreign(call, line);
  if (other !== undefined) {
    const isOption = line.options[other] !== undefined;
    const option = calls.flatMap(({ options }) => options).find((one) => one.option.attributeName() === other)?.option;
    const name = isOption ? (option?.long ?? `--${other}`) : "an argument";
    invalid(
      name,
      isOption ? "given" : other,
      call.row.flag === undefined ? "absent here" : `absent next to --${call.row.flag}`,
    );
  }
  if (!needsOption(call) || givenOptions(line).length > 0) return;
  invalid("an option", undefined, `one of ${call.options.map(({ option }) => option.long).join(", ")}`);
}

/** What was written, by field, and by attribute for what is no field. */
function rawOf(call: Call, line: Line): Given {
  const own = call.options.map(({ option, field }) => {
    const attribute = option.attributeName();
    return [field?.name ?? attribute, line.options[attribute]] as const;
  });
  return Object.fromEntries([...own, ...call.args.map((name, index) => [name, line.args[index]] as const)]);
}

/** Reads every text, before anything is asked of a server. */
async function readAll(call: Call, raw: Given, line: Line, terminal: Terminal): Promise<Given> {
  const { row, fields, hasPlan } = call;
  const path = line.options.file;
  const written = typeof path === "string" ? await readStructured(path, terminal) : {};
  if (!isRecord(written)) invalid("--file", written, "an object");
  const known = new Set(fields.map((field) => field.path[0] ?? ""));
  const strange = Object.keys(written).find((name) => !known.has(name));
  if (strange !== undefined) invalid("--file", strange, choiceOf(strange, [...known]));
  const read: Record<string, unknown> = { ...raw };
  for (const field of fields) {
    const text = row.env?.[field.name] === undefined ? raw[field.name] : terminal.env[row.env[field.name] ?? ""];
    const [name, part] = field.path;
    const inFile = part === undefined ? written[name ?? ""] : (written[name ?? ""] as Given | undefined)?.[part];
    read[field.name] =
      field.kind === "plan"
        ? undefined
        : text === undefined || (text === "" && row.env !== undefined)
          ? (row.fixed?.[field.name] ?? inFile)
          : await readText(field, text, { call, terminal });
  }
  const flags = line.options as PlanFlags;
  const plan = fields.find(({ kind }) => kind === "plan");
  if (hasPlan && plan !== undefined) {
    const isAsked = planFlagNames.some((name) => flags[name] !== undefined);
    read[plan.name] = isAsked ? await planOf(flags, terminal) : written[plan.name];
  }
  for (const field of fields)
    if (field.isRequired && read[field.name] === undefined && row.usual?.[field.name] === undefined)
      refuseMissing(call, field);
  return read;
}

function refuseMissing(call: Call, field: Field): void {
  const { row } = call;
  const variable = row.env?.[field.name];
  if (variable !== undefined) invalid(variable, undefined, "set in the environment");
  const isFound = finderOf(call, field.name) !== null && !call.args.includes(field.name);
  if (isFound || row.flags?.[field.name] === null) return;
  if (field.kind === "plan") invalid("--statistic", undefined, "given, or a plan");
  invalid(wordOf(call, field), undefined, "given");
}

async function readText(
  field: Field,
  text: unknown,
  { call, terminal }: { readonly call: Call; readonly terminal: Terminal },
): Promise<unknown> {
  const { kind, shape } = field;
  if (typeof text === "boolean" || (Array.isArray(text) && kind === "list")) return text;
  if (Array.isArray(text)) return Promise.all(text.map((one: string) => readStructured(one, terminal)));
  const given = String(text);
  if (shape.isNullable && (given === "none" || given === "")) return null;
  if (kind === "number" && finderOf(call, field.name) === null)
    return typedNumber(given, { isWhole: shape.type === "integer" }, wordOf(call, field)).value;
  if (kind === "structure") return readStructured(given, terminal);
  return kind === "content" ? contentOf(given, terminal) : given;
}

async function contentOf(path: string, { cwd }: Terminal): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFile(resolve(cwd, path)).catch(() => invalid("file", path, "a file that can be read"));
  return Uint8Array.from(bytes);
}

/** Names as ids, and what counts where nothing is given. */
async function resolved(call: Call, read: Given, scene: Scene): Promise<Given> {
  const { row, fields } = call;
  const given: Record<string, unknown> = { ...read };
  const hidden = fields.filter(
    ({ name, isRequired }) => isRequired && read[name] === undefined && row.usual?.[name] === undefined,
  );
  const names = Object.keys(read).filter((name) => typeof read[name] === "string" || Array.isArray(read[name]));
  for (const name of [...names, ...hidden.map((field) => field.name)]) {
    const finder = finderOf(call, name);
    const value = read[name];
    if (finder === null || row.flags?.[name] === null) continue;
    if (row.build === undefined && !fields.some((field) => field.name === name)) continue;
    given[name] = Array.isArray(value)
      ? await Promise.all(value.map((one: string) => found(finder, one, scene)))
      : await found(finder, value as string | undefined, scene);
  }
  for (const [name, usual] of Object.entries(row.usual ?? {}))
    given[name] ??= typeof usual === "function" ? await usual(given, scene) : usual;
  for (const { kind, name } of fields)
    if (kind === "plan" && isRecord(given[name])) given[name] = await withJoinedId(scene.client, given[name]);
  return given;
}

function inputOf({ fields }: Call, given: Given): Given {
  const input: Record<string, unknown> = {};
  for (const { name, path } of fields) {
    const [first = "", part] = path;
    if (given[name] === undefined) continue;
    if (part === undefined) input[first] = given[name];
    else input[first] = { ...(input[first] as Given | undefined), [part]: given[name] };
  }
  return input;
}

const MAX_PAGE = 200;

async function answerOf(client: Client, { row, fields }: Call, input: Given): Promise<unknown> {
  const run = client[row.route] as unknown as (input: Given) => Promise<unknown>;
  if (!fields.some(({ name }) => name === "limit")) return run(input);
  const most = typeof input.limit === "number" ? input.limit : Number.POSITIVE_INFINITY;
  const asked = { ...input, ...(most === Number.POSITIVE_INFINITY ? {} : { limit: Math.min(most, MAX_PAGE) }) };
  const all: unknown[] = [];
  for await (const item of client.all(row.route as "listPeople", asked as object)) {
    all.push(item);
    if (all.length >= most) break;
  }
  return row.sort === undefined ? all : sorted(all, row.sort.split("."));
}

function sorted(all: readonly unknown[], path: readonly string[]): readonly unknown[] {
  const key = (one: unknown): string | number => {
    const value = valueAt(one, path);
    return typeof value === "number" ? value : [value].flat().join("/");
  };
  return all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

interface Shown {
  readonly answer: unknown;
  readonly call: Call;
  readonly raw: Given;
  readonly line: Line;
  readonly terminal: Terminal;
  readonly isJson: boolean;
}

async function show({ answer, call: { row }, raw, line, terminal, isJson }: Shown): Promise<void> {
  if (answer instanceof Blob) return showBytes(answer, line.options.output, terminal, { isJson, row, raw });
  const { only } = line.options;
  if (typeof only === "string") return sayJson(terminal, onlyOf(answer, only));
  if (isJson) return answer === undefined ? undefined : sayJson(terminal, withoutWrap(answer));
  const said = row.says?.(harmless(answer) as never, raw);
  if (answer === undefined) say(terminal, "done");
  else if (said != null) say(terminal, said);
  else if (row.shows !== undefined) await row.shows(terminal, answer as never);
  else {
    const { response } = routes[row.route];
    if (response !== null) await sayAnswer(terminal, answer, shapeOf(response, "output"), row);
  }
  if (isRecord(answer) && Array.isArray(answer.warnings))
    for (const warning of answer.warnings) terminal.err.write(`${paint(terminal, "yellow", `warning: ${warning}`)}\n`);
  const after = row.after?.(answer as never, raw);
  if (after != null) say(terminal, printable(after));
}

/** An answer whose texts, which others chose, cannot control the terminal. */
function harmless(value: unknown): unknown {
  if (typeof value === "string") return printable(value);
  if (Array.isArray(value)) return value.map(harmless);
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, harmless(one)]))
    : value;
}

/** A list alone, where there is nothing next to it. */
const withoutWrap = (answer: unknown): unknown =>
  isRecord(answer) && Array.isArray(answer.items) && Object.keys(answer).length === 1 ? answer.items : answer;

function onlyOf(answer: unknown, path: string): unknown {
  const value = valueAt(answer, path.split("."));
  const names = isRecord(answer) ? Object.keys(answer).join(", ") : "";
  return value === undefined ? invalid("--only", path, `one of ${names}`) : value;
}

async function showBytes(
  answer: Blob,
  output: unknown,
  terminal: Terminal,
  { isJson, row, raw }: { readonly isJson: boolean; readonly row: AnyRow; readonly raw: Given },
): Promise<void> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (typeof output !== "string") return void terminal.out.write(bytes);
  await writeFile(resolve(terminal.cwd, output), bytes, { mode: 0o600 });
  if (isJson) return sayJson(terminal, { file: output, bytes: bytes.byteLength });
  say(terminal, row.after?.(answer as never, { ...raw, output }) ?? `Written to ${output}.`);
}
