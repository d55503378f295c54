import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");

/** A numbered statement of a chapter, with who relies on it. */
export interface Claim {
  readonly number: string;
  readonly title: string;
  readonly chapter: string;
  /** What it says, assumes and proves, as the chapter has it. */
  readonly text: string;
  /** Files that it names, and those that cite it. */
  readonly code: readonly string[];
  readonly tests: readonly string[];
  readonly citedBy: readonly string[];
}

const NAMED = /`((?:packages|apps|test|docs|bench|scripts)\/[^`\s]+)`/g;
const isTest = (file: string): boolean => /\.(test|kit|bench)\.tsx?$|^(test|bench)\//.test(file);
const filesIn = (...patterns: readonly string[]): readonly string[] => globSync(patterns, { cwd: root }).toSorted();
const read = (file: string): string => readFileSync(join(root, file), "utf8");

export const chapters = filesIn("packages/*/src/**/claims.md");

/** `M7, M9`, and all of `[M15]–[M18]`. */
function citedIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, list = ""] of text.matchAll(/\[(M\d+(?:(?:, | and |–)M\d+)*)\]/g))
    for (const [one] of list.matchAll(/M\d+/g)) found.add(one);
  for (const [, from, to] of text.matchAll(/\[?M(\d+)\]?–\[?M(\d+)\]/g))
    for (let number = Number(from); number <= Number(to); number += 1) found.add(`M${number}`);
  return found;
}

export function readClaims(): readonly Claim[] {
  const cited = filesIn("packages/*/src/**/*.{ts,tsx}", "apps/*/src/**/*.{ts,tsx}", "{test,bench,scripts}/**/*.ts").map(
    (file) => ({ file, numbers: citedIn(read(file)) }),
  );
  const claims = chapters.flatMap((chapter) =>
    read(chapter)
      .split(/^## (?=M\d)/m)
      .slice(1)
      .map((part): Claim => {
        const [, number = "", title = ""] = /^(M\d+) · (.+)$/m.exec(part) ?? [];
        const [said, tried = ""] = part.split(/\*\*Tests?\.?\*\*/);
        const named = (text = "") => [...text.matchAll(NAMED)].map(([, file = ""]) => file);
        const by = cited.filter(({ numbers }) => numbers.has(number)).map(({ file }) => file);
        return {
          ...{ number, title, chapter, text: part.slice(part.indexOf("\n") + 1).trim() },
          code: [...new Set([...named(said), ...by.filter((file) => !isTest(file))])],
          tests: [...new Set([...named(tried), ...by.filter(isTest)])],
          citedBy: by.filter((file) => !isTest(file)),
        };
      }),
  );
  return claims.toSorted((a, b) => Number(a.number.slice(1)) - Number(b.number.slice(1)));
}
