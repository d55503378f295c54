import { type KeyboardEvent, useState } from "react";
import type { Choice, GridColumn } from "./cells.ts";

/** The cell being edited. It shows the effect of the text below it, and commits on blur. */
export function CellEditor({
  column: { key, isNumber },
  label,
  text,
  choices,
  preview,
  onKey,
  onTake,
  onLeave,
}: {
  column: GridColumn;
  label: string;
  text: string;
  choices: readonly Choice[] | null;
  preview: (text: string) => string;
  onKey: (event: KeyboardEvent<HTMLInputElement | HTMLSelectElement>) => void;
  onTake: (text: string) => void;
  onLeave: () => void;
}) {
  const [hint, setHint] = useState("");
  if (choices !== null)
    return (
      <select
        value={text}
        aria-label={label}
        onKeyDown={onKey}
        onChange={(event) => onTake(event.currentTarget.value)}
        onBlur={onLeave}
      >
        {choices.map(({ value, label: name, reason }) => (
          <option key={value} value={value} disabled={reason !== undefined}>
            {reason === undefined ? name : `${name}: ${reason}`}
          </option>
        ))}
      </select>
    );
  return (
    <>
      <input
        defaultValue={text}
        aria-label={label}
        inputMode={isNumber === true && key !== "bins" ? "decimal" : "text"}
        onKeyDown={(event) => {
          onKey(event);
          setHint(preview(event.currentTarget.value));
        }}
        onInput={(event) => setHint(preview(event.currentTarget.value))}
        onBlur={(event) => {
          onTake(event.currentTarget.value.trim());
          onLeave();
        }}
      />
      {hint === "" ? null : <span className="cell-hint">{hint}</span>}
    </>
  );
}
