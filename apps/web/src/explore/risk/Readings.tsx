import { formatNumber } from "@dosimeter/plot";
import { factsOf, lossDistributionChart, type RiskNoise } from "@dosimeter/plot/risk";
import {
  attackAccuracy,
  composedDiscreteLoss,
  composedLoss,
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
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Card, Facts } from "../../parts/Page.tsx";

interface ReadingsProps {
  settings: readonly { epsilon0: number; k: number }[];
  epsilon: number;
  pair: "one" | "even";
}

export function Readings({ settings, epsilon, pair }: ReadingsProps) {
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
            ? `The overlap of the two noise distributions, Lap(1/ε₀) and Lap(1/ε), from appendix A: ${formatNumber(laplaceOverlap({ epsilon0: first.epsilon0, epsilon }), 4)}; it says nothing of neighbours.`
            : ""}
        </p>
      )}
    </Card>
  );
}

export function Truth({ noise, epsilon }: { noise: RiskNoise; epsilon: number }) {
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

export function LossDistribution({ noise }: { noise: RiskNoise }) {
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
        chart={(size) => lossDistributionChart({ title: "Distribution of the privacy loss", loss, bars: 21 }, size)}
        caption="How likely each size of loss is, for the pair above. The columns at the ends hold the atoms at ±ε₀."
      />
    </Card>
  );
}
