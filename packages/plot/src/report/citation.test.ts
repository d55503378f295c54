import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { askedBy, citation } from "./citation.ts";

const release = {
  id: "chg_12ab",
  title: "Mean of income & age, ε 0.1",
  byName: "Ana {Silva}",
  datasetName: "adults_2024",
  version: 2,
  releasedAt: "2026-11-25T03:00:00.000Z",
  chargedAt: "2026-11-24T03:00:00.000Z",
  epsilon: "0.1",
  delta: "0.0000001",
  receipt: { answersHash: "ab".repeat(32) },
};

test("a citation says who, what, from which data, at which cost, and which answers", () => {
  const { text, bibtex } = citation(release, "https://dp.example/releases/chg_12ab");
  expect(text).toBe(
    `Ana {Silva} (2026-11-25). Mean of income & age, ε 0.1. Dataset: adults_2024, version 2; differentially private, ε = 0.1, δ = 10⁻⁷. https://dp.example/releases/chg_12ab. Hash of the answers: ${"ab".repeat(32)}.`,
  );
  expect(bibtex).toBe(`@misc{chg_12ab,
  author = {{Ana \\{Silva\\}}},
  title = {{Mean of income \\& age, $\\varepsilon$ 0.1}},
  year = {2026},
  month = {11},
  note = {adults\\_2024, version 2; differentially private, $\\varepsilon$ = 0.1, $\\delta$ = 10⁻⁷; released 2026-11-25; answers SHA-256 ${"ab".repeat(32)}},
  url = {https://dp.example/releases/chg_12ab}
}
`);
});

test("a release that is not measured yet and has Gaussian noise is cited without what it does not have", () => {
  const { text } = citation(
    { ...release, releasedAt: null, epsilon: null, delta: "0", receipt: null },
    "https://a.b/c",
  );
  expect(text).toBe(
    "Ana {Silva} (2026-11-24). Mean of income & age, ε 0.1. Dataset: adults_2024, version 2; differentially private, Gaussian noise. https://a.b/c",
  );
});

test("who asked is marked where it was no person", () => {
  const asked = [undefined, "user", "service", "agent"] as const;
  expect(asked.map((byKind) => askedBy({ byName: "Ana", ...present({ byKind }) }))).toEqual([
    "Ana",
    "Ana",
    "Ana (service)",
    "Ana (AI agent)",
  ]);
});
