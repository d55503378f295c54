import { formatNumber } from "@dosimeter/plot";
import { compensationChart } from "@dosimeter/plot/risk";
import {
  advantageCost,
  budgetInterval,
  type CostFunction,
  type CostModel,
  costOptimum,
  costQuantiles,
  costTornado,
  dominationThreshold,
  epsilonForError,
  expectedLossCost,
  exponentialCost,
  hillCost,
  hsuStudy,
  laplaceLoss,
  largestConvexEpsilon,
  posteriorCost,
  publishedBounds,
  saturatingCost,
} from "@dosimeter/risk";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import { choiceField, numberField, optionalField, type ValuesOf } from "./field.ts";
import { Choice, NumberInput, useFields } from "./fields.tsx";
import { Assumptions, RedNote, Sentence } from "./Sentence.tsx";

const positive = { above: 0 } as const;
const fields = {
  people: numberField("100", { min: 1, isWhole: true, max: 1e9 }),
  compensation: numberField("5500", { above: 0, max: 1e12 }),
  error: numberField("2", { above: 0, max: 1e6 }),
  k: numberField("1", { min: 1, max: 1_000_000, isWhole: true }),
  rate: numberField("1", { above: 0, max: 1e6 }),
  bias: numberField("0", { min: 0 }),
  budget: optionalField(positive),
  shape: choiceField(["exponential", "hill", "saturating", "advantage", "posterior"], "exponential"),
  least: numberField("5467", positive),
  most: numberField("5530", positive),
  rateLeast: numberField("0.5", { above: 0, max: 1e6 }),
  rateMost: numberField("2", { above: 0, max: 1e6 }),
};
type Values = ValuesOf<typeof fields>;

const shapes: Readonly<
  Record<Values["shape"], { readonly words: string; readonly make: (rate: number) => CostFunction }>
> = {
  exponential: { words: "e^(−c/ε), as published", make: exponentialCost },
  hill: { words: "ε/(ε + c)", make: (rate) => hillCost(1, rate) },
  saturating: { words: "1 − e^(−cε)", make: saturatingCost },
  advantage: { words: "tanh(ε/2), membership advantage", make: () => advantageCost },
  posterior: { words: "growth of a 1 in 10 suspicion", make: () => posteriorCost(0.1) },
};

const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const money = (value: number): string => cents.format(value);
const percent = (value: number): string => `${formatNumber(100 * value, 3)} %`;

/** Panel (c): section 5; its first state is the illustration of 5.3. */
export function Compensation() {
  const state = useFields(fields);
  const { values } = state;
  return (
    <>
      <Sentence isMoney />
      <Card>
        <p className="risk-story">
          A health centre says in January that 34 of 99 members of a faculty are obese, and in July that 35 of 100 are.
          One person joined between. It will add Laplace noise to the counts, accepts an error of 2 on average, and asks
          what to set aside.
        </p>
      </Card>
      <Card title="Settings">
        <div className="field-grid">
          <NumberInput of={state} name="people" label="People" />
          <NumberInput of={state} name="compensation" label="Compensation E" hint="Of one person, at full loss" />
          <NumberInput of={state} name="error" label="Error limit 𝒯" hint="Mean absolute error" />
          <NumberInput of={state} name="k" label="Dimension k" />
          <Choice
            of={state}
            name="shape"
            label="Cost function D"
            choices={Object.fromEntries(Object.entries(shapes).map(([name, { words }]) => [name, words]))}
          />
          <NumberInput of={state} name="rate" label="Rate c" />
          <NumberInput of={state} name="bias" label="Bias b" hint="Due whatever ε is" />
          <NumberInput of={state} name="budget" label="Budget B, if fixed" />
          <NumberInput of={state} name="least" label="E at the least" />
          <NumberInput of={state} name="most" label="E at the most" />
          <NumberInput of={state} name="rateLeast" label="c at the least" />
          <NumberInput of={state} name="rateMost" label="c at the most" />
        </div>
      </Card>
      {values === undefined ? null : <Priced of={values} />}
    </>
  );
}

function Priced({ of: values }: { of: Values }) {
  const { people, compensation, error, k, rate, bias, shape, budget } = values;
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
  const model: CostModel = { epsilon0, k, people, compensation, bias, cost: shapes[shape].make(rate) };
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
              <span className="nowrap" style={{ fontSize: 22 }}>
                {money(published.dpCost)}
              </span>
            ),
            "Least as published, at ε*": `${money(published.cost)} at ${formatNumber(published.epsilon, 3)}`,
            "Saving as published": `${money(published.saving)} (${percent(published.savingFraction)})`,
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
                    { ...model, label: "as published" },
                    { ...model, weight: "simulation", label: "simulation weight" },
                    { ...model, weight: "within", label: "true P(|L| ≤ ε)" },
                  ],
                  ...(budget === undefined ? {} : { budget }),
                },
                size,
              )
            }
            caption="Figure 8 and its honest variants: how much mass the gentler level may claim decides the minimum. The model announces a saving whatever its inputs are, so the saving is no evidence for it."
          />
        </Card>
        <Card title="The same release, weighed otherwise">
          <DataTable
            caption="Expected compensation of everybody together"
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
          Money: `D = b + (E − b)·${shapes[shape].words}; chosen by the operator`,
          Convexity: `convex in ε only up to ε₀ = ${formatNumber(largestConvexEpsilon(1))} at c = 1, k = 1; one minimum even beyond`,
          "Attack accuracy": `the best guess between two neighbours is right ${formatNumber(100 * (1 - 0.5 * Math.exp(-epsilon0 / 2)), 3)} times in 100, whatever is set aside`,
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
    weighted("confidence of Theorem 4.1, as published", "published"),
    weighted("simulation weight", "simulation"),
    weighted("true P(|L| ≤ ε)", "within"),
    realised("cost of the realised |L|", absolute),
    realised("cost of L where it points at the person", towards),
  ];
}

function Affordable({ model, budget, error }: { model: CostModel; budget: number; error: number }) {
  const interval = budgetInterval({ ...model, budget });
  const optimum = costOptimum(model);
  const fullCost = (model.compensation ?? 1) * (model.people ?? 1);
  const eleven = publishedBounds({ budget, confidence: optimum.confidence, dpCost: optimum.dpCost, fullCost, error });
  if (interval === undefined) {
    return (
      <Notice tone="warn" title="The interval is empty">
        <p>
          No level costs as little as {money(budget)}: the least is {money(optimum.cost)}, even as published.
        </p>
      </Notice>
    );
  }
  return (
    <Card title="What the budget affords">
      <Facts
        of={{
          "Levels whose cost is within it": `${formatNumber(interval[0], 5)} to ${formatNumber(interval[1], 5)}`,
          "Equation (11), as published": `${formatNumber(eleven.lower, 4)} to ${formatNumber(eleven.upper, 4)}, its confidence frozen at ε*; its lower end bounds ε₀, not ε`,
        }}
      />
    </Card>
  );
}

function Uncertain({ of: values, epsilon0 }: { of: Values; epsilon0: number }) {
  const { people, compensation, k, rate, bias, least, most, rateLeast, rateMost } = values;
  if (least > most || rateLeast > rateMost || bias > least) {
    return (
      <Notice tone="warn" title="Uncertain inputs">
        <p>Each input needs its least value below its most, and the bias below the least compensation.</p>
      </Notice>
    );
  }
  const base = { epsilon0, k, people, bias };
  const rows = costTornado({
    ...base,
    compensation,
    rate,
    uncertain: { compensation: [least, most], rate: [rateLeast, rateMost] },
  });
  const within = (low: number, value: number, high: number): readonly [number, number, number] => [
    low,
    Math.min(high, Math.max(low, value)),
    high,
  ];
  const quantiles = costQuantiles({
    ...base,
    rate: within(rateLeast, rate, rateMost),
    compensation: within(least, compensation, most),
  });
  return (
    <Card title="If E and c are only known so well">
      <DataTable
        caption="One input at a time, widest swing first; cost e^(−c/ε), as published"
        columns={[
          {
            name: "Input",
            isHead: true,
            cell: (row) => ({ compensation: "E", rate: "c", people: "people", epsilon0: "ε₀" })[row.input],
          },
          {
            name: "Least compensation",
            isNumber: true,
            cell: (row) => row.optima.map(({ cost }) => money(cost)).join(" … "),
          },
          {
            name: "ε*",
            isNumber: true,
            cell: (row) => row.optima.map(({ epsilon }) => formatNumber(epsilon, 3)).join(" … "),
          },
        ]}
        rows={rows}
        keyOf={({ input }) => input}
      />
      <div style={{ height: 20 }} />
      <DataTable
        caption="Both together, triangular between their ends"
        columns={[
          { name: "Quantile", isHead: true, cell: (row) => percent(row.level) },
          { name: "Due at ε₀", isNumber: true, cell: (row) => money(row.dpCost) },
          { name: "Least, as published", isNumber: true, cell: (row) => money(row.cost) },
          { name: "ε*", isNumber: true, cell: (row) => formatNumber(row.epsilon, 3) },
        ]}
        rows={quantiles}
        keyOf={({ level }) => String(level)}
      />
    </Card>
  );
}

function Spread({ model, rate }: { model: CostModel; rate: number }) {
  const rows = Object.values(shapes).map(({ words, make }) => ({
    words,
    ...costOptimum({ ...model, cost: make(rate) }),
  }));
  return (
    <Card title="With another cost function">
      <DataTable
        caption="All obey the paper's constraints; the saving it announces depends on the one that is picked"
        columns={[
          { name: "D(ε)", isHead: true, cell: (row) => row.words },
          { name: "ε*", isNumber: true, cell: (row) => formatNumber(row.epsilon, 3) },
          { name: "Due at ε₀", isNumber: true, cell: (row) => money(row.dpCost) },
          { name: "Least", isNumber: true, cell: (row) => money(row.cost) },
          { name: "Below", isNumber: true, cell: (row) => percent(row.savingFraction) },
        ]}
        rows={rows}
        keyOf={({ words }) => words}
      />
    </Card>
  );
}

function Study({ of: { people, compensation, budget }, epsilon0 }: { of: Values; epsilon0: number }) {
  const paid = budget ?? people * compensation * 0.1;
  const study = hsuStudy({ people, compensation, budget: paid, error: 0.1, failureProbability: 0.05 });
  return (
    <Card title="The other economics: paying participants (Hsu et al. 2014)">
      <Facts
        of={{
          "Money for participants": money(paid),
          "Affords an ε of at most": formatNumber(study.mostEpsilon, 4),
          "A mean within 0.1, 95 times in 100, needs at least":
            study.leastEpsilon === undefined ? "more people" : formatNumber(study.leastEpsilon, 4),
          Feasible: study.feasible
            ? `from ${formatNumber(study.leastEpsilon ?? 0, 4)} to ${formatNumber(study.mostEpsilon, 4)}`
            : "no ε does both",
          "The ε₀ above": formatNumber(epsilon0, 4),
        }}
      />
      <p className="soft small">
        Everybody is paid what the release can cost them in expectation, (e^ε − 1)·E. This bounds the real ε₀ and has a
        meaning in behaviour. {budget === undefined ? "Without a budget B, a tenth of E for everybody is assumed." : ""}
      </p>
    </Card>
  );
}
