import { formatNumber } from "@dosimeter/plot";
import { bothSourcesChart, sampleSizeChart } from "@dosimeter/plot/risk";
import { samplerForRisk, sampleSize } from "@dosimeter/risk";
import { Figure } from "../../parts/Figure.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import { equationSix, type Values } from "./sampling-fields.ts";

const FIGURE_RATIO = 1 + (2 * 0.01) / 0.15;

export function PublishedSampling({ of: values }: { of: Values }) {
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
