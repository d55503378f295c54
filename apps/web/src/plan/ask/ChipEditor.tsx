import type { Declaration } from "@dosimeter/query/declaration";
import type { Chip } from "@dosimeter/sql-text/ask";
import { Popover } from "@mantine/core";
import { useState } from "react";
import { CommitInput } from "../../parts/fields.tsx";
import { ConditionRow } from "../filter/ConditionRow.tsx";
import { type Condition, faultsOf, filterText, isGroup, readFilter } from "../filter/filter.ts";
import "../filter/filter.css";

/** The face of a chip whose value is typed, with the fields of that value below it while it is open. What is not complete yet stays in them. */
export function ChipEditor({
  chip: { role, text, value },
  name,
  declaration,
  onChange,
}: {
  chip: Chip;
  name: string;
  declaration: Declaration;
  onChange: (value: string | null) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [begun, setBegun] = useState<Condition | null>(null);
  const read = role === "filter" ? readFilter(value, declaration) : null;
  const [part] = read !== null && "filter" in read ? read.filter.parts : [];
  const shown = begun ?? (part === undefined || isGroup(part) ? null : part);
  // A condition that is no single comparison is changed in the line.
  if (role === "filter" && shown === null) return <span>{text}</span>;
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      width={`min(${shown === null ? 240 : 600}px, 100vw - 24px)`}
      position="bottom-start"
      withArrow
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <button type="button" className="ask-choice" aria-label={`Change ${name}`} onClick={() => setOpen(!isOpen)}>
          {text}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Change ${name}`}>
        {shown === null ? (
          <CommitInput
            aria-label={`Value: ${name}`}
            data-autofocus
            value={value}
            onCommit={(next) => {
              onChange(next === "" ? null : next);
              return undefined;
            }}
          />
        ) : (
          <ConditionRow
            condition={shown}
            name="1"
            declaration={declaration}
            onChange={(next) => {
              const isWhole = faultsOf(next, declaration).size === 0;
              setBegun(isWhole ? null : next);
              if (isWhole) onChange(filterText({ join: "and", parts: [next] }));
            }}
            onRemove={() => onChange(null)}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
