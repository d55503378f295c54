/** `npm run strings [words]`: every message of the pages, errors and commands, or those with the words, each with its place. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { layersOf, linesOf, tracked } from "./words.ts";

interface Message {
  readonly line: number;
  /** What code puts in is `{…}`. */
  readonly text: string;
}

const SOURCE = /^(apps|packages)\/[^/]+\/src\/(?!stores\/migrations\/)[^.]*\.tsx?$/;
const LITERAL = /"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
/** Between tags of JSX. */
const OF_JSX = /(?<=[>}]\s*)(?![\s);,}\]])[^<>{}=;`]+(?=[<{])/g;
/** Two words, or one that begins as a sentence does. */
const READ = /\p{L}{2,}['’.,:?]?\s+(.*\s)?\p{L}|^\p{Lu}\p{Ll}+[.?!…]?$/su;
/** SQL, styles, and code between tags. */
const NOT_READ =
  /^(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|PRAGMA|COPY|async|case|const|export|function|interface|return|type|void)\b|[{;]\s*\w+:|=>|\|\||\w\($/;
const NAMES = /(className=\{?|from |import\()$/;

export function messagesIn(file: string, text: string): readonly Message[] {
  const at = linesOf(text);
  const { code, strings } = layersOf(text);
  return [...strings.matchAll(LITERAL), ...(file.endsWith("x") ? code.matchAll(OF_JSX) : [])]
    .filter(({ index }) => !NAMES.test(text.slice(0, index)))
    .map(({ 0: whole, 1: quoted, 2: template, index }) => ({
      line: at(index + whole.search(/\S/)),
      text: (quoted ?? template ?? whole)
        .replaceAll(/\$\{\s*\}?/g, "{…}")
        .replaceAll(/\\n|\s+/g, " ")
        .trim(),
    }))
    .filter((one) => READ.test(one.text) && !NOT_READ.test(one.text))
    .toSorted((one, other) => one.line - other.line);
}

if (import.meta.main) {
  const wanted = process.argv.slice(2).join(" ").toLowerCase();
  for (const file of tracked().filter((one) => SOURCE.test(one)))
    for (const { line, text } of messagesIn(file, readFileSync(join(import.meta.dirname, "..", file), "utf8")))
      if (text.toLowerCase().includes(wanted)) console.log(`${file}:${line}\t${text}`);
}
