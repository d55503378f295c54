import type { CellKey, RowActions } from "../row-actions.ts";

/** Takes the text of a cell; the reason why it could not, or undefined. */
export function commitCell(actions: RowActions, key: CellKey, text: string): string | undefined {
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
