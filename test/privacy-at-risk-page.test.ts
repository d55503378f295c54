import { RISK_NAME, RISK_SENTENCE } from "@dosimeter/risk";
import { expect, test } from "vitest";
import { filled } from "../apps/docs/filled.ts";
import { text } from "./docs.kit.ts";

const page = filled(text("docs/privacy-at-risk.md"));

test("the page says what the reading is worth", () => expect(page).toContain(`> **${RISK_NAME}.** ${RISK_SENTENCE}`));

test("the paper's printed numbers are on it, with the honest ones and every verdict", () => {
  for (const number of ["0.274115283557590", "74,434.41", "37,805.86", "36,628.55", "13 %", "0.814097", "0.34375"]) {
    expect(page).toContain(number);
  }
  for (const number of ["0.622459 | 0.153217", "sixteen errata"]) expect(page).toContain(number);
  for (let e = 1; e <= 16; e++) expect(page).toContain(`| E${e} |`);
  for (let figure = 1; figure <= 12; figure++) {
    expect(page, `figure ${figure}`).toMatch(
      new RegExp(`[Ff]igures? (\\d+ (to|and) )?${figure}\\b|figures 1 to 3|figures 5 to 7`),
    );
  }
  expect(page).not.toMatch(/NaN|undefined|Infinity/);
});
