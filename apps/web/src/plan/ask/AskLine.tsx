import { isRecord } from "@dosimeter/core/internal";
import { Button } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { copyOf, dropCopy, keepCopy } from "../../api/copies.ts";
import { loaded } from "../../api/part.ts";
import { useMe } from "../../api/session.ts";
import type { Begun } from "./AskField.tsx";
import type { Askable } from "./use-askable.ts";

/** Asks a dataset from outside its plan: a question that another page hands over, or what was typed here before. */
export function AskLine(line: { of: Askable; aside?: ReactNode }) {
  const given = useLocation({ select: ({ state }) => state.ask });
  return <Line key={given?.at} given={given?.text} {...line} />;
}

/**
 * A page that asks nothing loads none of what reads a question: the field that stands there first keeps the focus, and what is typed, until
 * that has come. What is typed is kept in this browser until it is released.
 */
function Line({ of: chosen, aside = null, given }: { of: Askable; aside?: ReactNode; given: string | undefined }) {
  const person = useMe().data?.person.id ?? "";
  const [Live, setLive] = useState<typeof import("./AskLive.tsx").AskLive | null>(null);
  const [early, setEarly] = useState(() => {
    const form = copyOf({ person, of: "ask" })?.form;
    const kept = isRecord(form) && form.dataset === chosen.id && typeof form.text === "string" ? form.text : "";
    return { text: given ?? kept, isAsked: false, isTyped: false };
  });
  const [isBack] = useState(early.text !== "");
  const [isWanted, setWanted] = useState(isBack);
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<Begun["caret"]>(given === undefined ? undefined : "end");
  useEffect(() => {
    if (!isWanted) return;
    void loaded(() => import("./AskLive.tsx")).then(({ AskLive }) => {
      const field = input.current;
      const [from, to] = [field?.selectionStart ?? 0, field?.selectionEnd ?? 0];
      // Of a text that is still typed the end moves on until it is taken over.
      if (field !== null && field === document.activeElement) setCaret(from === to ? "end" : [from, to]);
      setLive(() => AskLive);
    });
  }, [isWanted]);
  const text = useRef(early.text);
  const keep = (typed: string): void => {
    const of = { person, of: "ask" };
    text.current = typed;
    if (typed === "") dropCopy(of);
    else keepCopy(of, { form: { text: typed, dataset: chosen.id }, seen: null, name: "" });
  };
  const again = useRef(keep);
  again.current = keep;
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another dataset, it is a question about that
  useEffect(() => {
    if (text.current !== "") again.current(text.current);
  }, [chosen.id]);
  const label = `Ask ${chosen.name}`;
  if (Live !== null)
    return <Live of={chosen} begun={{ ...early, caret }} isBack={isBack} aside={aside} onText={keep} />;
  return (
    <search className="ask" aria-label={label}>
      <div className="ask-line">
        {aside}
        <input
          ref={input}
          className="ask-plain ask-field"
          role="combobox"
          aria-label={label}
          aria-expanded={false}
          placeholder="Ask: mean of … by … where …"
          value={early.text}
          onFocus={() => setWanted(true)}
          onChange={({ currentTarget: { value } }) => {
            keep(value);
            setEarly({ text: value, isAsked: false, isTyped: true });
          }}
          onKeyDown={({ key }) => {
            if (key === "Enter" && early.text.trim() !== "") setEarly({ ...early, isAsked: true });
          }}
        />
        <Button variant="default" disabled>
          Ask
        </Button>
      </div>
      <div className="ask-said" />
      {isBack ? <div className="ask-space" /> : null}
    </search>
  );
}
