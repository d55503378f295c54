import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { loaded } from "../../api/part.ts";
import type { Askable } from "./use-askable.ts";

/**
 * Asks a dataset from outside its plan. A page that asks nothing loads none of that: the field that stands there first keeps the focus, and
 * what is typed, until the one that reads has come.
 */
export function AskLine({ of: chosen, aside = null }: { of: Askable; aside?: ReactNode }) {
  const [Live, setLive] = useState<typeof import("./AskLive.tsx").AskLive | null>(null);
  const want = async (): Promise<void> => {
    const { AskLive } = await loaded(() => import("./AskLive.tsx"));
    setLive(() => AskLive);
  };
  const [early, setEarly] = useState({ text: "", isAsked: false });
  const label = `Ask ${chosen.name}`;
  if (Live !== null) return <Live of={chosen} early={early} aside={aside} />;
  return (
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
}
