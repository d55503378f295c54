import type { Declaration } from "@dosimeter/query/declaration";
import type { Completion, Understood } from "@dosimeter/sql-text/ask";
import { Button } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { TextField } from "../../parts/fields.tsx";
import { Said } from "./Said.tsx";
import { useGrammar } from "./use-grammar.ts";
import "./ask.css";

/** What is asked: the text, and what was made of it. */
export interface Question extends Understood {
  readonly text: string;
}

/** Settings of a plan that only SQL states; a question in words has rows alone. */
export const ofPlan = ({ plan }: Question): boolean =>
  plan !== null &&
  (plan.statistics.some(({ epsilon, rho }) => (epsilon ?? rho) !== undefined) || Object.keys(plan).length > 1);

type Offer = Omit<Completion, "kind"> & { readonly kind: string };
const NONE: readonly string[] = [];

/** A text from elsewhere. */
export interface Begun {
  readonly text: string;
  /** It is asked as soon as it can be. */
  readonly isAsked: boolean;
  /** It was typed just now, where what may come next is not offered yet. */
  readonly isTyped?: boolean;
  /** What is selected, or that nothing is: the field takes the focus then. */
  readonly caret?: "end" | readonly [from: number, to: number] | undefined;
}

/**
 * One line that takes a question: what may come next is offered below it, what was understood is shown as chips. Enter asks, once
 * every word is understood or left out on purpose.
 */
// long: one field and what goes with its text
export function AskField({
  declaration,
  label,
  begun,
  onText,
  aside,
  asked = NONE,
  below,
  onAsk,
}: {
  /** Null until it is known. */
  declaration: Declaration | null;
  label: string;
  /** What it begins with. */
  begun: Begun;
  /** Hears of every text but the first. */
  onText?: (text: string) => void;
  aside?: ReactNode;
  /** Questions that others asked, which are answered for free. */
  asked?: readonly string[];
  /** What a question would give, next to which it stays; null while nothing whole is typed. Another text may be put in its place. */
  below?: (whole: Question | null, put: (text: string) => void) => ReactNode;
  /** Takes the question, or says why not. */
  onAsk: (asked: Question) => string | undefined | Promise<string | undefined>;
}) {
  const id = useId();
  const [text, setText] = useState(begun.text);
  const [caret, setCaret] = useState(text.length);
  const [isWanted, setWanted] = useState(begun.text !== "" || begun.caret !== undefined);
  /** Above a picture only what a word may become is offered: the rest would lie over it. */
  const offers = (typed: string): boolean => below === undefined || /[\p{L}\p{N}]$/u.test(typed);
  const [isOpen, setOpen] = useState(begun.isTyped === true && offers(begun.text));
  const [chosen, setChosen] = useState(-1);
  const [isAsking, setAsking] = useState(begun.isAsked);
  const [fault, setFault] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const grammar = useGrammar(isWanted);
  const read = useMemo(
    () =>
      grammar === null || declaration === null || text.trim() === "" ? null : grammar.understand(text, declaration),
    [grammar, declaration, text],
  );
  const offered = useMemo(() => {
    if (grammar === null || declaration === null || !isOpen) return [];
    const known = text === "" ? asked.map((each): Offer => ({ text: each, from: 0, kind: "asked before: free" })) : [];
    return [...known, ...grammar.complete(text, caret, declaration)];
  }, [grammar, declaration, text, caret, isOpen, asked]);
  const isShown = offered.length > 0;
  const whole = read === null || read.missed.length > 0 || read.rows.length === 0 ? null : { ...read, text };

  const put = (next: string): void => {
    setText(next);
    onText?.(next);
  };
  const change = (next: string, at = next.length): void => {
    put(next);
    setCaret(at);
    setChosen(-1);
    setFault(undefined);
    setAsking(false);
  };
  /** What was pressed goes with the text that it stood below. */
  const take = (next: string): void => {
    change(next);
    input.current?.focus();
  };
  /** Puts a text in place of a part, and the caret behind it. */
  const replace = (from: number, to: number, by: string): void => {
    const rest = text.slice(to);
    const put = `${by}${rest.startsWith(" ") ? "" : " "}`;
    const next = grammar?.replaced(text, { at: from, end: to }, put) ?? text;
    const at = next.length - rest.length;
    change(next, at);
    if (below !== undefined) setOpen(false);
    input.current?.focus();
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at));
  };
  const ask = async (known: Understood): Promise<void> => {
    setAsking(false);
    setOpen(false);
    // What was left out on purpose is not asked again on the next page.
    const said = known.missed.length === 0 || declaration === null ? text : grammar?.roughText(known.rows, declaration);
    const why = known.rows.length === 0 ? undefined : await onAsk({ ...known, text: said ?? text });
    setFault(why);
    if (below !== undefined && said != null) put(said);
    else if (known.rows.length > 0 && why === undefined) change("");
  };
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (!isAsking || read === null) return;
    if (read.missed.length === 0) void latest.current(read);
    else setAsking(false);
  }, [isAsking, read]);

  const focus = useRef(begun.caret).current;
  useEffect(() => {
    if (focus === undefined) return;
    const end = input.current?.value.length ?? 0;
    input.current?.focus();
    input.current?.setSelectionRange(...(focus === "end" ? ([end, end] as const) : focus));
  }, [focus]);

  const onKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { key } = event;
    if (key === "Escape" && isShown) {
      event.stopPropagation();
      setOpen(false);
    } else if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      const next = chosen + (key === "ArrowDown" ? 1 : -1);
      if (isOpen) setChosen(next < -1 ? offered.length - 1 : next >= offered.length ? -1 : next);
      else setOpen(true);
    } else if (key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const option = isShown ? offered[chosen] : undefined;
      if (option !== undefined) replace(option.from, caret, option.text);
      else if (text.trim() !== "") setAsking(true);
    }
  };

  return (
    <search className="ask" aria-label={label}>
      <div className="ask-line">
        {aside}
        <div className="ask-field">
          <TextField
            ref={input}
            role="combobox"
            aria-label={label}
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={`${id}-list`}
            aria-activedescendant={isShown && chosen >= 0 ? `${id}-${chosen}` : undefined}
            aria-describedby={`${id}-said`}
            placeholder="Ask: mean of … by … where …"
            autoComplete="off"
            spellCheck={false}
            maxLength={10_000}
            value={text}
            onChange={(typed) => {
              const at = input.current?.selectionStart ?? typed.length;
              change(typed, at);
              setOpen(offers(typed.slice(0, at)));
            }}
            onFocus={() => setWanted(true)}
            onClick={() => setOpen(isOpen || (text === "" && below !== undefined))}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? text.length)}
            onKeyDown={onKey}
            onBlur={() => setOpen(false)}
          />
          <Offers
            id={id}
            of={offered}
            chosen={chosen}
            onTake={({ from, text: option }) => replace(from, caret, option)}
          />
        </div>
        <Button variant="default" disabled={text.trim() === ""} onClick={() => setAsking(true)}>
          Ask
        </Button>
      </div>
      <Said
        id={`${id}-said`}
        grammar={grammar}
        declaration={declaration}
        read={read}
        fault={fault}
        onText={change}
        onReplace={replace}
        onAsk={(known) => void ask(known)}
      />
      {below === undefined || text.trim() === "" ? null : below(whole, take)}
    </search>
  );
}

/** What may come next, below the field. */
function Offers({
  id,
  of,
  chosen,
  onTake,
}: {
  id: string;
  of: readonly Offer[];
  chosen: number;
  onTake: (offered: Offer) => void;
}) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="What may come next" className="ask-list" hidden={of.length === 0}>
      {of.map((offered, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
        <div
          key={`${offered.kind} ${offered.text}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(offered)}
        >
          <span>{offered.text}</span>
          <span className="soft small">{offered.kind === "word" ? "" : offered.kind}</span>
        </div>
      ))}
    </div>
  );
}
