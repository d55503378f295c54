import { noiseWords, type ReportedAnswer } from "@dosimeter/plot/report";
import type { Answer } from "@dosimeter/query/answer";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRelease } from "../api/releases.ts";
import { Amount } from "../parts/Amount.tsx";

/** The earlier releases that an answer was made from, by title, once someone wants to see them. */
function Sources({ of }: { of: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{of.length === 1 ? "The earlier release" : `The ${of.length} earlier releases`}</summary>
      {isOpen ? (
        <ul>
          {of.map((release) => (
            <Source key={release} release={release} />
          ))}
        </ul>
      ) : null}
    </details>
  );
}

function Source({ release }: { release: string }) {
  const { data, error } = useRelease(release);
  return (
    <li>
      {error !== null ? (
        "One that you may not read"
      ) : (
        <Link to="/releases/$release" params={{ release }}>
          {data?.title ?? "…"}
        </Link>
      )}
    </li>
  );
}

/** What an answer cost, its noise and what to know about it. */
export function CostLine({ answer }: { answer: ReportedAnswer }) {
  const { cost } = answer;
  const { origin } = answer as Pick<Answer, "origin">;
  const sources = [...new Set(origin?.from.map(({ release }) => release))];
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
      {sources.length === 0 ? null : <Sources of={sources} />}
    </div>
  );
}
