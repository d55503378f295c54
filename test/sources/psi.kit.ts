import { amplifyBySampling } from "@dosimeter/core/accounting";
import { type Edit, limitOf, peopleOf, planOf } from "@dosimeter/planner";
import { getAccuracy, getParameter } from "@dosimeter/query/quote";
import { statisticNames } from "@dosimeter/query/statistics";
import { COLUMNS_ONLY, census, fiveStatistics } from "../../apps/web/src/explore/plan/Plan.tsx";
import { accountDelta, NO_SECRET_SAMPLE } from "../../apps/web/src/plan/account-terms.ts";
import { announcement } from "../../apps/web/src/plan/announcement.ts";
import { betaText, confidenceOf } from "../../apps/web/src/plan/beta.ts";
import { copyAs } from "../../apps/web/src/plan/copy-as.ts";
import { glossary } from "../../apps/web/src/plan/glossary.ts";
import { textOf as cellText, choicesOf, classicColumns, nextHold } from "../../apps/web/src/plan/grid/cells.ts";
import { withType } from "../../apps/web/src/plan/retype.ts";
import {
  edited,
  faultOf,
  openWorkbench,
  readyPlan,
  type Workbench,
  type WorkRow,
  withNewRow,
  withSettings,
  rowsOf as workRowsOf,
} from "../../apps/web/src/plan/workbench.ts";
import { calc, command, commandJson, readSource, writeWorkFile } from "./calls.kit.ts";
import { platform } from "./platform.kit.ts";
import { refusalOf, rowsOf, type SourceRow, shown } from "./row.kit.ts";

const row = rowsOf("psi");
const age = { statistic: "mean", lower: 0, upper: 100, adjacency: "replace", n: 1000 } as const;

/** The five statistics of the census example, with ε = 1 to divide. */
const example = (): Workbench =>
  fiveStatistics.reduce((bench, settings) => withNewRow(bench, settings), openWorkbench(census, "1"));
const shares = (bench: Workbench): string =>
  workRowsOf(bench)
    .map(({ epsilon }) => epsilon)
    .join(" ");

const page: readonly SourceRow[] = [
  row(7, "Select Statistics (mean, quantiles, histogram)", "statistics of every plan", "mean,quantiles,histogram", () =>
    ["mean", "quantiles", "histogram"].filter((name) => (statisticNames as readonly string[]).includes(name)).join(),
  ),
  row(8, "Provide metadata", "page Explore › Plan, cells", "10…80 by 5, 7 bins", () => {
    const bench = withSettings(example(), "s3", { lower: "10", upper: "80", granularity: "5" });
    const [, , quantiles] = workRowsOf(withSettings(bench, "s3", { lower: "10" }));
    const bins = withNewRow(bench, { statistic: "histogram", column: "age", bins: "7" });
    return `${quantiles?.settings.lower}…${quantiles?.settings.upper} by ${quantiles?.settings.granularity}, ${workRowsOf(bins)[5]?.quote?.cells} bins`;
  }),
  row(
    18,
    "Census California Public Use Micro Sample (PUMS) Dataset",
    "page Explore › Plan, docs/planning.md, the command of a copied plan",
    "6 columns of 1000 people. Columns only: it has no rows, so nothing can be released from it. In the docs true. # this plan knows columns only: name a dataset that has them, with rows",
    () => {
      const copied = copyAs(planOf(example().draft), {}, null)
        .cli.split("\n")
        .find((line) => line.startsWith("# this"));
      const isSaid = readSource("docs/planning.md").includes("**columns only**");
      return `${Object.keys(census.columns).length} columns of ${peopleOf(example().draft, census)} people. ${COLUMNS_ONLY} In the docs ${isSaid}. ${copied}`;
    },
  ),
  row(
    20,
    "Type",
    "page Explore › Plan, the type of a variable",
    "The statistic needs numbers, and age is one of 0, 1, 2, 3, 4, 5 …; offered count distinctUnits histogram keyCounts topValues bounds distinctValues cutUnits tables syntheticTable; back 0.2 0.2 0.2 0.2 0.2",
    () => {
      const asCategory = withType(example(), "age", "category");
      const [mean] = workRowsOf(asCategory);
      const offered = choicesOf("statistic", mean as WorkRow, asCategory.declaration).filter(
        ({ value, reason }) => value !== "" && reason === undefined,
      );
      const back = withType(asCategory, "age", "integer");
      return `${mean?.fault?.message}; offered ${offered.map(({ value }) => value).join(" ")}; back ${shares(back)}`;
    },
  ),
  row(
    12,
    "Control apportioning of privacy budget",
    "page Explore › Plan, a typed share",
    "0.4 0.15 0.15 0.15 0.15",
    () => shares(edited(example(), { kind: "epsilon", id: "s1", epsilon: "0.4" })),
  ),
  row(
    20,
    "Variable\tType\tStatistic\tUpper Bound\tLower Bound\tGranularity\tNumber of bins\tEpsilon\tAccuracy\tHold",
    "page Explore › Plan, classic columns",
    "Variable, Type, Statistic, Upper bound, Lower bound, Granularity, Number of bins, Epsilon, Accuracy, Beta, Hold, X",
    () => classicColumns.map(({ heading }) => heading).join(", "),
  ),
  row(
    25,
    "Epsilon:",
    "page Explore › Plan, ε = 0 and a tiny ε",
    'epsilon is "0", must be above 0: an answer that costs nothing is noise alone; 1000: Each of the 6 answers, cut to what is possible, will be within ± 1,000 in 95 of 100 cases. At this price it says nothing, measured by the declared number of rows ÷ groups and bins. Useful from ε = 0.037. 1000: Each of the 3 answers will have at most 1,000 rows between it and the truth in 95 of 100 cases. Values are in steps of 1. At this price it says nothing, measured by the declared number of rows. Useful from ε = 0.13.',
    () => {
      const zero = refusalOf(() => edited(example(), { kind: "total", epsilon: "0" }));
      const tiny = { statistic: ["histogram", "quantiles"], column: ["race", "age"] };
      const told = tiny.statistic.map((statistic, index) => {
        const made = withNewRow(openWorkbench(census, "0.000001"), { statistic, column: tiny.column[index] ?? "" });
        const [row] = workRowsOf(made);
        return row === undefined ? "" : `${cellText("error", row, census)}: ${row.quote?.sentence}`;
      });
      return `${zero}; ${told.join(" ")}`;
    },
  ),
  row(
    27,
    "Delta:",
    "page of a plan on a dataset, from the account",
    "δ 0.00000004; δ, the chance of failure",
    async () => {
      const { as, teamAccount } = await platform();
      const account = await as.teamAdmin.showAccount({ account: teamAccount });
      return `δ ${accountDelta(account)}; ${glossary.delta.title}`;
    },
  ),
  row(29, "Beta:", "page of a plan, β and the classic column", "β 0.07, column 0.07", () => {
    const bench = edited(example(), { kind: "confidence", confidence: confidenceOf("0.07") });
    const [mean] = workRowsOf(bench);
    return `β ${betaText(bench.draft.confidence)}, column ${mean === undefined ? "" : cellText("beta", mean, census)}`;
  }),
  row(
    31,
    "Secrecy of the Sample:",
    "page Explore › Plan; a plan on a dataset says why not",
    "functioning ε 2.9, δ 0.00001; Secrecy of the sample and its functioning ε are not settings of this plan",
    () => {
      const sample = { size: 1000, population: 10_000 };
      const bench = edited(openWorkbench(census, "1"), { kind: "total", epsilon: "1", delta: "0.000001" });
      const { draft } = edited(bench, { kind: "sample", sample });
      const { epsilon, delta } = limitOf(draft);
      return `functioning ε ${shown(3, Number(epsilon) / 1e12)}, δ ${shown(3, Number(delta) / 1e18)}; ${NO_SECRET_SAMPLE.split(":")[0]}`;
    },
  ),
  row(20, "Epsilon\tAccuracy", "page Explore › Plan, one mean of age", "ε 0.5 gives 0.5992; 0.6 takes ε 0.5", () => {
    const one = withNewRow(openWorkbench(census, "0.5"), { statistic: "mean", column: "age" });
    const typed = edited(example(), { kind: "accuracy", id: "s1", accuracy: 0.6 });
    return `ε 0.5 gives ${shown(4, workRowsOf(one)[0]?.quote?.accuracy.halfWidth ?? 0)}; 0.6 takes ε ${shown(4, Number(workRowsOf(typed)[0]?.epsilon))}`;
  }),
  row(21, "X", "page Explore › Plan, Hold and X", "share; 0.2 0.266666666667 0.266666666667 0.266666666666", () => {
    const held = edited(example(), { kind: "mode", id: "s1", mode: nextHold("free") });
    return `${workRowsOf(held)[0]?.mode}; ${shares(edited(held, { kind: "remove", id: "s5" }))}`;
  }),
  row(
    20,
    "Upper Bound\tLower Bound\tGranularity",
    "page Explore › Plan, a wrong bound",
    "Upper must exceed lower: 100 is not above 200. The number of people that the sample was drawn from is 500, must be more than the 1000 in the sample. No ε up to 1,000,000 reaches an error of 1e-9.",
    () => {
      const said = (edit: Edit): string => {
        try {
          edited(example(), edit);
        } catch (error) {
          return faultOf(error).message;
        }
        return "taken";
      };
      return [
        workRowsOf(withSettings(example(), "s1", { lower: "200" }))[0]?.fault?.message ?? "none",
        said({ kind: "sample", sample: { size: 1000, population: 500 } }),
        said({ kind: "accuracy", id: "s3", accuracy: 0.000_000_001 }),
      ].join(" ");
    },
  ),
  row(35, "Submit", "page of a plan, Review and release", "5 statistics are sent", () => {
    const bench = example();
    return `${readyPlan(bench, workRowsOf(bench))?.statistics.length} statistics are sent`;
  }),
];

const said: readonly SourceRow[] = [
  row(49, "Interactivity", "page of a plan, the announcement of an edit", "ε for this plan. δ. Policy.", () => {
    const before = example();
    const after = edited(before, { kind: "total", epsilon: "2" });
    const text = announcement("ε for this plan", workRowsOf(before), workRowsOf(after), after.draft, []);
    return `${text.slice(0, 16)} ${announcement("δ", [], [], after.draft, [])} ${announcement("policy", [], [], after.draft, [])}`;
  }),
];

const calculus: readonly SourceRow[] = [
  row(
    39,
    "Statistic.getAccuracy(eps, del, metadata, beta)",
    "getAccuracy",
    shown(7, (100 * Math.log(20)) / (1000 * 0.5)),
    () => shown(7, getAccuracy("0.5", 0, age, 0.05)),
  ),
  row(41, "Statistic.getParameter(acc, del, metadata, beta)", "getParameter", "0.499288670652", () =>
    getParameter(0.6, 0, age, 0.05),
  ),
  row(
    43,
    "Statistic.Compute(eps, del, data, metadata)",
    "dosimeter compute",
    "mean 49.5 of 0 … 99; undeclared: as in -d '{columns: {age: {type: integer, lower: 0, upper: 120}}}' [UNKNOWN_COLUMN]",
    async () => {
      writeWorkFile("ages.csv", `age\n${Array.from({ length: 100 }, (_, i) => i).join("\n")}\n`);
      const mean = "-s 'mean age epsilon=100000'";
      const declaration = "{columns: {age: {type: integer, lower: 0, upper: 100}}}";
      const { answers } = await commandJson(`compute ages.csv -d '${declaration}' ${mean}`);
      const undeclared = await command(`compute ages.csv ${mean}`);
      return `mean ${shown(3, answers[0].cells[0].value)} of 0 … 99; undeclared: ${undeclared.split("it holds, ")[1]?.trim()}`;
    },
  ),
  row(56, "Theorem 0.1 (Basic Composition)", "calc total.loss, basic", "2 2e-7", () => {
    const events = [{ kind: "repeated", count: 20, event: { kind: "approximate", epsilon: 0.1, delta: 1e-8 } }];
    const { epsilon, deltaSum } = calc("total.loss", { events, delta: 0.5, method: "basic" });
    return shown(12, epsilon, deltaSum);
  }),
  row(
    58,
    "Theorem 0.2 (Advanced Composition [DRV10])",
    "calc total.loss, advanced",
    shown(9, Math.sqrt(2 * 20 * Math.log(1e5)) * 0.1 + 20 * 0.1 * Math.expm1(0.1)),
    () => {
      const events = [{ kind: "repeated", count: 20, event: { kind: "pure", epsilon: 0.1 } }];
      return shown(9, calc("total.loss", { events, delta: 1e-5, method: "advanced" }).epsilon);
    },
  ),
  row(
    75,
    "\\left(\\ln \\left(1 + \\frac{(e^\\epsilon - 1)m}{n} \\right)",
    "calc sample.amplified, amplifyBySampling",
    "0.15856507874 1e-7 0.15856507874",
    () => {
      const { epsilon, delta } = amplifyBySampling({ epsilon: 1, delta: 1e-6 }, { size: 1000, population: 10_000 });
      return `${shown(11, epsilon, delta)} ${shown(11, calc("sample.amplified", { epsilon: 1, n: 1, population: 10 }).epsilon)}`;
    },
  ),
];

export const psiRows: readonly SourceRow[] = [...page, ...said, ...calculus];
