import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");
export const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  "clients/python/README.md",
  "clients/r/README.md",
];
export const text = (document: string) => readFileSync(join(root, document), "utf8");

export interface Block {
  readonly language: string;
  /** The text after the language: a file to write, `exit=3`, or `skip`. */
  readonly info: string;
  readonly code: string;
}

export function blocksOf(document: string): readonly Block[] {
  return [...text(document).matchAll(/^```(\w+)[ ]*([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, language, info, code]) => ({
    language: language!,
    info: info!,
    code: code!,
  }));
}
