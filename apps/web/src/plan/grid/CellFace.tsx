import { formatNumber } from "@dosimeter/plot";
import { errorUnit } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import { IconAdjustments, IconLock, IconLockOpen, IconPin, IconTrash } from "@tabler/icons-react";
import type { CSSProperties } from "react";
import { placesOf } from "../../parts/Amount.tsx";
import { EPSILON, readTyped } from "../../parts/number-text.ts";
import type { OwnedAnswer } from "../plan-bench.ts";
import type { CellKey } from "../row-actions.ts";
import { readsOf, type WorkRow } from "../workbench.ts";
import { choicesOf, errorField, formatError, type GridColumn, gradeText, holdWords } from "./cells.ts";

/** The content of a cell that is not being edited. */
export function CellFace({
  column: { key },
  row,
  text,
  declaration,
  isOpen,
  owned,
}: {
  column: GridColumn;
  row: WorkRow;
  text: string;
  declaration: Declaration;
  isOpen: boolean;
  owned: OwnedAnswer | undefined;
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
    const choice = choicesOf(key, row, declaration).find(({ value }) => value === text)?.label;
    const { label: declared, joined } = (key === "column" ? declaration.columns[text] : undefined) ?? {};
    // The list says the name too; the cell has room for the label.
    const label = joined === undefined ? (declared ?? choice) : choice;
    return (
      <span className={text === "" ? "soft" : ""} title={key === "column" ? text : undefined}>
        {label ?? (text === "" ? "Choose…" : text)}
      </span>
    );
  }
  const face = owned?.isUsed
    ? ownedFaces(owned, row)[key]
    : key === "fitness" && owned?.isBetter
      ? { text: "worse than owned", title: `You already have ${owned.error}` }
      : undefined;
  const unit = key === "error" ? errorUnit(row.settings, declaration) : null;
  if (face !== undefined) return <Shown of={face} unit={unit} />;
  if (key === "share") {
    const typed = readTyped(text, EPSILON);
    // A person edits the exact decimal and reads three digits, the nearest: a plan is no spend yet.
    return <Shown of={{ text: typed.fault === undefined ? formatNumber(typed.value, 3) : text, title: text }} />;
  }
  if (key === "error" && row.quote?.accuracy.halfWidth != null)
    return (
      <Shown
        of={{ text: isTyped(text, row) ? text : formatError(row.quote.accuracy.halfWidth), title: text }}
        unit={unit}
      />
    );
  const title = key === "fitness" ? (gradeText(row, errorUnit(row.settings, declaration)) ?? undefined) : undefined;
  return <span title={title}>{text === "" ? "–" : text}</span>;
}

/** Numbers of a column have their points below each other: each knows its digits after it. */
function Shown({ of: { text, title }, unit = null }: { of: Face; unit?: string | null }) {
  const places = placesOf(text);
  return (
    <>
      <span title={title} data-places={places} style={{ "--own": places } as CSSProperties}>
        {text}
      </span>
      {unit === null ? null : <span className="cell-unit"> {unit}</span>}
    </>
  );
}

const isTyped = (text: string, { quote }: WorkRow): boolean =>
  quote?.accuracy.halfWidth == null || text !== errorField(quote.accuracy.halfWidth);

/** What a row says that is an earlier answer: one error everywhere, and no price. */
const ownedFaces = ({ error, sentence }: OwnedAnswer, { rho, epsilon }: WorkRow): Partial<Record<CellKey, Face>> => ({
  error: { text: /[\d.,]+/.exec(error)?.[0] ?? error, title: sentence },
  share: { text: "0", title: `A new answer would cost ${rho ?? epsilon}` },
  fitness: { text: "owned", title: sentence },
});

interface Face {
  readonly text: string;
  readonly title: string;
}
