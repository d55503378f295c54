import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RISK_SENTENCE } from "@dosimeter/risk";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import { answerLine } from "../../calc/filter.ts";
import { exitCodes } from "../../exit.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { said } from "../../terminal.kit.ts";

const folder = temporaryFolder();
beforeAll(async () => {
  const lines = Array.from({ length: 200 }, (_, i) => `${i % 90},"${(i * 37) % 1000}",x`);
  await writeFile(join(folder, "synthetic.csv"), `age,income,name\n${lines.join("\n")}\n`);
});

const risk = (args: string, given: Partial<Terminal> = {}) =>
  said(["risk", ...args.split(" ")], { cwd: folder, ...given });

const synthetic = "sensitivity synthetic.csv --provenance synthetic --origin made-up";

test.each(["curve", "budget", "compose --count 20", `${synthetic} --pairs 50`])(
  "%s says the sentence in text and in JSON",
  async (args) => {
    const plain = await risk(args);
    expect(plain).toMatchObject({ code: 0, err: "" });
    expect(plain.out).toContain(RISK_SENTENCE);
    expect(JSON.parse((await risk(`${args} --json`)).out)).toMatchObject({ sentence: RISK_SENTENCE });
  },
);

test("without options budget is the paper's illustration, with the honest variants", async () => {
  const { out } = await risk("budget");
  expect(out).toContain("due at ε₀\t74,434.41");
  expect(out).toMatch(/weight of theorem 4\.1.*0\.274115\t0\.609337\t37,805\.86\t36,628\.55\t49\.2 %/);
  expect(out).toMatch(/simulation weight\t0\.206388\t0\.137878\t64,768\t9,666\.41\t13 %/);
});

test("a budget below the least is an empty interval, said plainly; E as a range scales the cost only", async () => {
  expect((await risk("budget --budget 30000")).out).toContain("The interval is empty");
  const { tornado } = JSON.parse((await risk("budget --compensation-range 5467..5530 --json")).out);
  expect(tornado[0].optima[0].epsilon).toBe(tornado[0].optima[1].epsilon);
});

test("charts are written as the ending says", async () => {
  for (const command of ["curve", "curve --k 1,2,3", "budget --budget 40000", "compose --count 10 --published"])
    expect(await risk(`${command} --plot a.svg`), command).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, "a.svg"), "utf8")).toContain("theorem 3.1, as published");
  expect(await risk(`${synthetic} --pairs 30 --plot b.png`)).toMatchObject({ code: 0 });
  expect((await readFile(join(folder, "b.png"))).subarray(1, 4).toString()).toBe("PNG");
});

test("sampling shows a bar on a terminal, the same numbers for the same seed, and how many pairs are missing", async () => {
  const shown = await risk(`${synthetic} --column income --pairs 40`, { isInteractive: true, env: { NO_COLOR: "1" } });
  expect(shown.err).toContain("Sampling pairs");
  expect(shown.err).toContain("40/40");
  expect(shown.out).toContain("at least 59 are needed");
  const again = await Promise.all([risk(`${synthetic} --seed 4 --json`), risk(`${synthetic} --seed 4 --json`)]);
  expect(again[0].out).toBe(again[1].out);
  expect(JSON.parse(again[0].out).certified.order).toBeGreaterThan(950);
});

test.each([
  ["curve --epsilon0 0", "--epsilon0"],
  ["curve --epsilon0 601", "--epsilon0"],
  ["curve --k 0", "--k"],
  ["curve --k 1.5", "--k"],
  ["curve --k 1000001", "--k"],
  ["curve --epsilon0 abc", "--epsilon0"],
  ["budget --compensation -1", "--compensation"],
  ["budget --people 0", "--people"],
  ["budget --rate 0", "--rate"],
  ["budget --error 0", "--error"],
  ["budget --bias 6000", "bias"],
  ["compose --delta 0", "--delta"],
  ["compose --count 2.5", "--count"],
  ["curve --plot picture.gif", "--plot"],
  [`${synthetic} --statistic mode`, "statistic"],
  [`${synthetic} --column height`, "column"],
  [`${synthetic} --column name`, "line 2, name"],
  [`${synthetic} --risk 1`, "--risk"],
])("%s is refused in one line", async (args, name) => {
  const { code, out, err } = await risk(args);
  expect({ code, out }).toEqual({ code: exitCodes.wrongUse, out: "" });
  expect(err).toMatch(/^dosimeter: .*\n$/);
  expect(err).toContain(name);
});

test("ε₀ = 1e-3 and 600 and k = 10⁶ work; ε above ε₀ has confidence 1 and risk 0", async () => {
  for (const args of [
    "curve --epsilon0 0.001,600",
    "curve --k 1000000",
    "budget --epsilon0 0.001",
    "budget --epsilon0 600",
  ])
    expect((await risk(args)).code, args).toBe(0);
  const { rows } = JSON.parse((await risk("curve --epsilon 2 --json")).out);
  expect(rows[0]).toMatchObject({ confidence: 1, risk: 0, within: 1, tail: 0, delta: 0 });
});

test("a private table is refused before its file is opened", async () => {
  const { code, err } = await risk("sensitivity not-there.csv --provenance private --origin hospital");
  expect(code).toBe(exitCodes.notAllowed);
  expect(err).toContain("FORBIDDEN");
});

const call = (fn: string, args: object) => JSON.parse(answerLine(JSON.stringify({ fn, ...args })));

test("calc: exact losses of vectors, compositions, discrete and Gaussian noise", () => {
  expect(call("risk.exact", { epsilon: 0.5, levels: [0.5, 0.5] }).value.within).toBeCloseTo(0.485, 3);
  expect(call("risk.exact", { epsilon: 0.5, epsilon0: 1, sensitivity: 1 }).value).toMatchObject({
    within: 0,
    informative: false,
  });
  expect(
    call("risk.exact", { epsilon: 1, epsilon0: 0.5, count: 20, sensitivity: 1, level: 0.95 }).value,
  ).toHaveProperty("expectedShortfall");
  const one = call("risk.exact", { epsilon: 1, mu: 1 }).value;
  expect(call("risk.exact", { epsilon: 1, mu: 0.25, count: 16 }).value).toEqual(one);
  expect(call("risk.exact", { epsilon: 1, epsilon0: 2, level: 0.95 }).value.valueAtRisk).toBe(2);
  expect(call("risk.exact", { epsilon: 1 })).toHaveProperty("error.code", "INVALID_PARAMETER");
  expect(call("risk.exact", { epsilon: 1, epsilon0: 1, mu: 1 })).toHaveProperty("error.code", "INVALID_PARAMETER");
});

test("calc: composition names what holds; thresholds; uncertain inputs; bad input is an error object", () => {
  const row = call("risk.compose", { epsilon0: 0.5, count: 100, delta: 1e-5 }).value;
  expect(row.holds).toBe(Math.min(row.basic, row.optimal));
  expect(row.exact).toBeCloseTo(28.5, 2);
  expect(row.deltaAtPlotted).toBeCloseTo(0.0355, 3);
  expect(call("risk.threshold", {}).value.laplace).toBeCloseTo(Math.log(3), 12);
  expect(call("risk.uncertain", { epsilon0: 0.5, rate: [0.5, 2] }).value[0].swing).toBeGreaterThan(0);
  for (const bad of [
    { epsilon0: 0 },
    { epsilon0: 601 },
    { epsilon0: 1, people: -1 },
    { epsilon0: 1, compensation: 0 },
    { epsilon0: 1, rate: 0 },
    { epsilon0: 1, k: 1.5 },
  ])
    expect(call("risk.optimum", bad), JSON.stringify(bad)).toHaveProperty("error.code", "INVALID_PARAMETER");
  expect(call("risk.budgetInterval", { epsilon0: 0.5, compensation: 550_000, budget: 100 }).value).toBeNull();
  expect(call("risk.confidence", { epsilon: 2, epsilon0: 1 }).value).toEqual({ confidence: 1, risk: 0 });
});
