import { formatNumber } from "@dosimeter/plot";
import { factsOf, lossChart, lossDistributionChart, type RiskNoise, riskChart } from "@dosimeter/plot/risk";
import {
  attackAccuracy,
  composedDiscreteLoss,
  composedLoss,
  dominationThreshold,
  gaussianShortfall,
  jointLoss,
  laplaceOverlap,
  laplaceShortfall,
  laplaceValueAtRisk,
  midpointLoss,
  overstatement,
  publishedModel,
  simulationWeight,
} from "@dosimeter/risk";
import { Button } from "@mantine/core";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import { choiceField, listField, numberField, type ValuesOf } from "./field.ts";
import { Choice, NumberInput, useFields } from "./fields.tsx";
import { Assumptions, RedNote, Sentence } from "./Sentence.tsx";

const fields = {
  noise: choiceField(["laplace", "count", "gaussian"], "laplace"),
  epsilon0: listField("1", { above: 0, max: 600 }),
  k: listField("1, 2, 3", { min: 1, max: 1_000_000, isWhole: true }),
  epsilon: numberField("0.5", { min: 0, max: 600 }),
  pair: choiceField(["one", "even"], "one"),
  mu: numberField("1", { above: 0, max: 30 }),
};
type Values = ValuesOf<typeof fields>;

/** Panel (a): the risk curves of figures 1 and 2 with the exact loss on the same axes. */
export function WhatEpsilonMeans() {
  const state = useFields(fields);
  const { values } = state;
  const noise = state.texts.noise;
  return (
    <>
      <Sentence />
      <Card title="Settings">
        <div className="field-grid">
          <Choice
            of={state}
            name="noise"
            label="Noise"
            choices={{ laplace: "Laplace, continuous", count: "Discrete Laplace on a count", gaussian: "Gaussian" }}
          />
          {noise === "gaussian" ? (
            <NumberInput of={state} name="mu" label="μ = Δ₂/σ" />
          ) : (
            <NumberInput of={state} name="epsilon0" label="ε₀ (charged)" hint="One or several, by commas" />
          )}
          {noise === "laplace" ? (
            <NumberInput of={state} name="k" label="Dimension k" hint="One or several, by commas" />
          ) : null}
          <NumberInput of={state} name="epsilon" label="Level ε to read" />
          {noise === "laplace" ? (
            <Choice
              of={state}
              name="pair"
              label="Pair of neighbours"
              choices={{ one: "One coordinate carries all of Δ", even: "Split evenly over k coordinates" }}
            />
          ) : null}
        </div>
        <div className="field-actions">
          <Button
            size="xs"
            variant="default"
            onClick={() => state.set({ noise: "laplace", epsilon0: "1", k: "1, 2, 3" })}
          >
            Figure 1
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => state.set({ noise: "laplace", epsilon0: "1, 1.5, 2, 2.5", k: "1" })}
          >
            Figure 2
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => state.set({ noise: "laplace", epsilon0: "1, 0.8, 0.6", k: "1", pair: "one" })}
          >
            Ridge experiment
          </Button>
        </div>
      </Card>
      {values === undefined ? null : <Meaning of={values} />}
    </>
  );
}

/** The loss of a difference split over more coordinates than this is not worth its transform on a page. */
const MOST_COORDINATES = 1000;

function Meaning({ of: values }: { of: Values }) {
  const { epsilon, pair } = values;
  if (values.noise === "laplace" && pair === "even" && Math.max(...values.k) > MOST_COORDINATES) {
    return (
      <Notice tone="warn" title="Too many coordinates for an even split">
        <p>
          The true loss of an even split is computed up to k = {MOST_COORDINATES}; the published model and the worst
          pair go on to a million.
        </p>
      </Notice>
    );
  }
  const settings = values.epsilon0.flatMap((epsilon0) => values.k.map((k) => ({ epsilon0, k }))).slice(0, 8);
  const [first = { epsilon0: 1, k: 1 }] = settings;
  const last = settings.at(-1) ?? first;
  const noise: RiskNoise =
    values.noise === "gaussian"
      ? { kind: "gaussian", mu: values.mu }
      : values.noise === "count"
        ? { kind: "count", epsilon0: first.epsilon0, sensitivity: 1 }
        : { kind: "laplace", ...(pair === "even" ? last : first), split: pair };
  return (
    <>
      {values.noise === "laplace" ? (
        <RedNote epsilon0={Math.max(...values.epsilon0)} threshold={dominationThreshold(Math.min(...values.k))} />
      ) : null}
      {values.noise === "count" ? (
        <Notice tone="danger" title="Not informative">
          <p>
            A count with discrete Laplace noise: not informative: the loss is ±ε₀ with certainty. P(|L| ≤ ε) is 0 for
            every ε below ε₀, and privacy at risk says nothing.
          </p>
        </Notice>
      ) : null}
      <div className="risk-pair">
        {values.noise === "laplace" ? (
          <Card>
            <Figure
              level={2}
              chart={(size) =>
                riskChart({ settings, exact: pair === "even" ? "even" : true, exactFirst: true, marked: epsilon }, size)
              }
              caption="Published: Theorem 4.1 (figures 1 and 2). True: the same axes, for the first ε₀. Where the true line stays near risk 1, the loss is almost never below that level."
            />
          </Card>
        ) : null}
        <Card>
          <Figure
            level={2}
            chart={(size) => lossChart({ noise, marked: epsilon }, size)}
            caption={
              values.noise === "laplace"
                ? `At ε₀ = ${formatNumber(noise.kind === "laplace" ? noise.epsilon0 : 0)}, k = ${noise.kind === "laplace" ? noise.k : 1}. P(L > ε) is the power of the likelihood-ratio attack at slope e^ε; δ(ε) is its excess.`
                : "P(L > ε) is the power of the likelihood-ratio attack at slope e^ε; δ(ε) is its excess."
            }
          />
        </Card>
        <Law noise={noise} />
      </div>
      {values.noise === "laplace" ? (
        <Readings settings={settings} epsilon={epsilon} pair={pair} />
      ) : (
        <Truth noise={noise} epsilon={epsilon} />
      )}
      <Assumptions
        of={{
          "What is charged":
            values.noise === "gaussian"
              ? `μ = ${formatNumber(values.mu)}`
              : `ε₀ = ${values.epsilon0.map((e) => formatNumber(e)).join(", ")}`,
          Sensitivity: "Δ is given: a proved bound on the L1 distance of neighbouring answers (L2 for Gaussian noise)",
          Neighbours: "replace-one, as in the paper",
          Pair:
            values.noise === "laplace" && pair === "even"
              ? "Δ split evenly over the coordinates"
              : "worst: a single coordinate carries all of Δ",
          Noise: {
            laplace: "Laplace, continuous, Δ/ε₀ on each coordinate",
            count: "discrete Laplace, answers move by 1",
            gaussian: "Gaussian, μ = Δ₂/σ",
          }[values.noise],
          "Which γ": "confidence P(T ≤ ε)/P(T ≤ ε₀); risk = 1 − confidence",
        }}
      />
    </>
  );
}

function Readings({
  settings,
  epsilon,
  pair,
}: {
  settings: readonly { epsilon0: number; k: number }[];
  epsilon: number;
  pair: "one" | "even";
}) {
  const rows = settings.map(({ epsilon0, k }) => {
    const model = publishedModel({ epsilon0, k });
    return {
      epsilon0,
      k,
      confidence: model.confidence(epsilon),
      risk: model.risk(epsilon),
      atTenth: model.epsilonForRisk(0.1),
      ...factsOf({ kind: "laplace", epsilon0, k, split: pair })(epsilon),
      weight: simulationWeight({ epsilon0, epsilon }),
    };
  });
  const number = (name: string, cell: (row: (typeof rows)[number]) => number) => ({
    name,
    isNumber: true,
    cell: (row: (typeof rows)[number]) => formatNumber(cell(row), 5),
  });
  const [first] = settings;
  return (
    <Card title={`At level ε = ${formatNumber(epsilon)}`}>
      <DataTable
        caption="As published, then what is true of the same release"
        columns={[
          { ...number("ε₀", (row) => row.epsilon0), isHead: true },
          number("k", (row) => row.k),
          number("Published confidence", (row) => row.confidence),
          number("Published risk", (row) => row.risk),
          number("ε at published risk 10 %", (row) => row.atTenth),
          number("True P(|L| ≤ ε)", (row) => row.within),
          number("True P(L > ε)", (row) => row.tail),
          number("Exact δ(ε)", (row) => row.delta),
          number("Simulation weight", (row) => row.weight),
        ]}
        rows={rows}
        keyOf={({ epsilon0, k }) => `${epsilon0} ${k}`}
      />
      {first === undefined || epsilon >= first.epsilon0 ? null : (
        <p className="soft small">
          For one coordinate the published confidence overstates the truth{" "}
          {formatNumber(overstatement({ epsilon0: first.epsilon0, epsilon }), 3)} times at ε₀ ={" "}
          {formatNumber(first.epsilon0)}. The best guess between two neighbours is right{" "}
          {formatNumber(100 * attackAccuracy(first.epsilon0), 3)} times in 100. After rounding the answer to one bit at
          the midpoint the loss is ±{formatNumber(midpointLoss(first.epsilon0), 4)} every time: the reading does not
          survive post-processing. The value-at-risk of the loss at 95 % is{" "}
          {formatNumber(laplaceValueAtRisk({ epsilon0: first.epsilon0, level: 0.95 }))}, its expected shortfall{" "}
          {formatNumber(laplaceShortfall({ epsilon0: first.epsilon0, level: 0.95 }))}: ε₀ itself.{" "}
          {epsilon > 0
            ? `The overlap of the two noise laws, Lap(1/ε₀) and Lap(1/ε), from appendix A: ${formatNumber(laplaceOverlap({ epsilon0: first.epsilon0, epsilon }), 4)}; it says nothing of neighbours.`
            : ""}
        </p>
      )}
    </Card>
  );
}

function Truth({ noise, epsilon }: { noise: RiskNoise; epsilon: number }) {
  const { within, tail, delta } = factsOf(noise)(epsilon);
  const tails = noise.kind === "gaussian" ? gaussianShortfall({ mu: noise.mu, level: 0.95 }) : undefined;
  return (
    <Card title={`At level ε = ${formatNumber(epsilon)}`}>
      <Facts
        of={{
          "P(|L| ≤ ε)": formatNumber(within, 5),
          "P(L > ε)": formatNumber(tail, 5),
          "Exact δ(ε)": formatNumber(delta, 5),
          ...(tails === undefined
            ? {}
            : {
                "Value-at-risk, 95 %": formatNumber(tails.valueAtRisk, 5),
                "Expected shortfall, 95 %": formatNumber(tails.expectedShortfall, 5),
              }),
        }}
      />
    </Card>
  );
}

function Law({ noise }: { noise: RiskNoise }) {
  if (noise.kind === "gaussian") return null;
  const loss =
    noise.kind === "count"
      ? composedDiscreteLoss({ epsilon0: noise.epsilon0, sensitivity: 1, count: 1 })
      : noise.split === "even" && noise.k > 1
        ? jointLoss({ levels: Array.from({ length: noise.k }, () => noise.epsilon0 / noise.k), resolution: 2520 })
        : composedLoss({ epsilon0: noise.epsilon0, count: 1, resolution: 252 });
  return (
    <Card>
      <Figure
        level={2}
        chart={(size) => lossDistributionChart({ title: "The law of the loss", loss, bars: 21 }, size)}
        caption="How likely each size of loss is, for the pair above. The columns at the ends hold the atoms at ±ε₀."
      />
    </Card>
  );
}
