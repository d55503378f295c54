import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replicationPage } from "../scripts/risk-page.ts";

const page = replicationPage();

test("docs/privacy-at-risk.md is what the library computes; scripts/replicate-risk.ts writes it again", () => {
  const kept = readFileSync(join(import.meta.dirname, "../docs/privacy-at-risk.md"), "utf8");
  expect(kept).toBe(page);
});

test("the paper's printed numbers are on it, with the honest ones and every verdict", () => {
  for (const number of ["0.274115283557590", "74,434.41", "37,805.86", "36,628.55", "13 %", "0.814097", "0.34375"]) {
    expect(page).toContain(number);
  }
  for (let e = 1; e <= 16; e++) expect(page).toContain(`| E${e} |`);
  for (let figure = 1; figure <= 12; figure++) {
    expect(page, `figure ${figure}`).toMatch(
      new RegExp(`[Ff]igures? (\\d+ (to|and) )?${figure}\\b|figures 1 to 3|figures 5 to 7`),
    );
  }
  expect(page).not.toMatch(/NaN|undefined|Infinity/);
});
