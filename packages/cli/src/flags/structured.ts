import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { text as streamed } from "node:stream/consumers";
import { PrivacyError } from "@dosimeter/core";
import type { Terminal } from "../terminal/terminal.ts";

/** Where a text of the command line is read. */
export type Place = Pick<Terminal, "cwd" | "in">;

/**
 * The JSON value of a YAML or JSON file, of standard input (-), or of a text that begins with a bracket and stands for itself. INVALID_PARAMETER
 * with file, line and column where it is neither.
 */
export async function readStructured(path: string, { cwd, in: input }: Place): Promise<unknown> {
  if (/^\s*[{[]/.test(path)) return parseYaml(path, "this text");
  if (path === "-") return parseYaml(await streamed(input), "standard input");
  const text = await readFile(resolve(cwd, path), "utf8");
  return extname(path) === ".json" ? parseJson(text, path) : parseYaml(text, path);
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(name, "JSON", error);
  }
}

/** YAML 1.2 (hence JSON too); a duplicate key is refused, because the second would silently win. */
async function parseYaml(text: string, name: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch (error) {
    throw unreadable(name, "YAML", error);
  }
}

function unreadable(name: string, format: string, error: unknown): PrivacyError {
  const why = error instanceof Error ? (error.message.split("\n")[0] ?? "").replace(/:$/, "") : String(error);
  return new PrivacyError("INVALID_PARAMETER", { name }, `${name} is not ${format}: ${why}`);
}
