/** "server": this page came from a Dosimeter server. "static": it came from a file host, and there is no server. */
type Mode = "server" | "static";

/** The server writes `<meta name="dosimeter-api" content="…">` into the page it serves; a file host does not. */
export const apiUrl: string | undefined =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="dosimeter-api"]')?.content ?? undefined;

export const mode: Mode = apiUrl === undefined ? "static" : "server";
