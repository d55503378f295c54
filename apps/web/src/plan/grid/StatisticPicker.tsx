import { isStatisticName, spoken } from "@dosimeter/query/statistics";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { Choice } from "./cells.ts";

/** The statistics in their families, found by what people call them: arrows choose, Enter and Tab take, Escape takes nothing. */
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
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const found = choices.filter(({ value, label: name }) => value !== "" && (typed === null || isCalled(value, name, typed)));
  const offered = found.filter(({ reason }) => reason === undefined);
  const [at, setAt] = useState<number | null>(null);
  const chosen = at === null ? likeliest(offered, typed ?? text) : offered[at];
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const box = field.current?.getBoundingClientRect();
    if (list.current === null || box === undefined) return;
    const above = innerHeight - box.bottom < 200 && box.top > innerHeight - box.bottom;
    list.current.style.left = `${Math.min(box.left, innerWidth - 296)}px`;
    list.current.style[above ? "bottom" : "top"] = `${(above ? innerHeight - box.top : box.bottom) + 6}px`;
    list.current.style.maxHeight = `${Math.max(120, (above ? box.top : innerHeight - box.bottom) - 24)}px`;
    list.current.showPopover();
  }, []);
  useEffect(() => {
    if (chosen !== undefined) document.getElementById(`${id}${chosen.value}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen, id]);
  return (
    <>
      <input
        ref={field}
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}list`}
        aria-activedescendant={chosen === undefined ? undefined : `${id}${chosen.value}`}
        defaultValue={choices.find(({ value }) => value === text && value !== "")?.label ?? ""}
        placeholder="Find a statistic"
        onInput={(event) => {
          setTyped(event.currentTarget.value.trim());
          setAt(null);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined && offered.length > 0) {
            event.preventDefault();
            const now = chosen === undefined ? -1 : offered.indexOf(chosen);
            setAt((now + step + offered.length) % offered.length);
            return;
          }
          // What is committed is the statistic, not the letters that found it.
          if (event.key === "Enter" || event.key === "Tab") event.currentTarget.value = chosen?.value ?? text;
          onKey(event);
        }}
        onBlur={onLeave}
      />
      <div ref={list} id={`${id}list`} popover="manual" role="listbox" aria-label="Statistics" className="statistic-list">
        {[...Map.groupBy(found, ({ family = "" }) => family)].map(([family, within]) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
          <div key={family} role="group" aria-label={family}>
            <p aria-hidden="true">{family}</p>
            {within.map(({ value, label: name, reason }) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
              <div
                key={value}
                id={`${id}${value}`}
                role="option"
                tabIndex={-1}
                aria-selected={value === chosen?.value}
                aria-disabled={reason === undefined ? undefined : true}
                onMouseDown={(event) => event.preventDefault()}
                onClick={(event) => {
                  event.stopPropagation();
                  if (reason !== undefined) return;
                  onTake(value);
                  onLeave();
                }}
              >
                {reason === undefined ? name : `${name}: ${reason}`}
              </div>
            ))}
          </div>
        ))}
        {found.length === 0 ? <p>No statistic is called so</p> : null}
      </div>
    </>
  );
}

const namesOf = (value: string, label: string): readonly string[] =>
  [label, value, ...(isStatisticName(value) ? spoken[value].slice(1) : [])].map((name) => name.toLowerCase());

const isCalled = (value: string, label: string, typed: string): boolean =>
  namesOf(value, label).some((name) => name.includes(typed.toLowerCase()));

/** The one that is called exactly so, else one that begins so, else the first. */
function likeliest(offered: readonly Choice[], typed: string): Choice | undefined {
  if (typed === "") return undefined;
  const text = typed.toLowerCase();
  const called = (is: (name: string) => boolean): Choice | undefined =>
    offered.find(({ value, label }) => namesOf(value, label).some(is));
  return called((name) => name === text) ?? called((name) => name.startsWith(text)) ?? offered[0];
}
