import { fdp } from "@dosimeter/plot";
import { epsdelta, gdp } from "@dosimeter/tradeoff";
import { kinksText } from "../../apps/web/src/explore/tradeoff/AttackTable.tsx";
import { numberOf, SHARE } from "../../apps/web/src/parts/number-text.ts";
import { glossary } from "../../apps/web/src/plan/glossary.ts";
import { calc, command, commandJson, curvesOf, readSource, readWorkFile } from "./calls.kit.ts";
import { refusalOf, rowsOf, type SourceRow } from "./row.kit.ts";

const row = rowsOf("fdp");
const digits = (value: number): string => value.toFixed(7);

export const fdpRows: readonly SourceRow[] = [
  row(
    9,
    "epsdelta(epsilon, delta = 0)",
    "epsdelta, dosimeter tradeoff, calc",
    "(1,0)-DP (1,0)-DP (1,0)-DP",
    async () => {
      const { curves } = await commandJson("tradeoff --epsdelta 1");
      return [epsdelta(1).label, curves[0].label, calc("tradeoff.label", { curve: { epsdelta: [1, 0] } })].join(" ");
    },
  ),
  row(15, "Must be non-negative", "epsdelta", "epsilon is -1, must be a number >= 0", () =>
    refusalOf(() => epsdelta(-1)),
  ),
  row(19, "Must be in \\([0, 1]\\)", "epsdelta", "delta is 2, must be a number in [0, 1]", () =>
    refusalOf(() => epsdelta(1, 2)),
  ),
  row(
    64,
    "(ε, δ)-Differential Privacy Trade-off Function",
    "dosimeter tradeoff",
    "(1,0)-DP: (ε, δ)-Differential Privacy Trade-off Function|  Parameters:|    ε = 1|    δ = 0",
    async () => (await command("tradeoff --epsdelta 1")).split("\n").slice(0, 4).join("|"),
  ),
  row(
    68,
    "pure_dp()  # View the skeleton points",
    "epsdelta(1)(), dosimeter tradeoff, page Explore › Trade-offs",
    "0.0000000 1.0000000, 0.2689414 0.2689414, 1.0000000 0.0000000; printed true; page (0.2689, 0.2689), α 0.37",
    async () => {
      const printed = (await command("tradeoff --epsdelta 1")).split("\n").slice(5, 8);
      const rows = epsdelta(1)().map(({ alpha, beta }) => `${digits(alpha)} ${digits(beta)}`);
      const isSame = printed.map((line) => line.replace("\t", " ")).join() === rows.join();
      return `${rows.join(", ")}; printed ${isSame}; page ${kinksText(epsdelta(1))}, α ${numberOf("0.37", SHARE)}`;
    },
  ),
  row(
    23,
    "A function of class c(",
    "epsdelta(1, 0.01)(…)",
    "f() has 4 points, f(0.1) is 0.7181718, f([0.05, 0.5]) 0.8540859 0.1802609",
    () => {
      const f = epsdelta(1, 0.01);
      return `f() has ${f().length} points, f(0.1) is ${digits(f(0.1))}, f([0.05, 0.5]) ${f([0.05, 0.5])
        .map(({ beta }) => digits(beta))
        .join(" ")}`;
    },
  ),
  row(
    83,
    "approx_dp(c(0.05, 0.1, 0.25, 0.5))",
    "dosimeter tradeoff --alpha",
    "0.8540859 0.7181718 0.3104295 0.1802609",
    async () => {
      const { curves } = await commandJson("tradeoff --epsdelta 1,0.01 --alpha 0.05,0.1,0.25,0.5");
      return curves[0].rows.map(({ beta }: { readonly beta: number }) => digits(beta)).join(" ");
    },
  ),
  row(
    5,
    "The resulting trade-off function is piecewise linear with two segments",
    "calc tradeoff.vertices",
    "0.0000000 0.9900000, 0.2662520 0.2662520, 0.9900000 0.0000000, 1.0000000 0.0000000",
    () =>
      calc("tradeoff.vertices", { curve: { epsdelta: [1, 0.01] } })
        .map((point: readonly number[]) => point.map(digits).join(" "))
        .join(", "),
  ),
  row(
    39,
    "states that a randomised mechanism",
    "docs/tradeoff.md, help card of page Explore › Trade-offs",
    "the docs and the card say it, the card is on the page; β 0.8640859 at α 0.05, f(0) 1",
    () => {
      const docs = readSource("docs/tradeoff.md");
      const { what, formula } = glossary.definition;
      const isOnPage = readSource("apps/web/src/explore/tradeoff/Tradeoff.tsx").includes('term="definition"');
      const says = [docs, what + formula].map(
        (text) => /no fixed disclosure risk/.test(text) && text.includes("P(M(S) ∈ E)"),
      );
      return `${says.every(Boolean) ? "the docs and the card say it" : "not said"}, the card ${isOnPage ? "is" : "is not"} on the page; β ${digits(epsdelta(1)(0.05))} at α 0.05, f(0) ${epsdelta(1)(0)}`;
    },
  ),
  row(
    41,
    "maps Type-I error rates \\(\\alpha\\) to the minimum achievable Type-II error rates",
    "epsdelta(1) against every test of randomised response",
    "0.2689414, the least of a test 0.2689414",
    () => {
      // It answers the truth with probability p, so its tests reject on no answer, either answer, or both.
      const p = Math.E / (1 + Math.E);
      const tests = [
        [0, 1],
        [1 - p, 1 - p],
        [p, p],
        [1, 0],
      ] as const;
      const least = Math.min(...tests.filter(([alpha]) => alpha <= 1 - p).map(([, beta]) => beta));
      return `${digits(epsdelta(1)(1 - p))}, the least of a test ${digits(least)}`;
    },
  ),
  row(45, "References", "docs", "Dong, Dwork", () => {
    const docs = readSource("docs/tradeoff.md") + readSource("packages/tradeoff/src/claims.md");
    return ["Dong", "Dwork"].filter((name) => docs.includes(name)).join(", ");
  }),
  row(91, "fdp(epsdelta(0.5),", "dosimeter tradeoff --plot", "curves 3, flat 0", async () => {
    await command("tradeoff --epsdelta 0.5 --epsdelta 1 --epsdelta 1,0.01 --plot fdp.svg");
    return curvesOf(readWorkFile("fdp.svg"));
  }),
  row(
    100,
    '.legend = "Privacy Mechanism"',
    "fdp, dosimeter tradeoff --legend",
    "Privacy Mechanism, drawn true",
    async () => {
      const { legend } = fdp(epsdelta(1), gdp(1), { legend: "Privacy Mechanism" }).options;
      await command("tradeoff --epsdelta 1 --gdp 1 --legend Mechanism --plot legend.svg");
      return `${legend}, drawn ${readWorkFile("legend.svg").includes(">Mechanism<")}`;
    },
  ),
  row(
    57,
    "gdp() for Gaussian differential privacy, and lap() for Laplace differential privacy",
    "dosimeter tradeoff --gdp --lap --delta",
    "ε 2.32 and 0.98 at δ 0.01",
    async () => {
      const { curves } = await commandJson("tradeoff --gdp 1 --lap 1 --delta 0.01");
      const [g, l] = curves.map(({ estimates }: { readonly estimates: readonly { epsilon: number }[] }) => estimates);
      return `ε ${g[0].epsilon} and ${l[0].epsilon} at δ 0.01`;
    },
  ),
];
