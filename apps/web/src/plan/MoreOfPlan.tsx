import type { AccountantOutcome } from "@dosimeter/planner";
import { formatNumber, oddsGrid } from "@dosimeter/plot";
import { useState } from "react";
import { activeRuleText } from "../charts.ts";
import { atMostOf100, posterior, rightOf100 } from "../parts/calculus.ts";
import { Figure } from "../parts/Figure.tsx";
import { Card } from "../parts/Page.tsx";
import { Accountants } from "./Accountants.tsx";
import { DerivedColumns } from "./DerivedColumns.tsx";
import { HelpCard } from "./HelpCard.tsx";
import { JoinedColumns } from "./JoinedColumns.tsx";
import type { PlanBenchProperties } from "./plan-bench.ts";

/** Below the table: ways of adding up, risk, and columns made from others. */
export function MoreOfPlan({
  planner,
  outcomes,
  comparedAt,
  scope,
}: Pick<PlanBenchProperties, "planner" | "scope"> & {
  outcomes: readonly AccountantOutcome[];
  comparedAt: string;
}) {
  const { bench, edit } = planner;
  const { draft, declaration } = bench;
  return (
    <>
      <div className="plan-pair">
        <Accountants
          outcomes={outcomes}
          delta={draft.rows.some((row) => row.isComplete) ? comparedAt : null}
          inForce={draft.headroom === null ? null : activeRuleText(draft.headroom.activeRule)}
        />
        <Risk {...scope} scope={scope.words} />
      </div>
      {declaration.joinable === undefined ? null : (
        <JoinedColumns draft={draft} declaration={declaration} joinable={declaration.joinable} onEdit={edit} />
      )}
      <DerivedColumns draft={draft} declaration={declaration} onEdit={edit} />
    </>
  );
}

const priors = [0.01, 0.1, 0.5];

/** What the whole budget reveals about a person, in odds. It is about the promise, not about one row. */
export function Risk({ epsilon, delta, scope }: { epsilon: number; delta: number; scope: string }) {
  const [prior, setPrior] = useState(0.1);
  const right = rightOf100(epsilon);
  return (
    <Card title="Risk" aside={<HelpCard term="epsilon" />}>
      <p className="small flush-top">
        With ε {formatNumber(epsilon, 3)} {scope}: of 100 times someone guesses from everything published whether you
        took part, right at most {right}; 50 is a coin.
      </p>
      <Figure
        isBare
        chart={(size) =>
          oddsGrid({ title: "Guessing who took part", times: right, event: "such a guess is right" }, size)
        }
      />
      <label className="small">
        A suspicion of{" "}
        <select value={prior} onChange={(event) => setPrior(Number(event.currentTarget.value))}>
          {priors.map((each) => (
            <option key={each} value={each}>
              {100 * each} in 100
            </option>
          ))}
        </select>{" "}
        becomes at most <strong>{atMostOf100(posterior(prior, epsilon))} in 100</strong>.
      </label>
      {delta > 0 ? (
        <p className="soft small flush-bottom">
          Apart from that there is, at worst, a chance of {formatNumber(delta, 2)} (δ) that all is given away.
        </p>
      ) : null}
    </Card>
  );
}
