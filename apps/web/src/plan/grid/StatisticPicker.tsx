import { families, isStatisticName, spoken } from "@dosimeter/query/statistics";
import { Select } from "@mantine/core";
import type { KeyboardEvent } from "react";
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
  const items = choices.map(({ value, label: name, reason }) =>
    reason === undefined ? { value, label: name } : { value, label: `${name}: ${reason}`, disabled: true },
  );
  const inFamily = (family: string) =>
    items.filter(({ value }) => isStatisticName(value) && spoken[value][0] === family);
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
      data={Object.entries(families).map(([key, group]) => ({ group, items: inFamily(key) }))}
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

const isCalled = (value: string, label: string, typed: string): boolean =>
  [label, value, ...(isStatisticName(value) ? spoken[value].slice(1) : [])].some((name) =>
    name.toLowerCase().includes(typed.trim().toLowerCase()),
  );
