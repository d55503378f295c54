import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { answerLine } from "../../packages/cli/src/calc/filter.ts";
import { said } from "../../packages/cli/src/terminal.kit.ts";

const root = new URL("../..", import.meta.url).pathname;
let folder: string | undefined;

/** A folder for the files that the commands of the rows write. */
function workFolder(): string {
  folder ??= mkdtempSync(join(tmpdir(), "sources-"));
  return folder;
}

export function removeWorkFolder(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
}

export function writeWorkFile(name: string, content: string): void {
  writeFileSync(join(workFolder(), name), content);
}

export const readWorkFile = (name: string): string => readFileSync(join(workFolder(), name), "utf8");

/** A file of the repository. */
export const readSource = (path: string): string => readFileSync(join(root, path), "utf8");

/** The curves of a picture: how many are different, and how many of them are flat. */
export function curvesOf(svg: string): string {
  const paths = [...svg.matchAll(/<path d="M([\d. -]+L[\dL. -]+)"/g)].map(([, points = ""]) => points.split("L"));
  const curves = new Set(paths.filter((points) => points.length > 2).map(String));
  const heights = [...curves].map((points) => new Set(points.split(",").map((point) => point.split(" ")[1])).size);
  return `curves ${curves.size}, flat ${heights.filter((size) => size < 3).length}`;
}

/** The answer of a function of `dosimeter calc`, or the message of its error. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of any function of the table
export function calc(fn: string, args: object): any {
  const { value, error } = JSON.parse(answerLine(JSON.stringify({ fn, ...args })));
  return error === undefined ? value : error.message;
}

/** The output of a command line, then its errors. */
export async function command(line: string, input = ""): Promise<string> {
  const args = (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
  const { out, err } = await said(args, { in: Readable.from([input]), cwd: workFolder() });
  return `${out}${err}`;
}

/** The JSON of a command line. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of any command
export const commandJson = async (line: string, input?: string): Promise<any> =>
  JSON.parse(await command(`${line} --json`, input));
