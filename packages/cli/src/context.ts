import type { Terminal } from "./terminal/terminal.ts";

/** What every command gets. */
export interface Context {
  readonly terminal: Terminal;
  readonly globals: () => Globals;
  /** Ends with this code although nothing was thrown: an answer that is a refusal. */
  readonly endWith: (code: number) => void;
}

/** The options that every command has. */
export interface Globals {
  readonly json?: true;
  readonly data?: string;
  readonly url?: string;
  readonly token?: string;
}
