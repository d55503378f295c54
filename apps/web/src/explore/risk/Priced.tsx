import { present } from "@dosimeter/core/internal";
import { formatNumber } from "@dosimeter/plot";
import { compensationChart } from "@dosimeter/plot/risk";
import {
  budgetInterval,
  type CostModel,
  costOptimum,
  dominationThreshold,
  elevenWords,
  epsilonForError,
  equationEleven,
  expectedLossCost,
  laplaceLoss,
  largestConvexEpsilon,
} from "@dosimeter/risk";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import { Spread, Study, Uncertain } from "./CompensationTables.tsx";
import { formWords, money, percent, shapes, type Values } from "./compensation-fields.ts";
import { Assumptions, RedNote } from "./Sentence.tsx";

export function Priced({ of: values }: { of: Values }) {
  const { people, compensation, error, k, rate, bias, shape, budget, form } = values;
  const epsilon0 = epsilonForError({ error, k });
  if (epsilon0 > 600 || bias > compensation) {
    return (
      <Notice tone="danger" title="This cannot be priced">
        <p>
          {epsilon0 > 600
            ? `An error of ${formatNumber(error)} needs ε₀ = ${formatNumber(epsilon0)}; no privacy parameter is above 600.`
            : `The bias b is ${formatNumber(bias)}, must be at most the compensation E, ${formatNumber(compensation)}.`}
        </p>
      </Notice>
    );
  }
  const model: CostModel = { epsilon0, k, people, compensation, bias, form, cost: shapes[shape].make(rate) };
  const otherForm = form === "printed" ? "corrected" : "printed";
  const published = costOptimum(model);
  const variants = variantsOf(model);
  const truth = laplaceLoss({ epsilon0, epsilon: published.epsilon });
  return (
    <>
      <RedNote epsilon0={epsilon0} threshold={dominationThreshold(k)} />
      <Card>
        <Facts
          of={{
            "ε₀ for this error, charged": formatNumber(epsilon0, 6),
            "Due at ε₀": (
              <span className="nowrap" style={{ fontSize: 20 }}>
                {money(published.dpCost)}
              </span>
            ),
            ...(bias === 0
              ? {}
              : {
                  [`Due at ε₀ by ${formWords[otherForm]}`]: money(costOptimum({ ...model, form: otherForm }).dpCost),
                }),
            "Least by Theorem 4.1, at ε*": `${money(published.cost)} at ${formatNumber(published.epsilon, 3)}`,
            "Saving by Theorem 4.1": `${money(published.saving)} (${percent(published.savingFraction)})`,
            "True at that ε*": `P(L > ε*) ${formatNumber(truth.tail, 3)}, δ(ε*) ${formatNumber(truth.delta, 3)}`,
            "Saving with the simulation weight": `${money(variants[1]?.saving ?? 0)} (${percent(variants[1]?.share ?? 0)})`,
          }}
        />
      </Card>
      <div className="risk-pair">
        <Card>
          <Figure
            level={2}
            chart={(size) =>
              compensationChart(
                {
                  models: [
                    { ...model, label: "weight of Theorem 4.1" },
                    { ...model, weight: "simulation", label: "simulation weight" },
                    { ...model, weight: "within", label: "true P(|L| ≤ ε)" },
                  ],
                  ...present({ budget }),
                },
                size,
              )
            }
            caption="Figure 8 and its honest variants: how much mass the gentler level may claim decides the minimum. The model shows a saving for all inputs, so the saving is no evidence for it."
          />
        </Card>
        <Card title="The same release with other weights">
          <DataTable
            caption="Expected compensation of everyone together"
            columns={[
              { name: "Weight of the gentler level", isHead: true, cell: (row) => row.name },
              {
                name: "ε*",
                isNumber: true,
                cell: (row) => (row.epsilon === null ? "–" : formatNumber(row.epsilon, 3)),
              },
              {
                name: "Weight",
                isNumber: true,
                cell: (row) => (row.weight === null ? "–" : formatNumber(row.weight, 3)),
              },
              { name: "Least", isNumber: true, cell: (row) => money(row.cost) },
              { name: "Below ε₀'s", isNumber: true, cell: (row) => percent(row.share) },
            ]}
            rows={variants}
            keyOf={({ name }) => name}
          />
          <p className="soft small">
            The simulation weight is the largest share with which the release can be simulated by one at the gentler
            level. The realised loss of either sign is what the noise turned out to give away; counting only losses that
            point at the person is another rule of liability.
          </p>
        </Card>
      </div>
      {budget === undefined ? null : <Affordable model={model} budget={budget} error={error} />}
      <div className="risk-pair">
        <Uncertain of={values} epsilon0={epsilon0} />
        <Spread model={model} rate={rate} />
      </div>
      <Study of={values} epsilon0={epsilon0} />
      <Assumptions
        of={{
          "ε₀ and Δ": `ε₀ = kΔ/𝒯 = ${formatNumber(epsilon0)}, Δ = 1: one person changes the answer by at most 1`,
          Neighbours: "replace-one in the paper; its story adds a person",
          Pair: `worst single coordinate; published weight for k = ${k}`,
          Noise:
            "continuous Laplace. For the discrete noise of a released count: not informative, the loss is ±ε₀ with certainty",
          "Which γ": "confidence, P(T ≤ ε)/P(T ≤ ε₀)",
          Money: `${formWords[form]}, D = ${shapes[shape].words}; chosen by the operator`,
          Convexity: `convex in ε only up to ε₀ = ${formatNumber(largestConvexEpsilon(1))} at c = 1, k = 1; one minimum even beyond`,
          "Attack accuracy": `the best guess between two neighbours is right ${formatNumber(100 * (1 - 0.5 * Math.exp(-epsilon0 / 2)), 3)} times in 100, no matter how much is set aside`,
        }}
      />
    </>
  );
}

function variantsOf(model: CostModel) {
  const weighted = (name: string, weight: "published" | "simulation" | "within") => {
    const { epsilon, confidence, cost, saving, savingFraction } = costOptimum({ ...model, weight });
    return { name, epsilon, weight: confidence, cost, saving, share: savingFraction };
  };
  const { dpCost } = costOptimum(model);
  const { absolute, positive: towards } = expectedLossCost(model);
  const realised = (name: string, cost: number) => ({
    name,
    epsilon: null,
    weight: null,
    cost,
    saving: dpCost - cost,
    share: dpCost > 0 ? (dpCost - cost) / dpCost : 0,
  });
  return [
    weighted("weight of Theorem 4.1", "published"),
    weighted("simulation weight", "simulation"),
    weighted("true P(|L| ≤ ε)", "within"),
    realised("cost of the realised |L|", absolute),
    realised("cost of L where it points at the person", towards),
  ];
}

function Affordable({ model, budget, error }: { model: CostModel; budget: number; error: number }) {
  const interval = budgetInterval({ ...model, budget });
  const optimum = costOptimum(model);
  const eleven = equationEleven({ model, budget, error });
  const { name, interval: levels } = elevenWords(model, eleven, (x) => formatNumber(x, 4));
  if (interval === undefined) {
    return (
      <Notice tone="warn" title="The interval is empty">
        <p>
          No level costs as little as {money(budget)}: the least is {money(optimum.cost)}, even by Theorem 4.1.
        </p>
      </Notice>
    );
  }
  return (
    <Card title="What the budget affords">
      <Facts
        of={{
          "Levels whose cost is within it": `${formatNumber(interval[0], 5)} to ${formatNumber(interval[1], 5)}`,
          [name]: `${levels}, its confidence frozen at ε*; its lower end bounds ε₀, not ε`,
        }}
      />
    </Card>
  );
}
