import type { Dataset } from "@dosimeter/client";
import type { Declaration } from "@dosimeter/query/declaration";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { Question } from "./AskField.tsx";
import { AskCard } from "./AskCard.tsx";

/** The pause in typing after which another question has its card. */
const REST_MS = 400;

/** The card of the last whole question: while another one is typed it stays, and cannot be used. */
export function AskPreview({
  dataset,
  account,
  declaration,
  whole,
  wanted,
  onWanted,
}: {
  dataset: Dataset;
  account: string;
  declaration: Declaration;
  whole: Question | null;
  /** The rows that were asked and wait for their review. */
  wanted: string | null;
  onWanted: (rows: string | null) => void;
}) {
  const now = whole === null ? null : JSON.stringify(whole.rows);
  const [rested] = useDebouncedValue(now, REST_MS);
  const [last, setLast] = useState(now);
  const next = now !== null && (rested === now || wanted === now) ? now : last;
  if (next !== last) setLast(next);
  const payer = dataset.accounts.find(({ id }) => id === account);
  if (next === null || payer === undefined) return null;
  return (
    <div className="ask-below" inert={next !== now}>
      <AskCard
        key={`${dataset.id} ${next}`}
        dataset={dataset}
        account={payer}
        declaration={declaration}
        asked={JSON.parse(next) as Question["rows"]}
        text={whole?.text ?? ""}
        isWanted={wanted === next}
        onWanted={(isWanted) => onWanted(isWanted ? next : null)}
      />
    </div>
  );
}
