import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/threat-model.md"), "utf8").split("### Attacks, one by one")[1] ?? "";
const rows = page
  .split(/^## /m, 1)
  .join("")
  .split("\n")
  .filter((line) => /^\| (?!attack \|)/.test(line))
  .map((line) => line.split(" | "));

test("every attack has a defence and names tests that exist", () => {
  expect(rows.length).toBeGreaterThan(70);
  const missing: string[] = [];
  for (const [attack = "", defence = "", tests = ""] of rows) {
    const named = [...tests.matchAll(/(?:`([^`]+)`: )?\*([^*]+)\*/g)];
    if (defence.length < 4 || named.length === 0) missing.push(attack);
    let file = "";
    for (const [, path, name = ""] of named) {
      file = path ?? file;
      const isThere = /\.(test|kit)\.ts$/.test(file) && existsSync(join(root, file));
      if (!isThere || !readFileSync(join(root, file), "utf8").includes(name)) missing.push(`${file}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
});

test("every answer and invariant of the organisation names tests that exist", () => {
  const all = ["packages", "apps", "test"].flatMap((home) =>
    readdirSync(join(root, home), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(test|kit)\.tsx?$/.test(path) && !/node_modules|dist/.test(path))
      .map((path) => readFileSync(join(root, home, path), "utf8")),
  );
  const organisation = readFileSync(join(root, "docs/organisation.md"), "utf8");
  const named = [...organisation.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)].map(([, name = ""]) =>
    name.replace(/\s+/g, " "),
  );
  const words = new Set(["share", "cap"]);
  const missing = named.filter((name) => !words.has(name) && !all.some((source) => source.includes(name)));
  expect(missing).toEqual([]);
  const invariants = new Set([...organisation.matchAll(/\bI(\d+)\b/g)].map(([, number]) => Number(number)));
  expect([...invariants].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});
