import { inNoun, type UnitNoun } from "@dosimeter/query/declaration";
import { Popover } from "@mantine/core";
import { useRef, useState } from "react";
import { glossary, type TermName } from "./glossary.ts";

/** The card of a term below its mark; open at first. */
export function HelpPopover({
  term,
  noun,
  place,
}: {
  term: TermName;
  noun: UnitNoun | undefined;
  /** Where it stands in the document; null: at its end. */
  place: HTMLElement | null;
}) {
  const [isOpen, setOpen] = useState(true);
  const mark = useRef<HTMLButtonElement>(null);
  const { title, what, formula, worked } = glossary[term];
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      onClose={() => mark.current?.focus()}
      width={320}
      position="bottom-start"
      withArrow
      shadow="md"
      trapFocus
      {...(place === null ? {} : { portalProps: { target: place } })}
    >
      <Popover.Target>
        <button
          ref={mark}
          type="button"
          className="help-mark"
          aria-label={`What is ${title}?`}
          onClick={() => setOpen((before) => !before)}
        >
          ?
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={title}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: where focus goes when the card opens */}
        <div className="help-card" tabIndex={0}>
          <strong>{title}</strong>
          <p>{inNoun(what, noun)}</p>
          <p className="soft">{inNoun(formula, noun)}</p>
          <p>{inNoun(worked, noun)}</p>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
