/** Copies a text; false where the page has no clipboard, as without TLS. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Downloads a text or bytes as a file. */
export function download(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Gives the focus to a message, with its beginning on the screen. */
export function showFocused(message: HTMLElement | null): void {
  message?.focus({ preventScroll: true });
  const { top = 0 } = message?.getBoundingClientRect() ?? {};
  if (top < 0 || top > 0.6 * innerHeight) message?.scrollIntoView({ block: "start" });
}

export function ancestorsOf(element: Element | null): readonly Element[] {
  const path: Element[] = [];
  for (let at = element; at !== null && at !== document.body; at = at.parentElement) path.push(at);
  return path;
}

/** Gives the focus back to where it was or, if that is gone, to the part of the page that it was in. */
export function focusBack([was, ...around]: readonly Element[]): void {
  if (document.activeElement !== document.body || was === undefined) return;
  if (was.isConnected) {
    if (was instanceof HTMLElement && !was.matches(":disabled")) was.focus({ preventScroll: true });
    return;
  }
  const part = around.find((element) => element.isConnected)?.closest("section[aria-label], article, dialog, main");
  if (!(part instanceof HTMLElement)) return;
  if (!part.hasAttribute("tabindex")) part.setAttribute("tabindex", "-1");
  part.focus({ preventScroll: true });
}

/**
 * A browser drops the focus when its element is removed (a finished row) or disabled (a waiting button): the
 * next Tab, or a screen reader, would start elsewhere. Here the focus stays in its part of the page; a click
 * elsewhere, which leaves an element as it is, does not bring the focus back. Ends when the returned function is called.
 */
export function keepFocus(): () => void {
  let path: readonly Element[] = [];
  const remember = ({ target }: FocusEvent) => {
    if (target instanceof Element) path = ancestorsOf(target);
  };
  const changes = new MutationObserver(() => focusBack(path));
  const forget = ({ target, relatedTarget }: FocusEvent) => {
    if (!(target instanceof Element) || relatedTarget !== null) return;
    // A browser may say so before the element is gone, or while it is only moved.
    queueMicrotask(() => {
      const isTaken =
        !target.isConnected ||
        target.matches(":disabled") ||
        changes.takeRecords().some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(target)));
      if (isTaken) focusBack(path);
      else if (document.activeElement === document.body) path = [];
    });
  };
  document.addEventListener("focusin", remember);
  document.addEventListener("focusout", forget);
  changes.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
  return () => {
    document.removeEventListener("focusin", remember);
    document.removeEventListener("focusout", forget);
    changes.disconnect();
  };
}

/** The router takes path and search apart. */
export function addressOf(path: string) {
  const { pathname, searchParams } = new URL(path, location.origin);
  return { to: pathname, search: Object.fromEntries(searchParams) as never };
}
