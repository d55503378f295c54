import { toSvg } from "@dosimeter/plot";
import {
  bothSourcesChart,
  compensationChart,
  replicationChart,
  riskChart,
  sampleSizeChart,
} from "@dosimeter/plot/risk";
import {
  compositionLines,
  compositionRow,
  coverageBounds,
  epsilonForError,
  laplaceOverlap,
  largestConvexEpsilon,
} from "@dosimeter/risk";
import { formWords } from "../../apps/web/src/explore/risk/compensation-fields.ts";
import { readAll } from "../../apps/web/src/explore/risk/field.ts";
import { equationSix, fields as samplingFields } from "../../apps/web/src/explore/risk/sampling-fields.ts";
import { calc, command, commandJson, curvesOf, readWorkFile, writeWorkFile } from "./calls.kit.ts";
import { rowsOf, type SourceRow, shown } from "./row.kit.ts";

const row = rowsOf("risk");
const size = { width: 480 };
const cents = (...values: readonly number[]): string => values.map((value) => value.toFixed(2)).join(" ");

/** P(T ≤ ε)/P(T ≤ ε₀) at k = 1: equation (4). */
const confidence = (epsilon: number, epsilon0: number): number => Math.expm1(-epsilon) / Math.expm1(-epsilon0);

const printed: readonly SourceRow[] = [
  row(
    79,
    "Analytical bound on the empirical risk to achieve a privacy level",
    "calc risk.bothSources, dosimeter risk sensitivity, page Privacy at risk",
    `${shown(6, 1 - confidence(0.5, 1.2) * 0.95 * (1 - 2 * Math.exp(-3)))}; off by 0.000000000; ${shown(6, 1 - confidence(0.5, 1.2) * 0.95 * (1 - 2 * Math.exp(-3)))}`,
    async () => {
      const asked = { epsilon: 0.5, epsilon0: 1, ratio: 1.2, samples: 15_000, accuracy: 0.01, level: 0.95 };
      const { risk } = calc("risk.bothSources", asked);
      writeWorkFile("pairs.csv", `age\n${Array.from({ length: 200 }, (_, i) => i % 90).join("\n")}\n`);
      const line = "risk sensitivity pairs.csv --provenance public --origin made-up --pairs 15000 --proved 90";
      const { equation6, sensitivity } = await commandJson(line);
      const off = equation6.risk - (1 - confidence(0.5, 90 / sensitivity) * 0.95 * (1 - 2 * Math.exp(-3)));
      const { values } = readAll(samplingFields, { ratio: 1.2, samples: 15_000 });
      return `${shown(6, risk)}; off by ${off.toFixed(9)}; ${values === undefined ? "" : equationSix(values).Risk}`;
    },
  ),
  row(
    99,
    "There are various functions that satisfy these constraints",
    "dosimeter risk budget --form, calc risk.cost, page Privacy at risk",
    "corrected 83081.05, printed 84434.41 84434.41; corrected,printed",
    async () => {
      const { form, dpCost, printedDpCost } = await commandJson("risk budget --bias 100");
      const asked = { epsilon: 0.5, epsilon0: 0.5, compensation: 5500, bias: 100, people: 100, form: "printed" };
      return `${form} ${cents(dpCost)}, printed ${cents(printedDpCost)} ${cents(calc("risk.cost", asked))}; ${Object.keys(formWords).join()}`;
    },
  ),
  row(
    111,
    "Equation 11 illustrates the upper and lower bounds",
    "dosimeter risk budget --budget, calc risk.budgetInterval",
    "says 0.220079 to 0.327175, 0.5 to 0.292071; 0.5 0.2921 as published, 0.2201 0.3272 solved; the same true",
    async () => {
      const { interval, equation11 } = await commandJson("risk budget --budget 40000");
      const asked = { budget: 40_000, error: 2, epsilon0: 0.5, compensation: 5500, people: 100 };
      const { levels, published } = calc("risk.budgetInterval", asked);
      const isSame = levels[0] === interval[0] && published.upper === equation11.upper;
      const text = await command("risk budget --budget 40000");
      const said = [...text.matchAll(/(?:from|published:) ([\d.]+) to ([\d.]*\d)/g)].map(([, a, b]) => `${a} to ${b}`);
      return `says ${said.join(", ")}; ${shown(4, equation11.lower, equation11.upper)} as published, ${shown(4, ...interval)} solved; the same ${isSame}`;
    },
  ),
];

export const riskRows: readonly SourceRow[] = [
  ...printed,
  row(
    26,
    "satisfies differential privacy with a privacy at risk",
    "calc risk.exact, the true chance of a larger loss",
    shown(9, 1 - Math.exp(-0.25) / 2),
    () => shown(9, calc("risk.exact", { epsilon: 0.5, epsilon0: 1 }).tail),
  ),
  row(35, "are differential privacy under fold composition where", "calc risk.compose", "41.93", () =>
    shown(4, calc("risk.compose", { epsilon0: 0.5, count: 100, delta: 1e-5 }).published),
  ),
  row(45, "we obtain the exact same formula", "compositionLines, confidence 0", "56.42869 = 56.42869", () => {
    const lines = compositionLines({ epsilon0: 0.5, epsilon: 0.25, confidence: 0, count: 100, delta: 1e-5 });
    return `${shown(7, lines.published)} = ${shown(7, lines.advanced)}`;
  }),
  row(53, "The risk with which a Laplace Mechanism", "calc risk.confidence, k 2", "0.5396", () =>
    shown(4, calc("risk.confidence", { epsilon: 0.5, epsilon0: 1, k: 2 }).confidence),
  ),
  row(59, "It is presented in Equation 4", "calc risk.confidence, k 1", shown(6, 1 - confidence(0.5, 1)), () =>
    shown(6, calc("risk.confidence", { epsilon: 0.5, epsilon0: 1 }).risk),
  ),
  row(58, "We use a numerical approach to compute privacy level", "calc risk.epsilon", "0.6", () => {
    const epsilon = calc("risk.epsilon", { confidence: 0.6, epsilon0: 1, k: 3 });
    return shown(12, calc("risk.confidence", { epsilon, epsilon0: 1, k: 3 }).confidence);
  }),
  row(
    57,
    "Figure 1 shows the plot of the privacy level against risk",
    "dosimeter risk curve --plot",
    "curves 5, flat 0; figure 1 curves 3, flat 0",
    async () => {
      await command("risk curve --k 1,2,3 --plot curve.svg");
      const { scene } = riskChart({ settings: [1, 2, 3].map((epsilon0) => ({ epsilon0, k: 1 })) }, size);
      return `${curvesOf(readWorkFile("curve.svg"))}; figure 1 ${curvesOf(toSvg(scene))}`;
    },
  ),
  row(
    66,
    "Analytical bound on the empirical risk",
    "coverageBounds",
    shown(10, 0.9 * (1 - 2 * Math.exp(-2 * 0.01 ** 2 * 15_000))),
    () => {
      const { published } = coverageBounds({ level: 0.9, samples: 15_000, accuracy: 0.01 });
      return shown(10, published);
    },
  ),
  row(69, "Figure 4 shows the plot of number of samples", "chart of the page", "curves 4, flat 0", () => {
    const { scene } = sampleSizeChart({ accuracies: [0.0001, 0.001, 0.01, 0.1] }, size);
    return curvesOf(toSvg(scene));
  }),
  row(
    70,
    "We adopt the procedure of",
    "dosimeter risk sensitivity",
    "0.67 covers 95 of 100 pairs, the largest is 0.81 of at most 0.89",
    async () => {
      writeWorkFile("public.csv", `age\n${Array.from({ length: 200 }, (_, i) => i % 90).join("\n")}\n`);
      const line = "risk sensitivity public.csv --column age --provenance public --origin made-up --pairs 100";
      const { pairs, sensitivity, largest } = await commandJson(line);
      return `${shown(3, sensitivity)} covers 95 of ${pairs} pairs, the largest is ${shown(3, largest)} of at most 0.89`;
    },
  ),
  row(
    70,
    "either known apriori or constructed by subsampling",
    "calc risk.sampledSensitivity, private rows",
    'provenance is "private", must be public or synthetic: a sensitivity sampled from private rows leaks them',
    () =>
      calc("risk.sampledSensitivity", {
        provenance: "private",
        origin: "x",
        rows: [[1], [2]],
        statistic: "sum",
        size: 1,
        pairs: 1,
        level: 0.9,
      }),
  ),
  row(
    82,
    "Figure 7 shows the dependence of the error parameter",
    "charts of figures 5 and 6",
    "curves 2, flat 0",
    () => {
      const settings = [0.01, 0.02].map((accuracy) => ({ accuracy, samples: 10_000, ratio: 1.13 }));
      return curvesOf(toSvg(bothSourcesChart({ epsilon0: 1, settings }, size).scene));
    },
  ),
  row(
    103,
    "Thus, we calculate using Equation 9",
    "calc risk.cost",
    cents(550_000 * (confidence(0.25, 0.5) * Math.exp(-4) + (1 - confidence(0.25, 0.5)) * Math.exp(-2))),
    () => cents(calc("risk.cost", { epsilon: 0.25, epsilon0: 0.5, compensation: 5500, people: 100 })),
  ),
  row(
    108,
    "Since the risk in Equation 9 is itself a function of privacy level",
    "calc risk.optimum",
    "0.274115283557590",
    () => calc("risk.optimum", { epsilon0: 0.5 }).epsilon.toPrecision(15),
  ),
  row(
    107,
    "is a convex function of",
    "calc risk.cost, second differences",
    "38 of 38 positive; convex up to 1.1046",
    () => {
      const at = Array.from(
        { length: 40 },
        (_, i) => calc("risk.cost", { epsilon: (i + 1) / 41, epsilon0: 1 }) as number,
      );
      const bends = at.slice(2).map((each, i) => each - 2 * (at[i + 1] ?? 0) + (at[i] ?? 0));
      return `${bends.filter((bend) => bend > 0).length} of ${bends.length} positive; convex up to ${shown(5, largestConvexEpsilon(1))}`;
    },
  ),
  row(118, "the privacy level has to be at least", "epsilonForError", "0.5", () =>
    shown(3, epsilonForError({ error: 2 })),
  ),
  row(120, "the health centre is able to save", "dosimeter risk budget", "74434.41 37805.86 36628.55", async () => {
    const { dpCost, variants } = await commandJson("risk budget");
    return cents(dpCost, variants[0].cost, variants[0].saving);
  }),
  row(
    120,
    "In Figure 8, we plot the budget for various privacy levels",
    "dosimeter risk budget --plot",
    "curves 3, flat 0; figure 8 curves 1, flat 0",
    async () => {
      await command("risk budget --plot budget.svg");
      const model = { epsilon0: 0.5, compensation: 5500, people: 100, label: "as published" };
      const figure = curvesOf(toSvg(compensationChart({ models: [model] }, size).scene));
      return `${curvesOf(readWorkFile("budget.svg"))}; figure 8 ${figure}`;
    },
  ),
  row(
    122,
    "In Figure 12, we compare the privacy guarantees",
    "dosimeter risk compose --published --plot",
    "curves 6, flat 0, of three rows curves 6, flat 0; 2.5787 of 1, 9.381 of 10",
    async () => {
      await command("risk compose --count 20 --published --plot compose.svg");
      const rows = [1, 10, 20].map((count) => compositionRow({ epsilon0: 0.5, count, delta: 1e-5 }));
      const { scene } = replicationChart({ epsilon0: 0.5, delta: 1e-5, rows }, size);
      const [one, ten] = rows.map(({ published }) => shown(5, published));
      return `${curvesOf(readWorkFile("compose.svg"))}, of three rows ${curvesOf(toSvg(scene))}; ${one} of 1, ${ten} of 10`;
    },
  ),
  row(
    113,
    "calculate upper and lower bound on the privacy level",
    "calc risk.study",
    shown(6, -0.002 * Math.log(0.05 - 2 * Math.exp(-100 / 12)), Math.log1p(0.3)),
    () => {
      const study = { people: 10_000, compensation: 100, budget: 300_000, error: 0.1, failureProbability: 0.05 };
      const { mostEpsilon, leastEpsilon } = calc("risk.study", study);
      return shown(6, leastEpsilon, mostEpsilon);
    },
  ),
  row(188, "we note that the overlap between two distributions", "laplaceOverlap", "0.814", () =>
    shown(3, laplaceOverlap({ epsilon: 0.6, epsilon0: 1 })),
  ),
];
