import { Popover } from "@mantine/core";
import { glossary, type TermName } from "./glossary.ts";

/** A "?" after a term: what it means, how it is computed, and one worked number. */
export function HelpCard({ term }: { term: TermName }) {
  const { title, what, formula, worked } = glossary[term];
  return (
    <Popover width={320} position="bottom-start" withArrow shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <button type="button" className="help-mark" aria-label={`What is ${title}?`}>
          ?
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={title}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: where focus goes when the card opens */}
        <div className="help-card" tabIndex={0}>
          <strong>{title}</strong>
          <p>{what}</p>
          <p className="soft">{formula}</p>
          <p>{worked}</p>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
