import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const core = new URL("../packages/core/src/", import.meta.url).pathname;
const sources = readdirSync(core, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !/\.(test|kit|bench)\.ts$/.test(file),
);

test.each(sources)("core/%s touches no Node module, clock, network or Math.random", (file) => {
  const text = readFileSync(join(core, file), "utf8");
  for (const banned of [/["']node:/, /\bMath\.random\b/, /\bDate\b\s*[.(]/, /\bfetch\(/, /\bprocess\./, /\bimport\(/]) {
    expect(text, `${file} must not match ${banned}`).not.toMatch(banned);
  }
  for (const [, from] of text.matchAll(/from\s+"([^"]+)"/g)) expect(from).toMatch(/^\.\.?\//);
});
