import { formatNumber } from "@dosimeter/plot";
import { bothSourcesChart, sampleSizeChart } from "@dosimeter/plot/risk";
import { attackAccuracy, publicRecords, samplerForRisk, sampleSize } from "@dosimeter/risk";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import type { RiskTask } from "../../worker/run-task.ts";
import { ChoiceInput, NumberInput, useFields } from "./fields.tsx";
import { type OwnTable, OwnTableInput, reasonOf } from "./OwnTableInput.tsx";
import { publicData } from "./public-data.ts";
import { SampledDistances } from "./SampledDistances.tsx";
import { Assumptions, Sentence } from "./Sentence.tsx";
import { equationSix, fields, type Values } from "./sampling-fields.ts";
import { useTask, Working } from "./Working.tsx";

/** Panel (b): the empirical distribution of sensitivities as it forms, and figures 4 to 6. */
export function SampledSensitivity() {
  const state = useFields(fields);
  const { values, texts } = state;
  const task = useTask();
  const [drawn, setDrawn] = useState<RiskTask & { readonly kind: "sample" }>();
  const [own, setOwn] = useState<OwnTable>();
  const choice = texts.data;
  const start = (given: Values) => {
    const source = sourceOf(given, own);
    if (source === undefined) return;
    const { statistic, size, pairs, seed } = given;
    const next = { kind: "sample", ...source, statistic, size, pairs, seed } as const;
    setDrawn(next);
    task.start(next);
  };
  return (
    <>
      <Sentence />
      <Card title="Settings">
        <div className="field-grid">
          <ChoiceInput
            of={state}
            name="data"
            label="Records"
            choices={{
              ...Object.fromEntries(Object.entries(publicData).map(([name, { title }]) => [name, title])),
              own: "A table of mine, public or synthetic",
              private: "A table with private rows",
            }}
          />
          <ChoiceInput
            of={state}
            name="statistic"
            label="Statistic"
            choices={{
              mean: "Mean",
              sum: "Sum",
              variance: "Variance",
              median: "Median",
              ridge: "Ridge regression (last column on the others)",
            }}
          />
          <NumberInput of={state} name="size" label="Records in each dataset" />
          <NumberInput of={state} name="pairs" label="Pairs to draw" />
          <NumberInput of={state} name="risk" label="Risk" hint="Share of pairs above" />
          <NumberInput of={state} name="rho" label="ρ of equation (5)" />
          <NumberInput of={state} name="beta" label="Chance of a wrong bound, β" />
          <NumberInput of={state} name="epsilon0" label="ε₀ (charged)" />
          <NumberInput of={state} name="epsilon" label="Level ε" />
          <NumberInput of={state} name="ratio" label="η of equation (6)" hint="Δ over the sampled one" />
          <NumberInput of={state} name="samples" label="n of equation (6)" hint="Pairs sampled" />
          <NumberInput of={state} name="proved" label="Proved Δ, if any" hint="Empty: unknown" />
          <NumberInput of={state} name="seed" label="Seed" hint="Same seed, same pairs" />
        </div>
        {choice === "own" ? <OwnTableInput onTable={setOwn} /> : null}
        <div className="field-actions">
          <Button
            disabled={values === undefined || choice === "private" || (choice === "own" && own === undefined)}
            onClick={() => values !== undefined && start(values)}
          >
            Draw pairs
          </Button>
        </div>
      </Card>
      {choice === "private" ? <PrivateRefused /> : null}
      {task.total > 0 ? (
        <Card>
          <Working of={task} what="Sampling pairs" onStop={task.stop} />
        </Card>
      ) : null}
      {values !== undefined && drawn !== undefined && task.distances.length > 0 ? (
        <SampledDistances distances={task.distances} of={values} task={drawn} />
      ) : null}
      {values === undefined ? null : <PublishedSampling of={values} />}
      <Assumptions
        of={{
          Records: drawn === undefined ? "none drawn yet" : `${drawn.provenance}: ${drawn.origin}`,
          Drawing: "each record independently from these records; private rows are refused",
          "Who is covered":
            "covers pairs drawn from these records only, not the outlier that differential privacy protects",
          Neighbours: "replace-one: all records but one in common",
          "ε₀, Δ": `ε₀ = ${texts.epsilon0}; Δ is the sampled order statistic, not a proved sensitivity`,
          "Attack accuracy":
            values === undefined
              ? "–"
              : `for a pair at Δ the best guess is right ${formatNumber(100 * attackAccuracy(values.epsilon0), 3)} times in 100`,
          "Which γ": "γ₂: share of pairs; γ₃: with the noise; risk = 1 − γ",
        }}
      />
    </>
  );
}

function sourceOf({ data }: Values, own: OwnTable | undefined) {
  if (data === "private") return undefined;
  if (data !== "own") {
    const { provenance, origin, rows } = publicData[data];
    return { provenance, origin, rows: rows() };
  }
  return own === undefined ? undefined : { provenance: "public", ...own };
}

/** The library's own refusal, in its own words. */
function PrivateRefused() {
  const said = reasonOf(() => publicRecords({ provenance: "private", origin: "a table with private rows", rows: [] }));
  return (
    <Notice tone="danger" title="Refused" isAlert>
      <p>
        {said}. Rows of a declared dataset cannot enter this procedure, here or in the library: the sampled sensitivity
        itself would reveal something about the rows, and no theorem covers that.
      </p>
    </Notice>
  );
}

const FIGURE_RATIO = 1 + (2 * 0.01) / 0.15;

function PublishedSampling({ of: values }: { of: Values }) {
  const { risk, rho } = values;
  const sampler = risk > 0 ? samplerForRisk(risk) : undefined;
  return (
    <div className="risk-pair">
      <Card>
        <Figure
          level={2}
          chart={(size) => sampleSizeChart({ accuracies: [0.0001, 0.001, 0.01, 0.1] }, size)}
          caption="Figure 4: ln(2/(1 − α))/(2ρ²) samples, as published."
        />
      </Card>
      <BothSources
        settings={[0.01, 0.012, 0.015, 0.02].map((accuracy) => ({ accuracy, samples: 10_000 }))}
        caption="Figure 5, as published: ε₀ = 1, Δ_S = 0.15, n = 10,000; η = 1 + 2ρ/Δ_S was kept at ρ = 0.01 for all curves, and adds a probability to a ratio of sensitivities."
      />
      <BothSources
        settings={[10_000, 15_000, 20_000, 25_000].map((samples) => ({ accuracy: 0.01, samples }))}
        caption="Figure 6, as published: ρ = 0.01. The risk falls as n grows; the paper's text says it rises."
      />
      <Card title="Equations (6) and (7), as published">
        <Facts of={equationSix(values)} />
        <p className="soft small">
          For the level ε, ε₀, ρ, η and n above. It is not a bound: both parts are as published, and η adds a
          probability to a ratio of sensitivities in the figures.
        </p>
      </Card>
      <Card title="Samples for this risk">
        <Facts
          of={{
            "Equation (5), factor 0.95, this ρ": formatNumber(sampleSize({ accuracy: rho, factor: 0.95 }).twoSided, 7),
            "One-sided": formatNumber(sampleSize({ accuracy: rho, factor: 0.95 }).oneSided, 7),
            "Rubinstein and Aldà, this risk":
              sampler === undefined ? "–" : `${sampler.samples} samples, order statistic ${sampler.order}`,
          }}
        />
      </Card>
    </div>
  );
}

function BothSources(of: { settings: readonly { accuracy: number; samples: number }[]; caption: string }) {
  const settings = of.settings.map((each) => ({ ...each, ratio: FIGURE_RATIO }));
  return (
    <Card>
      <Figure level={2} chart={(size) => bothSourcesChart({ epsilon0: 1, settings }, size)} caption={of.caption} />
    </Card>
  );
}
