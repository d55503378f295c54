import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { run } from "../packages/cli/src/program.ts";
import { root, text } from "./docs.kit.ts";

const page = text("docs/organisation.md");
const section = page.slice(page.indexOf("## Every feature"), page.indexOf("Not here:"));
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| feature"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** What is written as code in one column of a row. */
const named = (column: number): readonly string[] => [
  ...new Set(rows.flatMap((cells) => [...(cells[column] ?? "").matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? ""))),
];

async function helpOf(words: readonly string[]): Promise<string> {
  const out = new PassThrough();
  const said: string[] = [];
  out.on("data", (chunk) => said.push(String(chunk)));
  await run([...words, "--help"], { in: Readable.from([]), out, err: out, isInteractive: false, env: {}, cwd: root });
  return said.join("");
}

test("every page and command that the table names is there", async () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const cells of rows) for (const column of [2, 3]) expect(cells[column], cells[1]).toMatch(/`/);
  const router = readFileSync(join(root, "apps/web/src/router.tsx"), "utf8");
  for (const path of named(2)) expect(router, path).toContain(`at("${path}"`);
  for (const command of named(3)) {
    const words = command.split(" ");
    const help = await helpOf(words.filter((word) => !word.startsWith("--")));
    expect(help, command).toContain(`Usage: dosimeter ${words.filter((word) => !word.startsWith("--")).join(" ")}`);
    for (const option of words.filter((word) => word.startsWith("--")))
      expect(help, command).toMatch(new RegExp(`${option}\\b`));
  }
});

const read = (page: string) => readFileSync(join(import.meta.dirname, "..", page), "utf8");

test("every attack has a defence", () => {
  const page = read("docs/threat-model.md").split("### Attacks, one by one")[1] ?? "";
  const rows = page.split("\n").filter((line) => /^\| (?!attack \|)/.test(line));
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter((row) => !/^\| \S.{8,} \| \S.{3,} \|$/.test(row))).toEqual([]);
});

test("the organisation states every invariant", () => {
  const invariants = new Set(
    [...read("docs/organisation.md").matchAll(/\bI(\d+)\b/g)].map(([, number]) => Number(number)),
  );
  expect([...invariants].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});
