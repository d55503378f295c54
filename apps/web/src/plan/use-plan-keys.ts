import { useEffect } from "react";

interface PlanKeys {
  readonly undo: (() => void) | undefined;
  readonly redo: (() => void) | undefined;
  readonly review: (() => void) | undefined;
  readonly help: () => void;
  /** Parts of the page that F6 goes around, in order; one that is not there is left out. */
  readonly parts: readonly React.RefObject<HTMLElement | null>[];
}

/** Keys that work wherever the focus is: undo, review, the next part of the page, the list of keys. */
export function usePlanKeys({ undo, redo, review, help, parts }: PlanKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector("[role=dialog][aria-modal=true]") !== null) return;
      const { target } = event;
      const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
      const isTyping = isText || target instanceof HTMLSelectElement;
      const isControl = event.ctrlKey || event.metaKey;
      const run = (action: (() => void) | undefined): void => {
        if (action === undefined) return;
        event.preventDefault();
        action();
      };
      if (event.key === "F6") run(() => goOn(parts, event.shiftKey ? -1 : 1));
      else if (isControl && event.key === "Enter") run(review);
      else if (isControl && event.key.toLowerCase() === "z" && !isText) run(event.shiftKey ? redo : undo);
      else if (event.key === "?" && !isTyping) run(help);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [undo, redo, review, help, parts]);
}

/** The one cell of a grid that Tab reaches. */
export const CELL = "[role=gridcell][tabindex='0']";
const REACHABLE = "a[href], summary, button:not(:disabled), input:not([hidden]), select, textarea, [tabindex='0']";

function goOn(parts: PlanKeys["parts"], by: 1 | -1): void {
  const there = parts.map(({ current }) => current).filter((part) => part !== null);
  if (there.length === 0) return;
  const here = there.findIndex((part) => part.contains(document.activeElement));
  for (let step = 1; step <= there.length; step++) {
    const part = there[(((here + by * step) % there.length) + there.length) % there.length];
    const reachable = [...(part?.querySelectorAll<HTMLElement>(REACHABLE) ?? [])];
    // What is folded away takes no focus.
    const first = part?.querySelector<HTMLElement>(CELL) ?? reachable.find((each) => each.checkVisibility());
    if (first === undefined) continue;
    first.focus();
    first.scrollIntoView({ block: "nearest" });
    return;
  }
}
