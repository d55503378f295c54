import { formatNumber } from "@dosimeter/plot";
import { type CostModel, costOptimum, costQuantiles, costTornado, hsuStudy } from "@dosimeter/risk";
import { DataTable } from "../../parts/DataTable.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import { money, percent, shapes, type Values } from "./compensation-fields.ts";

export function Uncertain({ of: values, epsilon0 }: { of: Values; epsilon0: number }) {
  const { people, compensation, k, rate, bias, least, most, rateLeast, rateMost, form } = values;
  if (least > most || rateLeast > rateMost || bias > least) {
    return (
      <Notice tone="warn" title="Uncertain inputs">
        <p>The smallest value of each input must be below its largest, and the bias below the smallest compensation.</p>
      </Notice>
    );
  }
  const base = { epsilon0, k, people, bias, form };
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
    <Card title="If E and c are uncertain">
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
          { name: "Least by Theorem 4.1", isNumber: true, cell: (row) => money(row.cost) },
          { name: "ε*", isNumber: true, cell: (row) => formatNumber(row.epsilon, 3) },
        ]}
        rows={quantiles}
        keyOf={({ level }) => String(level)}
      />
    </Card>
  );
}

export function Spread({ model, rate }: { model: CostModel; rate: number }) {
  const rows = Object.values(shapes).map(({ words, make }) => ({
    words,
    ...costOptimum({ ...model, cost: make(rate) }),
  }));
  return (
    <Card title="With another cost function">
      <DataTable
        caption="All satisfy the paper's constraints; the saving depends on which one is picked"
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

export function Study({ of: { people, compensation, budget }, epsilon0 }: { of: Values; epsilon0: number }) {
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
        Each person is paid what the release can cost them in expectation, (e^ε − 1)·E. This bounds the real ε₀ and has
        a meaning in behaviour.{" "}
        {budget === undefined ? "Without a budget B, a tenth of E for each person is assumed." : ""}
      </p>
    </Card>
  );
}
