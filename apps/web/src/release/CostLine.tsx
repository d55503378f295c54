import { noiseWords, type ReportedAnswer } from "@dosimeter/plot/report";
import { Amount } from "../parts/Amount.tsx";

/** What an answer cost, its noise and what to know about it. */
export function CostLine({ answer }: { answer: ReportedAnswer }) {
  const { cost } = answer;
  return (
    <div className="small soft">
      <p>
        Cost{" "}
        {"epsilon" in cost ? (
          <Amount unit="ε" of={cost.epsilon} />
        ) : (
          <>
            ρ <Amount of={cost.rho} />
          </>
        )}
        {cost.delta === undefined ? null : (
          <>
            , δ <Amount of={cost.delta} />
          </>
        )}{" "}
        · {noiseWords(answer)}
      </p>
      {answer.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}
