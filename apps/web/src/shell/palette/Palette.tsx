import { Combobox, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type RefObject, useEffect, useRef, useState } from "react";
import { Dialog } from "../../parts/Dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { groups, useCommands } from "./commands.ts";
import "./palette.css";

/** Finds pages, data and people, and does things, by typing. Arrows choose, Enter does it, Escape gives the focus back. */
export function Palette({
  start,
  early,
  onClose,
  onKeys,
}: {
  start: string;
  /** What was typed before this was loaded. */
  early: RefObject<string>;
  onClose: () => void;
  onKeys: () => void;
}) {
  const [text, setText] = useState(() => start + early.current);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    early.current = "";
    // A key that comes before the field has the focus goes there all the same.
    const lead = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
      if (key.length === 1 && !ctrlKey && !metaKey && document.activeElement !== input.current) input.current?.focus();
    };
    addEventListener("keydown", lead, true);
    return () => removeEventListener("keydown", lead, true);
  }, [early]);
  const [settled] = useDebouncedValue(text.trim(), 150);
  const commands = useCommands(text, settled, onKeys);
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const shown = commands.map(({ group, key }) => `${group} ${key}`).join("\n");
  const list = useRef<HTMLDivElement>(null);
  const isChosen = useRef(false); // by an arrow key, since the last change of the text
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever other lines come, a chosen one stays; else the first is.
  useEffect(() => {
    const options = [...(list.current?.querySelectorAll("[data-combobox-option]") ?? [])];
    const at = options.findIndex((option) => option.hasAttribute("data-combobox-selected"));
    combobox.selectOption(isChosen.current && at >= 0 ? at : 0);
  }, [shown]);
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
          <TextField
            ref={input}
            role="combobox"
            data-autofocus
            aria-label="A page, dataset, person, action or question"
            placeholder="A page, dataset, person, action or question"
            size="md"
            value={text}
            onChange={(typed) => {
              isChosen.current = false;
              setText(typed);
            }}
            onKeyDown={({ key }) => {
              if (key.startsWith("Arrow")) isChosen.current = true;
            }}
          />
        </Combobox.EventsTarget>
        <Combobox.Options ref={list} className="palette" aria-label="What you can choose">
          {ordered.map(({ group, lines }) =>
            lines.length === 0 ? null : (
              <Combobox.Group key={group} label={group} data-group={group}>
                {lines.map(([index, { key, title, hint }]) => (
                  <Combobox.Option key={key} value={String(index)}>
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
