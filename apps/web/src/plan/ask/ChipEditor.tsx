import { unlessRefused } from "@dosimeter/core/internal";
import { type Declaration, readPredicate } from "@dosimeter/query/declaration";
import type { Chip } from "@dosimeter/sql-text/ask";
import { Popover } from "@mantine/core";
import { useState } from "react";
import { CommitInput } from "../../parts/fields.tsx";
import { ConditionRow } from "../filter/ConditionRow.tsx";
import { type Condition, faultsOf, filterText, isGroup, readFilter } from "../filter/filter.ts";
import "../filter/filter.css";

/** The face of a chip whose value is typed, and below it the fields of that value while it is open. */
export function ChipEditor({
  chip,
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
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" withArrow shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <button type="button" className="ask-choice" aria-label={`Change ${name}`} onClick={() => setOpen(!isOpen)}>
          {chip.text}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Change ${name}`} className="ask-editor" data-role={chip.role}>
        {chip.role === "filter" ? (
          <Filter chip={chip} declaration={declaration} onChange={onChange} />
        ) : (
          <CommitInput
            aria-label={`Value: ${name}`}
            data-autofocus
            value={chip.value}
            onCommit={(text) => {
              onChange(text === "" ? null : text);
              return undefined;
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

/** One condition as its fields; one that they do not show as text. What is not complete yet stays here. */
function Filter({
  chip: { value },
  declaration,
  onChange,
}: {
  chip: Chip;
  declaration: Declaration;
  onChange: (value: string | null) => void;
}) {
  const [begun, setBegun] = useState<Condition | null>(null);
  const read = readFilter(value, declaration);
  const [part, another] = "filter" in read ? read.filter.parts : [];
  const shown = begun ?? (part === undefined || another !== undefined || isGroup(part) ? null : part);
  if (shown === null)
    return (
      <CommitInput
        aria-label="Condition"
        data-autofocus
        value={value}
        onCommit={(text) => {
          if (text !== "" && unlessRefused(() => readPredicate(text, declaration), null) === null)
            return "This is no condition that can be read.";
          onChange(text === "" ? null : text);
          return undefined;
        }}
      />
    );
  return (
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
  );
}
