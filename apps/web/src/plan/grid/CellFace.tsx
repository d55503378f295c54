import { formatNumber } from "@dosimeter/plot";
import type { Declaration } from "@dosimeter/query";
import { IconAdjustments, IconLock, IconLockOpen, IconPin, IconTrash } from "@tabler/icons-react";
import { EPSILON, readTyped } from "../../parts/number-text.ts";
import { readsOf, type WorkRow } from "../workbench.ts";
import { choicesOf, type GridColumn, holdWords } from "./cells.ts";

/** The content of a cell that is not being edited. */
export function CellFace({
  column: { key },
  row,
  text,
  declaration,
  isOpen,
}: {
  column: GridColumn;
  row: WorkRow;
  text: string;
  declaration: Declaration;
  isOpen: boolean;
}) {
  if (key === "remove")
    return (
      <>
        <IconTrash size={17} aria-hidden />
        <span className="visually-hidden">Remove {row.quote?.label ?? "this statistic"}</span>
      </>
    );
  if (key === "hold") {
    const Icon = row.mode === "free" ? IconLockOpen : row.mode === "soft" ? IconPin : IconLock;
    return (
      <span className="cell-icon">
        <Icon size={16} aria-hidden /> <span className="visually-hidden">Hold:</span> {holdWords[row.mode]}
      </span>
    );
  }
  if (key === "settings")
    return (
      <span className="cell-icon" data-open={isOpen ? true : undefined}>
        <IconAdjustments size={16} aria-hidden /> {text}
      </span>
    );
  if (key === "column" && readsOf(row.settings.statistic ?? "") === "none") return <span className="soft">–</span>;
  if (key === "statistic" || key === "column") {
    const label = choicesOf(key, row, declaration).find(({ value }) => value === text)?.label;
    return <span className={text === "" ? "soft" : ""}>{label ?? (text === "" ? "Choose…" : text)}</span>;
  }
  if (key === "share") {
    const typed = readTyped(text, EPSILON);
    // A person edits the exact decimal and reads three digits, the nearest: a plan is no spend yet.
    return <span title={text}>{typed.fault === undefined ? formatNumber(typed.value, 3) : text}</span>;
  }
  return <span>{text === "" ? "–" : text}</span>;
}
