import { formatNumber, oddsGrid } from "@dosimeter/plot";
import { useState } from "react";
import { atMostOf100, type Exposure, ofHundred, posterior, rightAfter } from "../parts/calculus.ts";
import { Figure } from "../parts/Figure.tsx";
import { Card } from "../parts/Page.tsx";
import { HelpCard } from "./HelpCard.tsx";

const priors = [0.01, 0.1, 0.5];

/** What a plan may reveal about a person, alone and after all that was released before it. */
export interface PlanRisk {
  readonly plan: Exposure;
  /** The plan and every earlier answer of its ledger; null where there is no ledger. */
  readonly whole: Exposure | null;
  /** The ε that the owner promises for everything ever released; null where there is no ledger. */
  readonly promised: number | null;
}

/** In guesses, and in odds. It counts what is bought, not what the lifetime would still allow. */
export function Risk({ plan, whole, promised }: PlanRisk) {
  const [prior, setPrior] = useState(0.1);
  const all = whole ?? plan;
  const [alone, together] = [rightAfter(plan), rightAfter(all)];
  return (
    <Card title="Risk" aside={<HelpCard term="epsilon" />}>
      <p className="small flush-top">
        With this plan alone, guesses whether you took part are right up to <strong>{ofHundred(alone)} %</strong>
        {whole === null ? null : (
          <>
            {" "}
            of the time; with all earlier answers, up to <strong>{ofHundred(together)} %</strong>
          </>
        )}{" "}
        (a coin: 50 %).
      </p>
      <Figure
        isBare
        chart={(size) =>
          oddsGrid(
            { title: "Guessing who took part", times: atMostOf100(together), event: "such a guess is right" },
            size,
          )
        }
      />
      {all.mu2 > 0 ? null : (
        <label className="small">
          A suspicion of{" "}
          <select value={prior} onChange={(event) => setPrior(Number(event.currentTarget.value))}>
            {priors.map((each) => (
              <option key={each} value={each}>
                {100 * each} in 100
              </option>
            ))}
          </select>{" "}
          becomes at most <strong>{ofHundred(posterior(prior, all.epsilon))} in 100</strong>.
        </label>
      )}
      {all.delta > 0 ? (
        <p className="soft small flush-bottom">
          Apart from that there is, at worst, a chance of {formatNumber(all.delta, 2)} (δ) that all is given away.
        </p>
      ) : null}
      {promised === null ? null : (
        <p className="soft small flush-bottom">
          The owner promises ε {formatNumber(promised, 3)} for everything ever released, by anyone.
        </p>
      )}
    </Card>
  );
}
