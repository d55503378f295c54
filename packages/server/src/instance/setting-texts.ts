import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isRecord } from "@dosimeter/core/internal";
import { LineCounter, parseDocument } from "yaml";
import { type Setting, type SettingName, settingRows } from "./settings.ts";

/** Variables of the command line, not of a server. */
const others = [
  "DOSIMETER_URL",
  "DOSIMETER_TOKEN",
  "DOSIMETER_TOKEN_FILE",
  "DOSIMETER_PASSWORD",
  "DOSIMETER_NEW_PASSWORD",
  "DOSIMETER_CONFIG",
  "DOSIMETER_NEW_KEY_SECRET",
  "DOSIMETER_NEW_KEY_SECRET_FILE",
];

/** Where settings come from: the first of option, environment and file wins. */
export interface Origins {
  readonly env: NodeJS.ProcessEnv;
  /** Options of the command line, by the variables that they stand for. */
  readonly options?: { readonly [Name in SettingName]?: string };
  /** The path of a YAML file. */
  readonly file?: string | undefined;
  /** The working folder; the process's own when absent. */
  readonly cwd?: string;
}

export interface Written {
  readonly from: "option" | "environment" | "file";
  /** What it is called there, for problems. */
  readonly called: string;
  /** The text; of what the file itself holds the value. */
  readonly value: string | { readonly inline: unknown };
  /** The file that holds the value alone. */
  readonly path?: string;
  /** What paths are relative to. */
  readonly folder: string;
}

export interface Texts {
  readonly written: ReadonlyMap<SettingName, Written>;
  /** What is wrong, without any value: one may be a secret. */
  readonly problems: readonly string[];
}

/** Gathers what is written of each setting, and everything that is wrong about how. Checks no value. */
export function settingTexts({ env, options = {}, file, cwd = process.cwd() }: Origins): Texts {
  const problems: string[] = [];
  const written = new Map<SettingName, Written>();
  const path = file ?? env.DOSIMETER_CONFIG;
  if (path) fromFile(resolve(cwd, path), written, problems);
  fromEnvironment(env, cwd, written, problems);
  for (const [name, { flag = "" }] of settingRows) {
    const value = options[name];
    const [called = ""] = flag.split(" ");
    if (value !== undefined) written.set(name, { from: "option", called, value, folder: cwd });
  }
  return { written, problems };
}

function fromEnvironment(
  env: NodeJS.ProcessEnv,
  folder: string,
  written: Map<SettingName, Written>,
  problems: string[],
) {
  const known = new Set<string>(others);
  for (const [name, { secret }] of settingRows) {
    known.add(name);
    const inFile = `${name}_FILE`;
    if (secret) known.add(inFile);
    const [value = "", path = ""] = [env[name], secret ? env[inFile] : ""];
    const where = { from: "environment", folder } as const;
    if (value !== "" && path !== "") problems.push(`${name} and ${inFile} are both set, must be one of them`);
    else if (value !== "") written.set(name, { ...where, called: name, value });
    else if (path !== "")
      readSecret(resolve(folder, path), inFile, problems, (text) =>
        written.set(name, { ...where, called: inFile, value: text, path: resolve(folder, path) }),
      );
  }
  for (const name of Object.keys(env))
    if (name.startsWith("DOSIMETER_") && !known.has(name))
      problems.push(`${name} is not a setting; see docs/settings.md`);
}

function fromFile(path: string, written: Map<SettingName, Written>, problems: string[]): void {
  const given = readYaml(path, problems);
  const where = { from: "file", folder: dirname(path) } as const;
  const called = (key: string) => `${key} in ${path}`;
  const used = new Set<string>();
  for (const [name, row] of settingRows) {
    if (row.key === null) continue;
    const [value, inFile] = [given[row.key], row.secret ? given[`${row.key}File`] : undefined];
    used.add(row.key);
    if (row.secret) used.add(`${row.key}File`);
    if (value != null && inFile != null)
      problems.push(`${called(row.key)} and ${row.key}File are both set, must be one of them`);
    else if (typeof inFile === "string")
      readSecret(resolve(where.folder, inFile), called(`${row.key}File`), problems, (text) =>
        written.set(name, {
          ...where,
          called: called(`${row.key}File`),
          value: text,
          path: resolve(where.folder, inFile),
        }),
      );
    else if (value != null) {
      const text = textOf(value, row);
      if (text === null) problems.push(`${called(row.key)} must be ${row.want}`);
      else written.set(name, { ...where, called: called(row.key), value: text });
    }
  }
  for (const key of Object.keys(given))
    if (!used.has(key)) problems.push(`${called(key)} is not a setting; see docs/settings.md`);
}

/** A value of the file as it would stand in the environment; null where that cannot be. */
function textOf(value: unknown, { between, inline }: Setting): Written["value"] | null {
  if (inline && typeof value === "object") return { inline: value };
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return value;
  const isList = between !== undefined && Array.isArray(value) && value.every((one) => typeof one === "string");
  return isList ? value.join(between) : null;
}

function readSecret(path: string, called: string, problems: string[], use: (text: string) => void): void {
  try {
    const text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    if (text === "") problems.push(`${called} is an empty file, must hold the value`);
    else use(text);
  } catch {
    problems.push(`${called} must be a file that can be read`);
  }
}

/** Of a problem only the line is said: the rest may be a secret. */
function readYaml(path: string, problems: string[]): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    problems.push(`${path} must be a YAML file of settings that can be read`);
    return {};
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [first] = document.errors;
  if (first !== undefined) {
    const why = first.code === "DUPLICATE_KEY" ? "has a key twice" : "is not valid YAML";
    problems.push(`${path} ${why}, in line ${lines.linePos(first.pos[0]).line}`);
    return {};
  }
  const value: unknown = document.toJS() ?? {};
  if (isRecord(value)) return value;
  problems.push(`${path} must hold settings by name, such as "port: 8080"`);
  return {};
}
