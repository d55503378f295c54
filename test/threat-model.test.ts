import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/threat-model.md"), "utf8").split("### Attacks, one by one")[1] ?? "";
const rows = page
  .split(/^## /m, 1)
  .join("")
  .split("\n")
  .filter((line) => /^\| (?!what is tried)/.test(line))
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
