import { compensationChart } from "@dosimeter/plot/risk";
import {
  attackAccuracy,
  budgetInterval,
  type CostForm,
  type CostModel,
  costOptimum,
  costTornado,
  elevenWords,
  epsilonForError,
  equationEleven,
  expectedLossCost,
  exponentialCost,
  laplaceLoss,
} from "@dosimeter/risk";
import type { Command } from "commander";
import { oneOf } from "../../calc/readers.ts";
import type { Context } from "../../context.ts";
import { checkChartFile, writeChartFile } from "../../show/chart-file.ts";
import { say, sayFacts, sayTable } from "../../terminal/output.ts";
import {
  dimensionRange,
  epsilon0Range,
  money,
  numberFlag,
  optionalFlag,
  percentage,
  rangeFlag,
  sayRiskJson,
  saySentence,
  shown,
} from "./flags.ts";

interface BudgetFlags {
  readonly people: string;
  readonly compensation: string;
  readonly error?: string;
  readonly epsilon0?: string;
  readonly k: string;
  readonly rate: string;
  readonly bias: string;
  readonly form: string;
  readonly budget?: string;
  readonly compensationRange?: string;
  readonly rateRange?: string;
  readonly plot?: string;
}

/** `dosimeter risk budget`: section 5; without options the paper's illustration. */
export function defineBudget(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("budget")
    .description(
      "expected compensation, the level that makes it least by the weight of theorem 4.1, and the honest variants",
    )
    .option("--people <n>", "how many people", "100")
    .option("--compensation <amount>", "E, due to one person at full loss", "5500")
    .option("--error <error>", "mean absolute error that is accepted; gives ε₀ (default: 2)")
    .option("--epsilon0 <epsilon>", "ε₀ itself, instead of --error")
    .option("--k <k>", "dimension of the output", "1")
    .option("--rate <c>", "c of the cost e^(−c/ε)", "1")
    .option("--bias <b>", "b, due to one person whatever ε is", "0")
    .option("--form <form>", "equation (8): corrected, b + (E − b)·e^(−c/ε); or printed, E·e^(−c/ε) + b", "corrected")
    .option("--budget <amount>", "which levels this much money affords")
    .option("--compensation-range <least..most>", "what if E is only known so well")
    .option("--rate-range <least..most>", "what if c is only known so well")
    .option("--plot <file>", "write figure 8 as .svg or .png")
    .action(async (flags: BudgetFlags) => {
      checkChartFile(flags.plot);
      const found = budgetOf(flags);
      const { model, budget, answer, interval, eleven, tornado } = found;
      await writeChartFile(flags.plot, terminal.cwd, (size) => compensationChart(curvesOf(model, budget), size));
      if (globals().json) {
        return sayRiskJson(terminal, {
          ...answer,
          ...(interval === undefined ? {} : { interval, equation11: eleven }),
          tornado,
        });
      }
      await sayBudget(terminal, found);
      saySentence(context, true);
    });
}

function budgetOf(flags: BudgetFlags) {
  const model = modelOf(flags);
  const budget = optionalFlag(flags.budget, "--budget", { above: 0 });
  const { dpCost, epsilon } = costOptimum(model);
  const form = otherForm(model.form);
  const other = { form, dpCost: costOptimum({ ...model, form }).dpCost };
  return {
    model,
    budget,
    other,
    answer: {
      epsilon0: model.epsilon0,
      form: model.form,
      dpCost,
      [`${form}DpCost`]: other.dpCost,
      truth: laplaceLoss({ epsilon0: model.epsilon0, epsilon }),
      variants: variantsOf(model),
    },
    interval: budget === undefined ? undefined : (budgetInterval({ ...model, budget }) ?? null),
    eleven:
      budget === undefined ? undefined : equationEleven({ model, budget, error: (model.k ?? 1) / model.epsilon0 }),
    tornado: tornadoOf(flags, model),
  };
}

async function sayBudget(
  terminal: Context["terminal"],
  { model, other, answer, interval, eleven, tornado }: ReturnType<typeof budgetOf>,
): Promise<void> {
  const { tail, delta } = answer.truth;
  sayFacts(terminal, [
    ["ε₀, charged", shown(answer.epsilon0)],
    ["due at ε₀", money(answer.dpCost)],
    ...(model.bias === 0
      ? []
      : [
          ["equation (8)", formWords[model.form]] as const,
          [`due at ε₀ by ${formWords[other.form]}`, money(other.dpCost)] as const,
        ]),
    [
      "true at the first ε* below",
      `P(L > ε*) ${shown(tail)}, exact δ(ε*) ${shown(delta)}, best guess right ${percentage(attackAccuracy(answer.epsilon0))}`,
    ],
  ]);
  say(terminal);
  await sayTable(terminal, answer.variants, [
    { heading: "expected compensation", cell: ({ name }) => name },
    { heading: "level ε*", cell: ({ epsilon }) => (epsilon === null ? "" : shown(epsilon)), right: true },
    { heading: "weight", cell: ({ weight }) => (weight === null ? "" : shown(weight)), right: true },
    { heading: "least", cell: ({ cost }) => money(cost), right: true },
    { heading: "below ε₀'s", cell: ({ saving }) => money(saving), right: true },
    { heading: "share", cell: ({ share }) => percentage(share), right: true },
  ]);
  if (interval === null) say(terminal, "\nThe interval is empty: every level costs more than this budget.");
  else if (interval !== undefined)
    say(
      terminal,
      `\nThis budget affords levels from ${shown(interval[0])} to ${shown(interval[1])}: equation (9) solved for the level.`,
    );
  if (eleven !== undefined) {
    const { name, interval: levels } = elevenWords(model, eleven, shown);
    say(terminal, `${name}: ${levels}. Its confidence is frozen at ε*, and its lower end bounds ε₀, not ε.`);
  }
  if (tornado.length > 0) {
    say(terminal);
    await sayTable(terminal, tornado, [
      { heading: "uncertain", cell: ({ input }) => input },
      { heading: "from", cell: ({ values }) => money(values[0]), right: true },
      { heading: "to", cell: ({ values }) => money(values[1]), right: true },
      {
        heading: "least compensation",
        cell: ({ optima }) => optima.map(({ cost }) => money(cost)).join(" … "),
        right: true,
      },
      { heading: "ε*", cell: ({ optima }) => optima.map(({ epsilon }) => shown(epsilon)).join(" … "), right: true },
    ]);
  }
}

const curvesOf = (model: CostModel, budget: number | undefined): Parameters<typeof compensationChart>[0] => ({
  models: [
    { ...model, label: "weight of theorem 4.1" },
    { ...model, weight: "simulation", label: "simulation weight" },
    { ...model, weight: "within", label: "true P(|L| ≤ ε)" },
  ],
  ...(budget === undefined ? {} : { budget }),
});

const formWords: Readonly<Record<CostForm, string>> = {
  corrected: "b + (E − b)·e^(−c/ε), corrected: never above E",
  printed: "E·e^(−c/ε) + b, as printed",
};
const otherForm = (form: CostForm): CostForm => (form === "printed" ? "corrected" : "printed");

type BudgetModel = CostModel & { readonly rate: number; readonly bias: number; readonly form: CostForm };

function modelOf(flags: BudgetFlags): BudgetModel {
  const k = numberFlag(flags.k, "--k", dimensionRange);
  const error = numberFlag(flags.error ?? "2", "--error", { above: 0 });
  const rate = numberFlag(flags.rate, "--rate", { above: 0 });
  const epsilon0 =
    optionalFlag(flags.epsilon0, "--epsilon0", epsilon0Range) ??
    numberFlag(String(epsilonForError({ error, k })), "ε₀ of this --error", epsilon0Range);
  return {
    epsilon0,
    k,
    rate,
    cost: exponentialCost(rate),
    people: numberFlag(flags.people, "--people", { min: 1, integer: true }),
    compensation: numberFlag(flags.compensation, "--compensation", { above: 0 }),
    bias: numberFlag(flags.bias, "--bias", { min: 0 }),
    form: oneOf(["corrected", "printed"]).read(flags.form, "--form"),
  };
}

function variantsOf(model: CostModel) {
  const weighted = (name: string, weight: "published" | "simulation" | "within") => {
    const { epsilon, confidence, cost, saving, savingFraction } = costOptimum({ ...model, weight });
    return { name, epsilon, weight: confidence, cost, saving, share: savingFraction };
  };
  const { dpCost } = costOptimum(model);
  const { absolute, positive } = expectedLossCost(model);
  const realised = (name: string, cost: number) => ({
    name,
    epsilon: null,
    weight: null,
    cost,
    saving: dpCost - cost,
    share: (dpCost - cost) / dpCost,
  });
  return [
    weighted("weight of theorem 4.1", "published"),
    weighted("simulation weight", "simulation"),
    weighted("true P(|L| ≤ ε)", "within"),
    realised("of the realised |L|", absolute),
    realised("of L where it points at the person", positive),
  ];
}

function tornadoOf(flags: BudgetFlags, model: CostModel & { readonly rate: number }) {
  const range = (text: string | undefined, option: string) =>
    text === undefined ? undefined : rangeFlag(text, option, { above: 0 });
  const compensation = range(flags.compensationRange, "--compensation-range");
  const rate = range(flags.rateRange, "--rate-range");
  const { cost: _, ...base } = model;
  return costTornado({
    ...base,
    uncertain: { ...(compensation === undefined ? {} : { compensation }), ...(rate === undefined ? {} : { rate }) },
  });
}
