import type { Declaration } from "@dosimeter/query/declaration";
import { useState } from "react";
import type { CellKey, RowActions } from "../row-actions.ts";
import type { WorkRow } from "../workbench.ts";
import { textOf } from "./cells.ts";

/** Takes the text of a cell; the reason why it could not, or undefined. */
function commitCell(actions: RowActions, key: CellKey, text: string): string | undefined {
  switch (key) {
    case "share":
      return actions.setShare(text);
    case "error":
      return actions.setError(text);
    case "target":
      return actions.setTarget(text);
    case "hold":
      if (text === "free" || text === "soft" || text === "share" || text === "error") actions.hold(text);
      return undefined;
    case "type":
      return actions.retype?.(text);
    case "column":
    case "statistic":
    case "upper":
    case "lower":
    case "granularity":
    case "bins":
      return actions.change({ [key]: text });
    default:
      return undefined;
  }
}

/** A text in a cell that the plan refused, and why. */
export interface Waiting {
  readonly id: string;
  readonly key: CellKey;
  readonly text: string;
  readonly reason: string;
}

/** The text of a cell, and why the plan refused it. */
export interface CellState {
  readonly shown: string;
  readonly reason: string | undefined;
}

export interface Drafts {
  /** Commits the text of a cell, or keeps it there with the reason. */
  readonly take: (row: WorkRow, key: CellKey, text: string) => void;
  readonly forget: (row: WorkRow, key: CellKey) => void;
  /** Whether the cell holds a text that the plan refused. */
  readonly isRefused: (row: string, key: CellKey) => boolean;
  readonly stateOf: (row: WorkRow, key: CellKey) => CellState;
}

/** The refused texts of cells, which stay there with the reason. */
export function useDrafts(
  declaration: Declaration,
  actionsOf: (row: WorkRow) => RowActions,
  waiting: Waiting | null,
): Drafts {
  const [drafts, setDrafts] = useState<Readonly<Record<string, Omit<CellState, "shown"> & { readonly text: string }>>>(
    {},
  );
  const forget = (row: WorkRow, key: CellKey): void => setDrafts(({ [`${row.id}:${key}`]: _, ...rest }) => rest);
  return {
    forget,
    isRefused: (row, key) => `${row}:${key}` in drafts || (waiting?.id === row && waiting.key === key),
    take: (row, key, text) => {
      const reason = text === textOf(key, row, declaration) ? undefined : commitCell(actionsOf(row), key, text);
      if (reason === undefined) forget(row, key);
      else setDrafts((before) => ({ ...before, [`${row.id}:${key}`]: { text, reason } }));
    },
    stateOf: (row, key) => {
      const isWaiting = waiting?.id === row.id && waiting.key === key;
      const draft = drafts[`${row.id}:${key}`] ?? (isWaiting ? waiting : undefined);
      const shown = draft?.text ?? textOf(key, row, declaration);
      const fault = row.fault?.field === key && shown !== "" ? row.fault.message : undefined;
      return { shown, reason: draft?.reason ?? fault };
    },
  };
}
