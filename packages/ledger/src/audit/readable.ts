export const UNREADABLE = "cannot be read";

/** What `read` gives, or undefined when a stored text is no longer what was stored. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
