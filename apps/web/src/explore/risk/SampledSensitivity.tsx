import { PrivacyError } from "@dosimeter/core";
import {
  attackAccuracy,
  noiseRatio,
  publicRecords,
  readDistances,
  readNumericColumns,
  sampledConfidence,
  samplerForRisk,
  sampleSize,
} from "@dosimeter/core/risk";
import { formatNumber } from "@dosimeter/plot";
import { bothSourcesChart, distancesChart, sampleSizeChart } from "@dosimeter/plot/risk";
import { Button, FileInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import { choiceField, numberField, optionalField, type ValuesOf } from "./field.ts";
import { Choice, NumberInput, useFields } from "./fields.tsx";
import { type PublicDataName, publicData } from "./public-data.ts";
import type { RiskTask } from "./run-task.ts";
import { Assumptions, Sentence } from "./Sentence.tsx";
import { useTask } from "./use-task.ts";
import { Working } from "./Working.tsx";

const share = { above: 0, below: 1 } as const;
const fields = {
  data: choiceField([...(Object.keys(publicData) as PublicDataName[]), "own", "private"] as const, "ages"),
  statistic: choiceField(["sum", "mean", "variance", "median", "ridge"], "mean"),
  size: numberField("100", { min: 1, max: 100_000, isWhole: true }),
  pairs: numberField("2000", { min: 1, max: 200_000, isWhole: true }),
  risk: numberField("0.05", { min: 0, below: 1 }),
  rho: numberField("0.01", share),
  beta: numberField("0.05", share),
  epsilon0: numberField("1", { above: 0, max: 600 }),
  epsilon: numberField("0.5", { min: 0, max: 600 }),
  proved: optionalField({ above: 0 }),
  seed: numberField("0", { min: 0, isWhole: true }),
};
type Values = ValuesOf<typeof fields>;

interface OwnTable {
  readonly rows: readonly (readonly number[])[];
  readonly origin: string;
}

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
          <Choice
            of={state}
            name="data"
            label="Records"
            choices={{
              ...Object.fromEntries(Object.entries(publicData).map(([name, { title }]) => [name, title])),
              own: "A table of mine, public or synthetic",
              private: "A table with private rows",
            }}
          />
          <Choice
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
        <Sampled distances={task.distances} of={values} task={drawn} />
      ) : null}
      {values === undefined ? null : <Published of={values} />}
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
        {said}. What a query reads from a declared dataset has no way into this procedure, here or in the library: the
        sampled sensitivity itself would tell of the rows, and no theorem covers that.
      </p>
    </Notice>
  );
}

function reasonOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return error instanceof PrivacyError ? error.message : "The table cannot be read";
  }
}

function OwnTableInput({ onTable }: { onTable: (table: OwnTable | undefined) => void }) {
  const [columns, setColumns] = useState("");
  const [origin, setOrigin] = useState("");
  const [text, setText] = useState<string>();
  const names = columns.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  const offer = (next: { text?: string | undefined; columns?: readonly string[]; origin?: string }) => {
    const [given, chosen, where] = [next.text ?? text, next.columns ?? names, next.origin ?? origin];
    if (given === undefined || where.trim() === "") return onTable(undefined);
    try {
      const rows = readNumericColumns(given, chosen);
      publicRecords({ provenance: "public", origin: where, rows });
      onTable({ rows, origin: where });
    } catch {
      onTable(undefined);
    }
  };
  const fault = text === undefined ? undefined : reasonOf(() => readNumericColumns(text, names));
  return (
    <div className="field-grid" style={{ marginTop: 16 }}>
      <FileInput
        label="CSV file"
        description="Stays in this browser"
        placeholder="Choose a file"
        accept=".csv,text/csv"
        error={fault}
        onChange={(file) => {
          void file?.text().then((read) => {
            setText(read);
            offer({ text: read });
          });
        }}
      />
      <TextInput
        label="Columns"
        description="By commas; empty: the first"
        value={columns}
        onChange={(event) => {
          const value = event.currentTarget.value;
          setColumns(value);
          offer({ columns: value.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])) });
        }}
      />
      <TextInput
        label="I state that these records are public or synthetic, from"
        description="Shown beside every result"
        value={origin}
        onChange={(event) => {
          setOrigin(event.currentTarget.value);
          offer({ origin: event.currentTarget.value });
        }}
      />
    </div>
  );
}

function Sampled({
  distances,
  of: values,
  task,
}: {
  distances: readonly number[];
  of: Values;
  task: RiskTask & { readonly kind: "sample" };
}) {
  const { risk, rho, beta, epsilon0, epsilon, proved } = values;
  const read = readDistances({ distances, level: 1 - risk, accuracy: rho, failureProbability: beta });
  const both =
    read.sensitivity > 0
      ? sampledConfidence({
          losses: distances.map((distance) => (epsilon0 * distance) / read.sensitivity),
          epsilon,
          failureProbability: beta,
        })
      : undefined;
  const ratio = proved === undefined ? Number.POSITIVE_INFINITY : Math.max(1, proved / read.sensitivity);
  const published = read.sensitivity > 0 ? noiseRatio({ epsilon, epsilon0, ratio }) * (1 - risk) : undefined;
  return (
    <>
      <div className="risk-pair">
        <Card>
          <Figure
            level={2}
            chart={(size) => distancesChart({ distances, level: 1 - risk, sensitivity: read.sensitivity }, size)}
            caption={`${task.statistic} of ${task.size} records; ${task.origin}.`}
          />
        </Card>
        <Card title="What it covers">
          <Facts
            of={{
              "Sampled sensitivity": `${formatNumber(read.sensitivity, 5)} (order statistic ${read.orderStatistic} of ${distances.length})`,
              "Largest seen": formatNumber(read.largest, 5),
              "A new pair lies at or below": `with probability ${formatNumber(read.marginal, 5)}`,
              "Equation (5), as published": `${formatNumber(read.published, 5)}, which is not a bound`,
              "The same, corrected": formatNumber(read.corrected, 5),
              "γ₃ of equation (7), as published":
                published === undefined
                  ? "–"
                  : `${formatNumber(published, 5)}${proved === undefined ? " (Δ unknown: η = ∞)" : ""}`,
              [`P(|L| ≤ ${formatNumber(epsilon)}) over pairs and noise`]:
                both === undefined
                  ? "every pair is alike"
                  : `${formatNumber(both.estimate, 4)} ± ${formatNumber(both.halfWidth, 2)}`,
              [`P(L > ${formatNumber(epsilon)})`]: both === undefined ? "–" : formatNumber(both.tail, 4),
            }}
          />
        </Card>
      </div>
      {read.certified === undefined ? (
        <Notice tone="warn" title="Too few samples for the wanted confidence">
          <p>
            {Number.isFinite(read.pairsNeeded)
              ? `No order statistic of ${distances.length} pairs covers ${formatNumber(100 * (1 - risk))} % of all pairs with confidence ${formatNumber(1 - beta)}: at least ${read.pairsNeeded} pairs are needed.`
              : "No number of samples shows that all pairs lie at or below the largest seen: the risk must be above 0."}
          </p>
        </Notice>
      ) : (
        <Notice
          tone="good"
          title={`Covers ${formatNumber(100 * (1 - risk))} % of pairs with confidence ${formatNumber(1 - beta)}`}
        >
          <p>
            From {formatNumber(read.certified.sensitivity, 5)} on: order statistic {read.certified.order} of{" "}
            {distances.length}. Pairs drawn from these records only.
          </p>
        </Notice>
      )}
    </>
  );
}

const FIGURE_RATIO = 1 + (2 * 0.01) / 0.15;

function Published({ of: { risk, rho } }: { of: Values }) {
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
      <Card>
        <Figure
          level={2}
          chart={(size) =>
            bothSourcesChart(
              {
                epsilon0: 1,
                settings: [0.01, 0.012, 0.015, 0.02].map((accuracy) => ({
                  accuracy,
                  samples: 10_000,
                  ratio: FIGURE_RATIO,
                })),
              },
              size,
            )
          }
          caption="Figure 5, as published: ε₀ = 1, Δ_S = 0.15, n = 10,000; η = 1 + 2ρ/Δ_S was kept at ρ = 0.01 for all curves, and adds a probability to a ratio of sensitivities."
        />
      </Card>
      <Card>
        <Figure
          level={2}
          chart={(size) =>
            bothSourcesChart(
              {
                epsilon0: 1,
                settings: [10_000, 15_000, 20_000, 25_000].map((samples) => ({
                  accuracy: 0.01,
                  samples,
                  ratio: FIGURE_RATIO,
                })),
              },
              size,
            )
          }
          caption="Figure 6, as published: ρ = 0.01. The risk falls as n grows; the paper's text says it rises."
        />
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
