import { formatNumber, shortName } from "@dosimeter/plot";
import {
  advantage,
  areaUnderCurve,
  bayesAccuracy,
  leastEpsilon,
  leastMu,
  likelihoodRatio,
  precision,
  type TradeoffFunction,
} from "@dosimeter/tradeoff";
import { Slider } from "@mantine/core";
import { useId } from "react";
import { DataTable } from "../../parts/DataTable.tsx";
import { CommitNumber } from "../../parts/fields.tsx";
import { SHARE } from "../../parts/number-text.ts";
import type { Shown } from "./use-curves.ts";

/** The most kinks in one cell. */
const MAX_KINKS = 3;

/** Where a piecewise-linear curve bends, as pairs of type I and type II error. */
export function kinksText(curve: TradeoffFunction): string {
  if (curve.atoms === null) return "none, it is smooth";
  const kinks = curve().filter(({ alpha, beta }) => alpha > 0 && beta > 0);
  const shown = kinks
    .slice(0, MAX_KINKS)
    .map(({ alpha, beta }) => `(${formatNumber(alpha, 4)}, ${formatNumber(beta, 4)})`);
  const more = kinks.length - shown.length;
  return shown.length === 0 ? "none" : `${shown.join(" ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const STEPS = 60;
const MIN = 1e-6;
const rateAt = (position: number): number => Number((MIN * (0.5 / MIN) ** (position / STEPS)).toPrecision(1));
const positionOf = (rate: number): number => Math.round((STEPS * Math.log(rate / MIN)) / Math.log(0.5 / MIN));
const priors = [0.001, 0.01, 0.1, 0.5];

const percent = (value: number): string => `${formatNumber(100 * value, 3)} %`;

interface AttackTableProps {
  shown: readonly Shown[];
  rate: number;
  prior: number;
  onRate: (rate: number) => void;
  onPrior: (prior: number) => void;
}

/** The success of the best attack at one false positive rate, for each curve. */
export function AttackTable({ shown, rate, prior, onRate, onPrior }: AttackTableProps) {
  const [rateId, priorId] = [useId(), useId()];
  const rows = shown.flatMap(({ name, curve }) => (curve === null ? [] : [{ name, curve }]));
  return (
    <div className="stack">
      <div className="attack-controls">
        <div>
          <span id={rateId}>
            False positives allowed: <strong>{percent(rate)}</strong>
          </span>
          <Slider
            min={0}
            max={STEPS}
            value={Math.min(STEPS, Math.max(0, positionOf(rate)))}
            onChange={(position) => onRate(rateAt(position))}
            label={null}
            thumbLabel="false positive rate"
            thumbValueText={percent(rate)}
          />
          <CommitNumber
            label="Type I error α"
            wish={SHARE}
            value={String(rate)}
            onCommit={(typed) => void onRate(typed?.value ?? 0)}
          />
        </div>
        <fieldset className="priors">
          <legend id={priorId}>Chance that the person is in the data</legend>
          {priors.map((value) => (
            <label key={value}>
              <input type="radio" name={priorId} checked={prior === value} onChange={() => onPrior(value)} />{" "}
              {percent(value)}
            </label>
          ))}
        </fieldset>
      </div>
      <DataTable
        caption="What the best attack reaches against each curve"
        isCaptionHidden
        isStacking
        rows={rows}
        keyOf={({ name }, index) => `${index} ${name}`}
        columns={[
          {
            name: "Curve",
            isHead: true,
            cell: ({ name }) => (
              <span className="whole" title={name}>
                {shortName(name)}
              </span>
            ),
          },
          { name: "Kinks (α, β)", cell: ({ curve }) => wholePairs(kinksText(curve)) },
          { name: "Type II error β", isNumber: true, cell: ({ curve }) => formatNumber(curve(rate), 4) },
          { name: "True positives", isNumber: true, cell: ({ curve }) => percent(curve.power(rate)) },
          {
            name: "Correct accusations",
            isNumber: true,
            cell: ({ curve }) => percent(precision(curve, rate, prior)),
          },
          {
            name: "Likelihood ratio",
            isNumber: true,
            cell: ({ curve }) => formatNumber(likelihoodRatio(curve, rate), 3),
          },
          { name: "Best accuracy", isNumber: true, cell: ({ curve }) => percent(bayesAccuracy(curve, prior)) },
          { name: "Advantage", isNumber: true, cell: ({ curve }) => formatNumber(advantage(curve), 3) },
          { name: "Area", isNumber: true, cell: ({ curve }) => formatNumber(areaUnderCurve(curve), 4) },
          { name: "ε at δ = 10⁻⁵", isNumber: true, cell: ({ curve }) => formatNumber(leastEpsilon(curve, 1e-5), 4) },
          { name: "Smallest μ", isNumber: true, cell: ({ curve }) => formatNumber(leastMu(curve), 4) },
        ]}
      />
    </div>
  );
}

/** Breaks between points, not inside one. */
const wholePairs = (points: string): string => points.replaceAll(/, (?=[^(]*\))/g, ",\u00a0");
