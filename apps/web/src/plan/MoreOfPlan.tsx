import type { AccountantOutcome } from "@dosimeter/planner";
import { dotRows, formatNumber } from "@dosimeter/plot";
import { activeRuleText } from "../charts.ts";
import { Figure } from "../parts/Figure.tsx";
import { Card } from "../parts/Page.tsx";
import { DerivedColumns } from "./DerivedColumns.tsx";
import { HelpCard } from "./HelpCard.tsx";
import { JoinedColumns } from "./JoinedColumns.tsx";
import type { PlanBenchProperties } from "./plan-bench.ts";
import { Risk } from "./Risk.tsx";

const accountantNames = {
  addition: "Addition",
  optimal: "Optimal",
  zcdp: "zCDP",
  gaussian: "Exact Gaussian",
} as const;

const noiseNames = {
  "as chosen": "the noise as chosen",
  laplace: "Laplace noise",
  gaussian: "Gaussian noise",
} as const;

/** The mean error of the plan under each way of adding up, the winner first, and why it wins. */
function Accountants({
  outcomes,
  delta,
  inForce,
}: {
  outcomes: readonly AccountantOutcome[];
  /** The δ they are compared at; null while there is nothing to compare. */
  delta: string | null;
  inForce: string | null;
}) {
  const known = outcomes.filter(({ meanError }) => meanError !== null);
  const [winner, second] = known;
  if (winner === undefined)
    return delta === null || Number(delta) > 0 ? null : (
      <Card title="Accounting methods" aside={<HelpCard term="accountant" />}>
        <p className="soft small flush">
          With δ = 0 there is one way: the shares of ε add up. The other ways all need a small δ; with ten answers or
          fewer they would hardly help.
        </p>
      </Card>
    );
  const gain =
    second?.meanError == null || winner.meanError === null || winner.meanError === 0
      ? null
      : second.meanError / winner.meanError;
  // Equal as far as the chart shows it.
  const isEven =
    second?.meanError != null && formatNumber(second.meanError, 3) === formatNumber(winner.meanError ?? Number.NaN, 3);
  return (
    <Card title="Accounting methods" aside={<HelpCard term="accountant" />}>
      <Figure
        isBare
        chart={(size) =>
          dotRows(
            {
              title: "Mean error by accountant",
              names: known.map(({ accountant }, index) => `${accountantNames[accountant]}${index === 0 ? " ✓" : ""}`),
              nameLabel: "accountant",
              valueLabel: "error ÷ target",
              includeZero: true,
              series: [{ name: "mean error", values: known.map(({ meanError }) => ({ value: meanError ?? 0 })) }],
            },
            size,
          )
        }
      />
      <p className="soft small flush">
        {accountantNames[winner.accountant]} with {noiseNames[winner.noise]}
        {isEven
          ? ` and ${accountantNames[second.accountant]} with ${noiseNames[second.noise]} are equal`
          : gain === null || gain < 1.005
            ? " wins, by a small margin"
            : ` wins: the next would have ${formatNumber(gain, 3)} times the error`}
        , nothing held.{" "}
        {winner.accountant === "gaussian"
          ? "Gaussian noise adds up slowly over many answers."
          : "Few answers: plain sums waste nothing."}
        {inForce === null ? "" : ` This ledger adds up by ${inForce}; only its admins can change that.`}
      </p>
    </Card>
  );
}

/** Below the table: ways of adding up, risk, and columns made from others. */
export function MoreOfPlan({
  planner,
  outcomes,
  comparedAt,
  risk,
}: Pick<PlanBenchProperties, "planner" | "risk"> & {
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
        <Risk {...risk} />
      </div>
      {declaration.joinable === undefined ? null : (
        <JoinedColumns draft={draft} declaration={declaration} joinable={declaration.joinable} onEdit={edit} />
      )}
      <DerivedColumns draft={draft} declaration={declaration} onEdit={edit} />
    </>
  );
}
