import { formatNumber } from "@dosimeter/plot";
import type { UnitNoun } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Chooser } from "../explore/choosing/Chooser.tsx";
import { chosenOf, useChooser } from "../explore/choosing/chooser-state.ts";
import { Epsilon } from "../explore/epsilon/Epsilon.tsx";
import { Notice } from "../parts/Notice.tsx";
import { numberOf } from "../parts/number-text.ts";
import { QuotaPresets } from "./Presets.tsx";
import type { QuotaNoun, Room } from "./quota.ts";
import "./new-dataset.css";

/** Choosing ε next to the input that asks for it: the questions, the range they leave, and where the typed ε lies in it. */
export function ChooseEpsilon({
  people,
  delta,
  epsilon,
  title = "Help me choose ε",
  noun,
  quota,
  onUse,
}: {
  people?: number | undefined;
  delta?: string | undefined;
  /** As typed; "" while nothing is. */
  epsilon: string;
  title?: string;
  /** What the protected units are called. */
  noun?: UnitNoun;
  /** For one holder's quota, which is a part of a lifetime and not judged as one. */
  quota?: { readonly room: Room | undefined; readonly noun: QuotaNoun | undefined };
  /** Fills the input. */
  onUse: (epsilon: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card chooser-inside" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {!isOpen ? null : quota === undefined ? (
        <Questions {...{ people, delta, epsilon, noun, onUse }} />
      ) : (
        <QuotaPresets {...quota} {...{ people, epsilon, onUse }} />
      )}
    </details>
  );
}

/** The largest ε of the range, never rounded up. */
const mostOf = (most: number): string => {
  const step = 10 ** (Math.floor(Math.log10(most)) - 1);
  return String(Number((Math.floor(most / step) * step).toPrecision(2)));
};

function Questions({
  people,
  delta,
  epsilon,
  noun,
  onUse,
}: {
  people: number | undefined;
  delta: string | undefined;
  epsilon: string;
  noun: UnitNoun | undefined;
  onUse: (epsilon: string) => void;
}) {
  const state = useChooser({
    ...(people === undefined ? {} : { people: String(people) }),
    ...(delta === undefined || delta.trim() === "" ? {} : { delta }),
  });
  const chosen = chosenOf(state);
  const typed = numberOf(epsilon);
  const where =
    chosen === undefined || chosen.isConflict || !(typed > 0)
      ? undefined
      : typed < chosen.least
        ? `Your ε ${epsilon} is below it: the errors would be larger than you accept.`
        : typed > chosen.most
          ? `Your ε ${epsilon} is above it: a suspicion could become more than you allow.`
          : `Your ε ${epsilon} lies inside. Write down why you chose it.`;
  return (
    <div className="stack">
      <Chooser state={state} noun={noun} first={<Epsilon noun={noun} />} />
      {chosen === undefined || chosen.isConflict ? null : (
        <Notice
          tone="plain"
          title={`The range: ε from ${formatNumber(chosen.least, 3)} to ${formatNumber(chosen.most, 3)}`}
        >
          {where === undefined ? null : <p>{where}</p>}
          <Button
            size="xs"
            variant="default"
            mt={8}
            aria-label={`Use this: ε ${mostOf(chosen.most)}`}
            onClick={() => onUse(mostOf(chosen.most))}
          >
            Use this: ε {mostOf(chosen.most)}
          </Button>
        </Notice>
      )}
    </div>
  );
}
