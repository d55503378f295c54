import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useDataset } from "../api/datasets.ts";
import { declarationOf } from "../api/declaration.ts";
import { Choice } from "../parts/fields.tsx";
import { AskField } from "./AskField.tsx";
import { type Askable, useAskable } from "./use-askable.ts";

/** Asks a dataset from outside its plan, which Enter opens with the question in it. */
export function AskLine({ datasets }: { datasets: readonly Askable[] }) {
  const navigate = useNavigate();
  const [chosen, choose] = useAskable(datasets);
  const [isWanted, setWanted] = useState(false);
  const dataset = useDataset(chosen?.id ?? "", isWanted && chosen !== undefined);
  const declaration = useMemo(() => (dataset.data === undefined ? null : declarationOf(dataset.data)), [dataset.data]);
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
