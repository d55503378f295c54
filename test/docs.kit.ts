import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

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

/**
 * An environment in which `npx dosimeter` and `dosimeter` run this checkout, from two scripts in the folder: calling the command
 * directly saves npm's second per command.
 */
export function commandEnv(folder: string): Record<string, string> {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const shim = `#!/bin/sh\n[ "$1" = dosimeter ] && shift\nexec "${process.execPath}" "${join(root, "packages/dosimeter/bin/dosimeter.cjs")}" "$@"\n`;
  for (const name of ["npx", "dosimeter"]) writeFileSync(join(bin, name), shim, { mode: 0o755 });
  const { DOSIMETER_TOKEN: _token, DOSIMETER_URL: _url, DOSIMETER_DATA: _data, ...rest } = process.env;
  return {
    ...(rest as Record<string, string>),
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
  };
}

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
