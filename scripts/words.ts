/**
 * Checks names and texts against the dictionary in `words.json`: identifiers, files and folders, comments, the documents, and
 * the strings of every package. `--counts` prints totals per word and package.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Rule {
  /** One or more words, matched as whole words, with an `s` or without. */
  readonly word: string;
  readonly instead: string;
  /** The rule holds only for paths that match `only`, and not for those that match `except`. */
  readonly only?: string;
  readonly except?: string;
  /** What stays as it is written: fields of the wire, columns, routes. */
  readonly exact?: readonly string[];
  /** The word is right after this one: `restoreGap`. */
  readonly after?: string;
}

interface Dictionary {
  readonly files: Readonly<Record<"code" | "texts" | "documents" | "ignore", string>>;
  readonly names: readonly Rule[];
  readonly identifiers: readonly { readonly pattern: string; readonly instead: string }[];
  /** Words of the dictionary in sentences. */
  readonly prose: readonly Rule[];
  readonly idioms: readonly Rule[];
}

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly word: string;
  readonly instead: string;
}

const root = join(import.meta.dirname, "..");
const dictionary: Dictionary = JSON.parse(readFileSync(join(root, "scripts/words.json"), "utf8"));
const matchers = Object.fromEntries(
  Object.entries(dictionary.files).map(([kind, pattern]) => [kind, new RegExp(pattern)]),
) as Readonly<Record<keyof Dictionary["files"], RegExp>>;

const IDENTIFIER = /[A-Za-z_$][\w$]*/g;

const holds = ({ only, except }: Rule, file: string): boolean =>
  (only === undefined || new RegExp(only).test(file)) && (except === undefined || !new RegExp(except).test(file));

/** `openLedgerDatabase_2` → open, ledger, database. */
const partsOf = (name: string): readonly string[] =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((part) => part.toLowerCase());

/** Blanks a piece of text and keeps its lines, so that positions stay. */
const blank = (text: string): string => text.replace(/[^\n]/g, " ");

function inNames(file: string, text: string, at: (index: number) => number): readonly Finding[] {
  const rules = dictionary.names.filter((rule) => holds(rule, file));
  const byWord = new Map(rules.flatMap((rule) => [rule.word, `${rule.word}s`].map((word) => [word, rule] as const)));
  const patterns = dictionary.identifiers.map(({ pattern, instead }) => ({
    is: new RegExp(pattern),
    pattern,
    instead,
  }));
  const judged = new Map<string, { readonly word: string; readonly instead: string } | null>();
  const judge = (name: string) => {
    const pattern = patterns.find(({ is }) => is.test(name));
    if (pattern !== undefined) return { word: pattern.pattern, instead: pattern.instead };
    const parts = partsOf(name);
    for (const [index, part] of parts.entries()) {
      const rule = byWord.get(part);
      if (rule === undefined || rule.exact?.includes(name)) continue;
      if (rule.after === undefined || rule.after !== parts[index - 1]) return rule;
    }
    return null;
  };
  return [...text.matchAll(IDENTIFIER)].flatMap(({ 0: name, index }) => {
    if (!judged.has(name)) judged.set(name, judge(name));
    const rule = judged.get(name) ?? null;
    return rule === null ? [] : [{ file, line: at(index), found: name, word: rule.word, instead: rule.instead }];
  });
}

function inSentences(
  rules: readonly Rule[],
  file: string,
  text: string,
  at: (index: number) => number,
): readonly Finding[] {
  return rules
    .filter((rule) => holds(rule, file))
    .flatMap(({ word, instead, exact = [] }) =>
      [...text.matchAll(new RegExp(`(?<![\\w-])${word.replaceAll(" ", "[\\s*/]+")}s?(?![\\w-])`, "gi"))]
        .filter(({ 0: found }) => !exact.includes(found))
        .map(({ 0: found, index }) => ({ file, line: at(index), found, word, instead })),
    );
}

export const linesOf = (text: string) => {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (index: number): number => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
};

type Layer = "code" | "strings" | "comments";

/** The text three times, each with the two other layers blanked: code (with the text of JSX), strings, comments. */
export function layersOf(text: string): Readonly<Record<Layer, string>> {
  const layers: Record<Layer, string[]> = { code: [], strings: [], comments: [] };
  // Each `${` in a template, and each brace within it, until it closes.
  const braces: ("template" | "block")[] = [];
  let at = 0;
  const take = (layer: Layer, end: number): void => {
    const piece = text.slice(at, end);
    const empty = blank(piece);
    for (const each of ["code", "strings", "comments"] as const) layers[each].push(each === layer ? piece : empty);
    at = end;
  };
  const template = (from: number): void => {
    let end = from;
    while (end < text.length && text[end] !== "`" && !text.startsWith("${", end)) end += text[end] === "\\" ? 2 : 1;
    if (text[end] === "$") braces.push("template");
    take("strings", Math.min(text.length, end + (text[end] === "$" ? 2 : 1)));
  };
  const next =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[(,=:[!&|?;]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[`{}]/g;
  for (;;) {
    next.lastIndex = at;
    const found = next.exec(text);
    take("code", found?.index ?? text.length);
    if (found === null) break;
    const [piece] = found;
    if (piece === "`") template(at + 1);
    else if (piece === "}" && braces.pop() === "template") template(at + 1);
    else if (piece === "{" || piece === "}") {
      if (piece === "{") braces.push("block");
      take("code", at + 1);
    } else take(/^\/[/*]/.test(piece) ? "comments" : piece.startsWith("/") ? "code" : "strings", at + piece.length);
  }
  return { code: layers.code.join(""), strings: layers.strings.join(""), comments: layers.comments.join("") };
}

/** Without SQL, and without strings of one small word: a column, a field, a kind or a command rather than a text. */
const sentencesIn = (strings: string): string =>
  strings.replace(/(["'])[a-z][\w.]*\1/g, blank).replace(/(["`])\s*(SELECT|INSERT|UPDATE|DELETE)\s[^"`]*\1/g, blank);

function only(text: string, pattern: RegExp): string {
  let kept = "";
  for (const { 0: found, index } of text.matchAll(pattern)) kept += blank(text.slice(kept.length, index)) + found;
  return kept;
}

/** The text between the tags of JSX. */
const TEXT_OF_JSX = /(?<=[>}])[^<>{}=;()]+(?=[<{])/g;
/** The names of tests. */
const TITLES = /(?<=\b(?:describe|test)(?:\.[\w.]+)?\((?:[^"\n]*\)\()?\s*|^\s*[\])}]*\)\()"[^"\n]+"/gm;

/** What one file has that the dictionary does not want. */
export function findings(file: string, text: string): readonly Finding[] {
  const at = linesOf(text);
  // A file is a name of several words.
  const path = inNames(file, file.replaceAll("-", "_"), () => 1);
  const sentences = [...dictionary.prose, ...dictionary.idioms];
  if (matchers.documents.test(file)) {
    // Blocks, code and links name what exists; titles of tests stand in italics.
    const prose = text
      .replace(/^ *```[\s\S]*?^ *```$/gm, blank)
      .replace(/`[^`\n]*`|\]\([^)]*\)|(?<!\*)\*(?=[^\s*])[^*]+\*(?!\*)/g, blank)
      .replace(/<!-- routes -->[\s\S]*?<!-- \/routes -->/, blank);
    return [...path, ...inSentences(sentences, file, prose, at)];
  }
  if (!matchers.code.test(file)) return path;
  const { code, strings, comments } = layersOf(text);
  const isTest = /\.(test|kit)\.tsx?$/.test(file);
  const said = matchers.texts.test(file)
    ? [sentencesIn(strings), file.endsWith(".tsx") ? only(code, TEXT_OF_JSX) : ""]
    : [];
  return [
    ...path,
    ...inNames(file, code, at),
    ...[comments.replace(/`[^`\n]*`/g, blank), isTest ? only(text, TITLES) : "", ...said].flatMap((texts) =>
      inSentences(sentences, file, texts, at),
    ),
  ];
}

export function tracked(): readonly string[] {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  return list.split("\n").filter((file) => file !== "" && !matchers.ignore.test(file) && existsSync(join(root, file)));
}

const packageOf = (file: string): string => file.split("/", /^(packages|apps)\//.test(file) ? 2 : 1).join("/");

function counts(all: readonly Finding[]): string {
  const totals = new Map<string, number>();
  for (const { word, file } of all) {
    const key = `${word}\t${packageOf(file)}`;
    totals.set(key, (totals.get(key) ?? 0) + 1);
  }
  return [...totals]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => `${key}\t${count}`)
    .join("\n");
}

if (import.meta.main) {
  const readable = /\.(ts|tsx|cjs|md)$/;
  const all = tracked().flatMap((file) =>
    findings(file, readable.test(file) ? readFileSync(join(root, file), "utf8") : ""),
  );
  if (process.argv.includes("--counts")) console.log(counts(all));
  else for (const { file, line, found, instead } of all) console.log(`${file}:${line}: ${found} → ${instead}`);
  if (all.length > 0) console.error(`${all.length} words to replace`);
  process.exitCode = all.length > 0 ? 1 : 0;
}
