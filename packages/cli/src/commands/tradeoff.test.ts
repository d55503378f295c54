import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { answerLine } from "../calc/filter.ts";
import { tradeoffFunctions } from "../calc/tradeoff.ts";
import { said } from "../terminal.kit.ts";

const folder = temporaryFolder();

const tradeoff = (args: readonly string[], input = "") =>
  said(["tradeoff", ...args], { in: Readable.from([input]), cwd: folder });

/** Thirteen significant digits: what is left of a value after rounding of its last ones. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, x: unknown) => (typeof x === "number" ? Number(x.toPrecision(13)) : x));

const calc = (fn: string, args: object) => JSON.parse(answerLine(JSON.stringify({ id: 1, fn, ...args })));

describe("dosimeter tradeoff", () => {
  test("prints the examples of the R package", async () => {
    const { code, out } = await tradeoff(["--epsdelta", "1,0.01", "--alpha", "0.05,0.1,0.25,0.5"]);
    expect(code).toBe(0);
    expect(out).toContain(
      "(1,0.01)-DP: (ε, δ)-Differential Privacy Trade-off Function\n  Parameters:\n    ε = 1\n    δ = 0.01\n",
    );
    expect(out).toContain("0.05\t0.8540859\n0.1\t0.7181718\n0.25\t0.3104295\n0.5\t0.1802609\n");
  });
  test("reads CSV with columns in any order, from a file and from standard input", async () => {
    const csv = "id,beta,alpha\r1,1,0\r2,0.92,0.05\r3,0.85,0.1\r4,0.7,0.25\r5,0.45,0.5\r6,0,1\r";
    writeFileSync(join(folder, "empirical.csv"), csv);
    const file = await tradeoff(["--points", "empirical.csv", "--delta", "0.01"]);
    expect(file.out).toContain("empirical: Trade-off Function through 6 points");
    expect(file.out).toContain("μ = 0.25 lies below the points (no guarantee)");
    expect(file.out).toContain("ε = 0.34, δ = 0.01");
    expect((await tradeoff(["--points", "-", "--delta", "0.01"], csv)).out).toContain("ε = 0.34, δ = 0.01");
  });
  test("reads the scores of an attack from two files", async () => {
    writeFileSync(join(folder, "out.csv"), "score\n0\n1\n2\n3\n");
    writeFileSync(join(folder, "in.csv"), "2\n3\n4\n5\n");
    const { code, out } = await tradeoff(["--scores", "out.csv,in.csv", "--readings", "--alpha", "0,0.25,0.5"]);
    expect(code).toBe(0);
    expect(out).toContain("out and in");
    expect(out).toContain("0\t0.5\n0.25\t0.25\n0.5\t0\n");
    expect(out).toContain("advantage\t0.5");
    expect((await tradeoff(["--scores", "out.csv"])).err).toContain("absent.csv,present.csv");
    writeFileSync(join(folder, "bad.csv"), "1\nNaN\n");
    expect((await tradeoff(["--scores", "out.csv,bad.csv"])).err).toContain("bad.csv");
  });
  test("decimal commas are the curve of decimal points, and cells that are too many are refused", async () => {
    writeFileSync(join(folder, "commas.csv"), "0,1;0,8\n");
    const { out } = await tradeoff(["--points", "commas.csv", "--alpha", "0,0.1"]);
    expect(out).toContain("0.1\t0.8\n");
    writeFileSync(join(folder, "surplus.csv"), "alpha,beta\n0,1,0,8\n");
    const refused = await tradeoff(["--points", "surplus.csv"]);
    expect(refused.err).toContain("the number of cells in surplus.csv, line 2 is 4, must be 2, as in line 1");
    expect(refused.err).toContain("decimal commas need semicolons or tabs between cells");
  });
  test("keeps the order of the flags, names curves and composes them", async () => {
    const args = ["--lap", "1", "--name", "noise", "--gdp", "0.6", "--gdp", "0.8", "--compose", "--json"];
    const { curves } = JSON.parse((await tradeoff(args)).out);
    expect(curves.map(({ label }: { label: string }) => label)).toEqual([
      "noise",
      "0.6-GDP",
      "0.8-GDP",
      "noise ⊗ 0.6-GDP ⊗ 0.8-GDP",
    ]);
    expect(curves[3].exact).toBe(false);
  });
  test("draws SVG and PNG", async () => {
    const { code, out } = await tradeoff([
      "--gdp",
      "1",
      "--epsdelta",
      "1",
      "--plot",
      "a.svg",
      "--title",
      "Two",
      "--advantage",
    ]);
    expect(code).toBe(0);
    expect(out).toContain("wrote a.svg");
    expect(readFileSync(join(folder, "a.svg"), "utf8")).toMatch(/^<svg .*<title>Two<\/title>/);
    await tradeoff(["--curve", '{"subsample":[0.1,{"gdp":1}]}', "--plot", "a.png", "--axes", "log"]);
    expect(readFileSync(join(folder, "a.png")).subarray(1, 4).toString()).toBe("PNG");
  });
  test("prints a report card, and non-finite numbers of JSON as text", async () => {
    const { out } = await tradeoff(["--gdp", "1", "--readings", "--prior", "0.01", "--fpr", "0.001"]);
    expect(out).toContain("advantage\t0.3829249");
    expect(out).toContain("0.001\t0.01829847\t0.1559992");
    const { curves } = JSON.parse((await tradeoff(["--epsdelta", "1,0.05", "--readings", "--json"])).out);
    expect(curves[0].mu).toBe("Infinity");
    expect(curves[0].readings.greatestLikelihoodRatio).toBe("Infinity");
  });
  test.each([
    [[], "no curve"],
    [["--gdp", "one"], '--gdp is "one", must be a number'],
    [["--gdp", "-1"], "mu is -1"],
    [["--epsdelta", "1,2,3"], "--epsdelta"],
    [["--epsdelta", "1,2"], "delta is 2"],
    [["--curve", "{"], "--curve"],
    [["--curve", "{}"], "exactly one of"],
    [["--name", "x"], "after the curve it names"],
    [["--gdp", "1", "--alpha", "1.5"], "alpha[0] is 1.5"],
    [["--gdp", "1", "--digits", "99", "--delta", "0.1"], "digits is 99"],
    [["--gdp", "1", "--plot", "a.pdf"], "ending in .svg or .png"],
    [["--gdp", "1", "--plot", "a.svg", "--axes", "polar"], "axes"],
    [["--points", "nothing.csv"], "no such file"],
  ] as const)("%j is refused in one line", async (args, message) => {
    const { code, out, err } = await tradeoff(args);
    expect(code).not.toBe(0);
    expect(out).toBe("");
    expect(err).toContain(message);
    expect(err.trimEnd()).not.toContain("\n");
  });
});

describe("tradeoff functions of calc", () => {
  const gdp1 = { curve: { gdp: 1 } };
  test.each([
    ["tradeoff.beta", { ...gdp1, alpha: [0, 0.05, 1] }, [1, 0.7404889771585554, 0]],
    ["tradeoff.beta", { ...gdp1, alpha: 0.05 }, 0.7404889771585554],
    ["tradeoff.power", { curve: { lap: 1 }, alpha: [1e-300] }, [2.718281828459045e-300]],
    [
      "tradeoff.vertices",
      { curve: { epsdelta: [1, 0] } },
      [
        [0, 1],
        [0.2689414213699951, 0.2689414213699951],
        [1, 0],
      ],
    ],
    ["tradeoff.label", { curve: { epsdelta: [1e5, 1 / 3] } }, "(1e+05,0.333333333333333)-DP"],
    ["tradeoff.epsilon", { ...gdp1, delta: 0 }, "Infinity"],
    ["tradeoff.delta", { curve: { epsdelta: [1, 1e-300] }, epsilon: [1, 2] }, [1e-300, 1e-300]],
    [
      "tradeoff.estGdp",
      {
        points: [
          [0.1, 0.87],
          [0.05, 0.93],
          [0.25, 0.72],
          [0.5, 0.43],
        ],
        digits: 5,
      },
      { mu: 0.17638 },
    ],
    ["tradeoff.estGdp", { curve: { epsdelta: [1, 0.1] } }, { mu: "Infinity" }],
    ["tradeoff.estEpsdelta", { ...gdp1, delta: 1e-5 }, { epsilon: 4.38, delta: 1e-5 }],
    ["tradeoff.estEpsdelta", { curve: { gdp: 0.5 }, epsilon: 2, digits: 6 }, { epsilon: 2, delta: 1e-5 }],
    ["tradeoff.gdpToEpsdelta", { mu: 1, epsilon: 1, digits: 6 }, { epsilon: 1, delta: 0.126937 }],
    ["tradeoff.beta", { curve: { compose: [{ gdp: 0.6 }, { gdp: 0.8 }] }, alpha: [0.05] }, [0.7404889771585554]],
    ["tradeoff.beta", { curve: { group: [2, { gdp: 0.5 }] }, alpha: [0.05] }, [0.7404889771585554]],
    [
      "tradeoff.beta",
      { curve: { mechanism: { kind: "gaussian", noiseMultiplier: 1 } }, alpha: [0.05] },
      [0.7404889771585554],
    ],
    ["tradeoff.renyi", { ...gdp1, order: [2, 4] }, [1, 2]],
  ])("%s %j", (fn, args, value) => {
    expect(rounded(calc(fn, args))).toEqual(rounded({ id: 1, value }));
  });
  test("readings are columns over the false positive rates", () => {
    const { value } = calc("tradeoff.readings", { ...gdp1, fpr: [0.001, 0.01], prior: 0.01 });
    expect(rounded(value.tpr)).toEqual(rounded([0.018298468405656604, 0.09236224807369409]));
    expect(value.precision[0]).toBeCloseTo(0.15599920997, 9);
    expect(value.advantage).toBeCloseTo(0.38292492254802624, 15);
  });
  test.each([
    ["tradeoff.beta", { curve: { gdp: -1 }, alpha: [0.5] }, "mu is -1"],
    ["tradeoff.beta", { curve: { gdp: 1 }, alpha: [1.5] }, "alpha[0]"],
    ["tradeoff.beta", { curve: { gdp: 1 } }, "alpha is missing"],
    ["tradeoff.beta", { curve: { points: [] }, alpha: 0.5 }, "at least one point"],
    ["tradeoff.estGdp", {}, "curve, points is missing"],
    ["tradeoff.estEpsdelta", { curve: { gdp: 1 }, epsilon: 1, delta: 0.1 }, "exactly one of the two"],
    ["tradeoff.estEpsdelta", { curve: { gdp: 1 } }, "exactly one of the two"],
    ["tradeoff.estGdp", { curve: { gdp: 1 }, digits: 1.5 }, "digits"],
  ])("%s %j is an error object", (fn, args, message) => {
    const answer = calc(fn, args);
    expect(answer.error.code).toBe("INVALID_PARAMETER");
    expect(answer.error.message).toContain(message);
  });
  test("every row says what its arguments are", () => {
    for (const { name, summary, arguments: args } of tradeoffFunctions) {
      expect(name).toMatch(/^tradeoff\./);
      expect(summary.length).toBeGreaterThan(5);
      for (const { docs } of Object.values(args)) expect(docs.length).toBeGreaterThan(3);
    }
  });
});
