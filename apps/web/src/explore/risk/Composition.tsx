import { formatNumber } from "@dosimeter/plot";
import { compositionChart, replicationChart } from "@dosimeter/plot/risk";
import { spreadCounts } from "@dosimeter/risk";
import { Button } from "@mantine/core";
import { useEffect } from "react";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card } from "../../parts/Page.tsx";
import { numberField } from "./field.ts";
import { NumberInput, useFields } from "./fields.tsx";
import { Assumptions, Sentence } from "./Sentence.tsx";
import { useTask, Working } from "./Working.tsx";

const fields = {
  epsilon0: numberField("0.5", { above: 0, max: 600 }),
  most: numberField("300", { min: 1, max: 2000, isWhole: true }),
  delta: numberField("0.00001", { min: 1e-12, below: 1 }),
};

/** Panel (d): figures 9 to 11, what holds first and the published lines in a figure of their own. */
export function Composition() {
  const state = useFields(fields);
  const { values } = state;
  const task = useTask();
  const { start } = task;
  useEffect(() => {
    if (values === undefined) return undefined;
    const { epsilon0, delta, most } = values;
    const soon = setTimeout(() => start({ kind: "compose", epsilon0, delta, counts: spreadCounts(most) }), 250);
    return () => clearTimeout(soon);
  }, [values, start]);
  const spec = values === undefined ? undefined : { epsilon0: values.epsilon0, delta: values.delta, rows: task.rows };
  return (
    <>
      <Sentence />
      <Card title="Settings">
        <div className="field-grid">
          <NumberInput of={state} name="epsilon0" label="ε₀ of each release" />
          <NumberInput of={state} name="most" label="Releases, at most" />
          <NumberInput of={state} name="delta" label="δ of the total" />
        </div>
        <div className="field-actions">
          {["0.1", "0.5", "1"].map((epsilon0, i) => (
            <Button
              key={epsilon0}
              size="xs"
              variant="default"
              onClick={() => state.set({ epsilon0, most: "300", delta: "0.00001" })}
            >
              Figure {9 + i}
            </Button>
          ))}
        </div>
      </Card>
      <Card>
        <Working of={task} what="Composing exactly" onStop={task.stop} />
      </Card>
      {spec === undefined || task.rows.length < 2 ? null : (
        <>
          <div className="risk-pair">
            <Card>
              <Figure
                level={2}
                chart={(size) => compositionChart(spec, size)}
                caption="What holds. The total that may be shown for any ε₀-DP mechanism is the lesser of basic and optimal composition; the exact line is for Laplace noise, worst pair."
              />
            </Card>
            <Card>
              <Figure
                level={2}
                chart={(size) => replicationChart(spec, size)}
                caption="Replication of the paper. As published, nothing here is used for anything."
              />
            </Card>
          </div>
          <Notice tone="danger" title="How reliable the published lines are">
            <ul>
              <li>
                Theorem 3.1 with the confidence of Theorem 4.1: its premise is false for Laplace noise. The line lies
                above the exact one by slack only, and above the textbook zCDP line, which needs no privacy at risk.
              </li>
              <li>
                Its form with ½ in the mean is false: at ε₀ = 0.5 and δ = 10⁻⁵ the true δ is larger from 257 releases
                on.
              </li>
              <li>
                The curve as plotted comes from a wrongly inverted Hoeffding bound: see the true δ in the table. The
                claim that composition beats basic where advanced fails is true at ε₀ = 0.5 and false at ε₀ = 1.
              </li>
            </ul>
          </Notice>
          <Card title="Number by number">
            <DataTable
              caption={`Total ε at δ = ${formatNumber(spec.delta)}; value-at-risk and shortfall of the Laplace loss at 95 %`}
              columns={[
                { name: "Releases", isHead: true, isNumber: true, cell: (row) => row.count },
                ...(
                  [
                    ["Holds, any ε₀-DP", "holds"],
                    ["Exact, Laplace", "exact"],
                    ["Basic", "basic"],
                    ["Advanced", "advanced"],
                    ["zCDP", "zcdp"],
                    ["Theorem 3.1 as published", "published"],
                    ["As plotted", "asPlotted"],
                    ["True δ as plotted", "deltaAtPlotted"],
                    ["True δ, ½ form", "deltaAtHalf"],
                    ["Value-at-risk", "valueAtRisk"],
                    ["Shortfall", "expectedShortfall"],
                  ] as const
                ).map(([name, key]) => ({
                  name,
                  isNumber: true,
                  cell: (row: (typeof spec.rows)[number]) => formatNumber(row[key], 4),
                })),
              ]}
              rows={task.rows}
              keyOf={({ count }) => String(count)}
            />
          </Card>
        </>
      )}
      <Assumptions
        of={{
          "What is charged": "each release its ε₀; a ledger adds by its own rule, never by these lines",
          Releases: "fixed in advance, not chosen after answers were seen",
          Pair: "worst: one coordinate carries all of Δ in every release, replace-one",
          Noise: "Laplace, continuous; counts with discrete noise compose to the optimal line",
          "Level of privacy at risk": "the cost optimum, c = 1, as in the paper; γ is its confidence",
          "Exact line": "extrapolated from two grids, about 10⁻⁶ relative; an estimate, not a certificate",
        }}
      />
    </>
  );
}
