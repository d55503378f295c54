import type { Declaration } from "@dosimeter/query/declaration";
import type { Chip, Choices, Understood } from "@dosimeter/sql-text/ask";
import { IconX } from "@tabler/icons-react";
import { Suspense, useRef } from "react";
import { lazy } from "../../api/part.ts";
import type { Grammar } from "./use-grammar.ts";

const ChipEditor = lazy(async () => ({ default: (await import("./ChipEditor.tsx")).ChipEditor }));

/** What was made of a question: chips that can be changed or left out, and words that nothing was made of. */
export function Said({
  id,
  grammar,
  declaration,
  read,
  fault,
  onText,
  onReplace,
  onAsk,
}: {
  id: string;
  grammar: Grammar | null;
  declaration: Declaration | null;
  read: Understood | null;
  fault: string | undefined;
  onText: (text: string) => void;
  onReplace: (from: number, to: number, by: string) => void;
  onAsk: (read: Understood) => void;
}) {
  const isKnown = grammar !== null && declaration !== null && read !== null;
  const chips = isKnown ? grammar.chipsOf(read.parts, declaration) : [];
  const line = useRef<HTMLDivElement>(null);
  const why = fault ?? read?.error ?? null;
  const asked = isKnown && read.plan === null ? read.parts : null;
  const change = (chip: Chip, value: string | null): void => {
    if (!isKnown || asked === null) return;
    const text = grammar.roughText(grammar.withChip(asked, chip, value, declaration), declaration);
    if (text !== null) onText(text);
    if (value === null) line.current?.focus();
  };
  return (
    <div ref={line} tabIndex={-1} className="ask-said">
      <p id={id} className="visually-hidden" role="status">
        {[
          chips.length === 0
            ? ""
            : `Understood: ${chips.map(({ role, text }) => `${words[role]} ${text}`).join(", ")}.`,
          ...(read?.missed ?? []).map(
            ({ says, nearest }) => `${says}.${nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}.`}`,
          ),
          ...(read?.notes ?? []),
        ].join(" ")}
      </p>
      {chips.map((chip) => (
        <ChipFace
          key={`${chip.row} ${chip.role} ${chip.at}`}
          chip={chip}
          isFirst={chip.row > 0 && chip.role === "statistic"}
          isOnly={chip.role === "statistic" && (asked ?? []).length < 2}
          choices={asked === null || !isKnown ? null : grammar.choicesOf(chip, asked, declaration)}
          declaration={asked === null ? null : declaration}
          onChange={(value) => change(chip, value)}
        />
      ))}
      {read?.missed.map(({ at, end, says, nearest }) => (
        <span key={`${at} ${says}`} className="ask-missed">
          <span>
            {says}
            {nearest.length === 0 ? "" : ":"}
          </span>
          {nearest.map((each) => (
            <button key={each} type="button" className="tool" onClick={() => onReplace(at, end, each)}>
              {each}?
            </button>
          ))}
        </span>
      ))}
      {read !== null && read.missed.length > 0 && read.rows.length > 0 ? (
        <button type="button" className="tool" onClick={() => onAsk(read)}>
          Ask without it
        </button>
      ) : null}
      {read?.notes.map((note) => (
        <span key={note} className="soft small">
          {note}
        </span>
      ))}
      {why === null ? null : (
        <span className="fault" role="alert">
          {why}
        </span>
      )}
    </div>
  );
}

const words: Readonly<Record<Chip["role"], string>> = {
  statistic: "",
  column: "of",
  with: "with",
  setting: "",
  group: "by",
  filter: "where",
};

function ChipFace({
  chip,
  isFirst,
  isOnly,
  choices,
  declaration,
  onChange,
}: {
  chip: Chip;
  /** Of a further answer. */
  isFirst: boolean;
  /** Of the only answer: what it is cannot be left out. */
  isOnly: boolean;
  choices: readonly Choices[] | null;
  /** Null where nothing can be changed. */
  declaration: Declaration | null;
  onChange: (value: string | null) => void;
}) {
  const { role, text, value } = chip;
  const name = value === "" ? "the statistic" : `${role === "statistic" ? "Statistic" : words[role]} ${text}`.trim();
  return (
    <span className="ask-chip" data-role={role} data-first={isFirst || undefined}>
      {words[role] === "" ? null : <span aria-hidden="true">{words[role]}</span>}
      {declaration === null ? (
        <span>{text}</span>
      ) : choices === null ? (
        <Suspense fallback={<span>{text}</span>}>
          <ChipEditor chip={chip} name={name} declaration={declaration} onChange={onChange} />
        </Suspense>
      ) : (
        <span className="ask-choice">
          <span aria-hidden="true">{text}</span>
          <select aria-label={`Change ${name}`} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
            {value === "" ? <option value="">choose</option> : null}
            {choices.map(({ group, items }) =>
              items.length === 0 ? null : (
                <optgroup key={group} label={group}>
                  {items.map((each) => (
                    <option key={each.value} value={each.value}>
                      {each.label}
                    </option>
                  ))}
                </optgroup>
              ),
            )}
          </select>
        </span>
      )}
      {isOnly || declaration === null ? null : (
        <button type="button" aria-label={`Leave out ${name}`} onClick={() => onChange(null)}>
          <IconX size={12} aria-hidden />
        </button>
      )}
    </span>
  );
}
