import { Combobox, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { Dialog } from "../../parts/Dialog.tsx";
import { type Command, useCommands } from "./commands.ts";
import "./palette.css";

const groups = ["Do", "Go to", "Found"] as const satisfies readonly Command["group"][];

/** Finds pages, data and people, and does things, by typing. Arrows choose, Enter does it, Escape gives the focus back. */
export function Palette({ start, onClose, onKeys }: { start: string; onClose: () => void; onKeys: () => void }) {
  const [text, setText] = useState(start);
  const [settled] = useDebouncedValue(text.trim(), 150);
  const commands = useCommands(text, settled, onKeys);
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const shown = commands.map(({ title }) => title).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first line is chosen whenever other lines are shown.
  useEffect(() => void combobox.selectFirstOption(), [shown]);
  const ordered = groups.map((group) => ({
    group,
    lines: [...commands.entries()].filter(([, one]) => one.group === group),
  }));
  return (
    <Dialog title="Find or do" size="lg" onClose={onClose}>
      <Combobox
        store={combobox}
        onOptionSubmit={(index) => {
          onClose();
          commands[Number(index)]?.run();
        }}
      >
        <Combobox.EventsTarget withExpandedAttribute>
          <TextInput
            role="combobox"
            data-autofocus
            aria-label="A page, dataset, column, release, person or action"
            placeholder="A page, dataset, column, release, person or action"
            size="md"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <Combobox.Options className="palette" aria-label="What you can choose">
          {ordered.map(({ group, lines }) =>
            lines.length === 0 ? null : (
              <Combobox.Group key={group} label={group}>
                {lines.map(([index, { title, hint }]) => (
                  <Combobox.Option key={index} value={String(index)}>
                    <span>{title}</span>
                    <span className="soft small">{hint}</span>
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ),
          )}
          {commands.length === 0 ? <Combobox.Empty>Nothing found</Combobox.Empty> : null}
        </Combobox.Options>
      </Combobox>
    </Dialog>
  );
}
