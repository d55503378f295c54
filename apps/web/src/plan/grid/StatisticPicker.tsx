import { families, isStatisticName, spoken } from "@dosimeter/query/statistics";
import { Select } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import type { Choice } from "./cells.ts";

/** The statistics in their families, found by what people call them. */
export function StatisticPicker({
  label,
  text,
  choices,
  onKey,
  onTake,
  onLeave,
}: {
  label: string;
  /** The statistic of the row. */
  text: string;
  choices: readonly Choice[];
  onKey: (event: KeyboardEvent<HTMLInputElement>) => void;
  onTake: (text: string) => void;
  onLeave: () => void;
}) {
  // Fixed while the cell is edited: a new list, as each quote that arrives would make, takes back what is typed.
  const [data] = useState(() => inFamilies(choices));
  return (
    <Select
      searchable
      role="combobox"
      selectFirstOptionOnChange
      defaultDropdownOpened
      aria-label={label}
      placeholder="Find a statistic"
      size="xs"
      comboboxProps={{ width: 280, position: "bottom-start" }}
      withScrollArea={false}
      classNames={{ options: "statistic-list" }}
      data={data}
      defaultValue={text}
      filter={({ options, search }) =>
        options.map((group) =>
          "group" in group
            ? { ...group, items: group.items.filter(({ value, label: name }) => isCalled(value, name, search)) }
            : group,
        )
      }
      onOptionSubmit={onTake}
      onBlur={onLeave}
      onKeyDown={(event) => {
        if (event.key === "Escape") onKey(event);
      }}
    />
  );
}

function inFamilies(choices: readonly Choice[]) {
  const items = choices.map(({ value, label, reason }) =>
    reason === undefined ? { value, label } : { value, label: `${label}: ${reason}`, disabled: true },
  );
  const inFamily = (family: string) =>
    items.filter(({ value }) => isStatisticName(value) && spoken[value][0] === family);
  return Object.entries(families).map(([key, group]) => ({ group, items: inFamily(key) }));
}

const isCalled = (value: string, label: string, typed: string): boolean =>
  [label, value, ...(isStatisticName(value) ? spoken[value].slice(1) : [])].some((name) =>
    name.toLowerCase().includes(typed.trim().toLowerCase()),
  );
