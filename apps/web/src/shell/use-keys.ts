import { useEffect } from "react";

interface ShellKeys {
  readonly onFind: () => void;
  readonly onPlan: () => void;
  readonly onKeys: () => void;
}

const TYPING = "input, textarea, select, [contenteditable], [role=grid], [role=textbox]";

/** What the key that finds is called on this machine. */
export const FIND_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";

/** Keys that work on every page, unless the page has taken them: Ctrl+K anywhere, `N` and `?` outside fields and grids. */
export function useKeys({ onFind, onPlan, onKeys }: ShellKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target } = event;
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key.toLowerCase() === "k";
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
      const isTyping = target instanceof Element && target.closest(TYPING) !== null;
      const run = isFind ? onFind : isPlain && !isTyping ? { n: onPlan, N: onPlan, "?": onKeys }[key] : undefined;
      if (run === undefined || event.defaultPrevented) return;
      event.preventDefault();
      if (document.querySelector("[role=dialog][aria-modal=true], dialog[open]") === null) run();
    };
    // After the page's own keys, which listen on the document.
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onFind, onPlan, onKeys]);
}
