import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useDataset } from "../api/datasets.ts";
import { loaded } from "../api/part.ts";
import { type Askable, useAskable } from "./use-askable.ts";
import { useGrammar } from "./use-grammar.ts";
import "./ask.css";

/**
 * Asks a dataset from outside its plan, which Enter opens with the question in it. A page that asks nothing loads none of that: the field
 * that stands there first keeps the focus, and what is typed, until the one that reads has come.
 */
export function AskLine({ datasets }: { datasets: readonly Askable[] }) {
  const navigate = useNavigate();
  const [chosen, choose] = useAskable(datasets);
  const [isWanted, setWanted] = useState(false);
  const [Field, setField] = useState<typeof import("./AskField.tsx").AskField | null>(null);
  const want = async (): Promise<void> => {
    setWanted(true);
    const { AskField } = await loaded(() => import("./AskField.tsx"));
    setField(() => AskField);
  };
  const [early, setEarly] = useState({ text: "", isAsked: false });
  const { data } = useDataset(chosen?.id ?? "", isWanted && chosen !== undefined);
  const grammar = useGrammar(isWanted);
  const declaration = useMemo(
    () => (data === undefined ? null : (grammar?.declarationOf(data) ?? null)),
    [data, grammar],
  );
  if (chosen === undefined) return null;
  const label = `Ask ${chosen.name}`;
  const aside =
    datasets.length < 2 ? null : (
      <select
        aria-label="Dataset that is asked"
        className="ask-plain ask-dataset"
        value={chosen.id}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {datasets.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    );
  /** What stands there until the line is used, and takes what is typed meanwhile. */
  const plain = (
    <search className="ask" aria-label={label}>
      <div className="ask-line">
        {aside}
        <input
          className="ask-plain ask-field"
          role="combobox"
          aria-label={label}
          aria-expanded={false}
          placeholder="Ask: mean of … by … where …"
          value={early.text}
          onFocus={() => void want()}
          onChange={(event) => setEarly({ text: event.currentTarget.value, isAsked: false })}
          onKeyDown={({ key }) => {
            if (key === "Enter" && early.text.trim() !== "") setEarly({ ...early, isAsked: true });
          }}
        />
        <Button variant="default" disabled>
          Ask
        </Button>
      </div>
      <div className="ask-said" />
    </search>
  );
  if (Field === null) return plain;
  return (
    <Field
      label={label}
      declaration={declaration}
      typed={early.text}
      start={early.isAsked ? early.text : ""}
      aside={aside}
      onAsk={async ({ text }) => {
        const { id, account } = chosen;
        await navigate({ to: "/datasets/$dataset/plan", params: { dataset: id }, search: { account, ask: text } });
        return undefined;
      }}
    />
  );
}
