import { formatNumber } from "@dosimeter/plot";
import { lossChart, type RiskNoise, riskChart } from "@dosimeter/plot/risk";
import { dominationThreshold } from "@dosimeter/risk";
import { Button } from "@mantine/core";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card } from "../../parts/Page.tsx";
import { choiceField, listField, numberField, type ValuesOf } from "./field.ts";
import { ChoiceInput, NumberInput, useFields } from "./fields.tsx";
import { LossDistribution, Readings, Truth } from "./Readings.tsx";
import { Assumptions, RedNote, Sentence } from "./Sentence.tsx";

const fields = {
  noise: choiceField(["laplace", "count", "gaussian"], "laplace"),
  epsilon0: listField("0.8", { above: 0, max: 600 }),
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
          <ChoiceInput
            of={state}
            name="noise"
            label="Noise"
            choices={{ laplace: "Laplace, continuous", count: "Discrete Laplace on a count", gaussian: "Gaussian" }}
          />
          {noise === "gaussian" ? (
            <NumberInput of={state} name="mu" label="μ = Δ₂/σ" />
          ) : (
            <NumberInput of={state} name="epsilon0" label="ε₀ (charged)" hint="One or several, separated by commas" />
          )}
          {noise === "laplace" ? (
            <NumberInput of={state} name="k" label="Dimension k" hint="One or several, separated by commas" />
          ) : null}
          <NumberInput of={state} name="epsilon" label="Level ε to read" />
          {noise === "laplace" ? (
            <ChoiceInput
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

/** With more coordinates than this the transform of the loss would take too long for a page. */
const MAX_COORDINATES = 1000;

function Meaning({ of: values }: { of: Values }) {
  const { epsilon, pair } = values;
  if (values.noise === "laplace" && pair === "even" && Math.max(...values.k) > MAX_COORDINATES) {
    return (
      <Notice tone="warn" title="Too many coordinates for an even split">
        <p>
          The true loss of an even split is computed up to k = {MAX_COORDINATES}; the published model and the worst pair
          go on to a million.
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
        <LossDistribution noise={noise} />
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
