import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRepository } from "../scripts/packages.ts";

const root = join(import.meta.dirname, "..");
const document = join(root, "docs/tradeoff.md");

/** A block of code of the page and the output that stands below it. */
export interface Example {
  readonly language: "ts" | "sh";
  readonly code: string;
  readonly output: string;
}

export function examples(): readonly Example[] {
  const page = readFileSync(document, "utf8");
  return [...page.matchAll(/^```(ts|sh)\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)].map(
    ([, language, code, output]) => ({
      language: language as "ts" | "sh",
      code: code ?? "",
      output: output ?? "",
    }),
  );
}

const BREAK = "\u001e";

/** The real output of the blocks: all TypeScript as one program, each shell block in one folder. */
export function run(list: readonly Example[]): readonly string[] {
  const program = list
    .filter(({ language }) => language === "ts")
    .map(({ code }) => inRepository(code))
    .join(`\nconsole.log("${BREAK}");\n`);
  const file = join(root, `test/.tradeoff-docs-${process.pid}.ts`);
  writeFileSync(file, program);
  const printed = node([file], root).split(`${BREAK}\n`);
  rmSync(file);
  const folder = mkdtempSync(join(tmpdir(), "tradeoff-docs-"));
  const said = list.map(({ language, code }) => {
    if (language === "ts") return printed.shift() ?? "";
    const cli = join(root, "packages/dosimeter/bin/dosimeter.cjs");
    const line = code.replaceAll("npx dosimeter", `"${process.execPath}" "${cli}"`);
    const { stdout, stderr, status } = spawnSync("bash", ["-euo", "pipefail", "-c", line], {
      cwd: folder,
      encoding: "utf8",
      timeout: 100_000,
    });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  });
  rmSync(folder, { recursive: true });
  return said;
}

function node(args: readonly string[], cwd: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    timeout: 100_000,
    env: { ...process.env, NO_COLOR: "1" },
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
