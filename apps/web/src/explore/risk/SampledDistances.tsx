import { formatNumber } from "@dosimeter/plot";
import { distancesChart } from "@dosimeter/plot/risk";
import { noiseRatio, readDistances, sampledConfidence } from "@dosimeter/risk";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import type { RiskTask } from "../../worker/run-task.ts";
import type { Values } from "./sampling-fields.ts";

interface SampledDistancesProps {
  distances: readonly number[];
  of: Values;
  task: RiskTask & { readonly kind: "sample" };
}

export function SampledDistances({ distances, of: values, task }: SampledDistancesProps) {
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
