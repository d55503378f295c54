import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const packages = new URL("../packages/", import.meta.url).pathname;
const pure = { core: /^\.\.?\//, risk: /^(\.\.?\/|@dosimeter\/core(\/internal)?$)/ };
const sources = Object.entries(pure).flatMap(([name, mayImport]) =>
  readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.(test|kit|bench)\.ts$/.test(file))
    .map((file) => [`${name}/src/${file}`, mayImport] as const),
);

test.each(sources)("%s touches no Node module, clock, network or Math.random", (file, mayImport) => {
  const text = readFileSync(join(packages, file), "utf8");
  for (const banned of [/["']node:/, /\bMath\.random\b/, /\bDate\b\s*[.(]/, /\bfetch\(/, /\bprocess\./, /\bimport\(/]) {
    expect(text, `${file} must not match ${banned}`).not.toMatch(banned);
  }
  for (const [, from] of text.matchAll(/from\s+"([^"]+)"/g)) expect(from).toMatch(mayImport);
});
