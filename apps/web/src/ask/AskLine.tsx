import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useDataset } from "../api/datasets.ts";
import { Choice } from "../parts/fields.tsx";
import { AskField } from "./AskField.tsx";
import { type Askable, useAskable } from "./use-askable.ts";
import { useGrammar } from "./use-grammar.ts";

/** Asks a dataset from outside its plan, which Enter opens with the question in it. */
export function AskLine({ datasets }: { datasets: readonly Askable[] }) {
  const navigate = useNavigate();
  const [chosen, choose] = useAskable(datasets);
  const [isWanted, setWanted] = useState(false);
  const dataset = useDataset(chosen?.id ?? "", isWanted && chosen !== undefined);
  const grammar = useGrammar(isWanted);
  const { data } = dataset;
  const declaration = useMemo(
    () => (data === undefined ? null : (grammar?.declarationOf(data) ?? null)),
    [data, grammar],
  );
  if (chosen === undefined) return null;
  return (
    <AskField
      label={`Ask ${chosen.name}`}
      declaration={declaration}
      onWanted={() => setWanted(true)}
      onAsk={async ({ text }) => {
        const { id, account } = chosen;
        await navigate({ to: "/datasets/$dataset/plan", params: { dataset: id }, search: { account, ask: text } });
        return undefined;
      }}
      aside={
        datasets.length < 2 ? null : (
          <Choice
            aria-label="Dataset that is asked"
            className="ask-dataset"
            value={chosen.id}
            data={datasets.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={choose}
          />
        )
      }
    />
  );
}
