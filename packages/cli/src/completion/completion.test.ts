import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { commands } from "../commands.ts";
import { said } from "../terminal.kit.ts";
import { closedSets } from "./tree.ts";

const folder = temporaryFolder();

async function script(shell: string): Promise<string> {
  const { code, out, err } = await said(["completion", shell]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const path = join(folder, shell);
  writeFileSync(path, out);
  return path;
}

const isThere = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

/** How each shell is asked what may follow the words. */
const shells = {
  bash: (path: string, words: readonly string[]) =>
    execFileSync("bash", [
      "-c",
      `source ${path}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _dosimeter; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]),
  zsh: (path: string, words: readonly string[]) =>
    execFileSync("zsh", [
      "-fc",
      `compdef() { : }; compadd() { shift; print -l -- "$@" }; _files() { : }; source ${path}
       words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; _dosimeter`,
    ]),
  fish: (path: string, words: readonly string[]) =>
    execFileSync("fish", ["--no-config", "-c", `source ${path}; complete -C '${words.join(" ")}'`]),
};

describe.each(Object.keys(shells) as (keyof typeof shells)[])("the script for %s", (shell) => {
  const isHere = isThere(shell);

  // Skipped where the shell is not installed.
  test.skipIf(!isHere)("offers commands, subcommands, options and closed sets", async () => {
    const path = await script(shell);
    const offered = (...words: readonly string[]) =>
      shells[shell](path, ["dosimeter", ...words])
        .toString()
        .split("\n")
        .filter(Boolean);
    expect(offered("")).toEqual(expect.arrayContaining([...Object.keys(commands)]));
    expect(offered("ledger", "")).toEqual(expect.arrayContaining(["open", "set"]));
    expect(offered("ledger", "open", "adults", "--")).toEqual(
      expect.arrayContaining(["--epsilon", "--delta", "--url"]),
    );
    expect(offered("ledger", "open", "adults", "--rule", "").toSorted()).toEqual(
      ["addition", "tight", "additionThenTight"].toSorted(),
    );
    expect(offered("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
    expect(offered("plan", "quote", "adults", "--account", "")).not.toContain("--plan");
  });
});

test("each closed set belongs to an option that there is, and an unknown shell is refused", async () => {
  const { readFileSync } = await import("node:fs");
  const bash = readFileSync(await script("bash"), "utf8");
  const lines = new Set(bash.split("\n").map((line) => line.trim()));
  for (const [line, values] of Object.entries(closedSets))
    if (line.includes("--")) expect(lines.has(`'${line}') list='${values.join(" ")}' ;;`), line).toBe(true);
  const { code, err } = await said(["completion", "cmd"]);
  expect(code).toBe(2);
  expect(err).toContain("must be one of bash, zsh, fish");
});
