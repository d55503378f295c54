import type { Command } from "commander";
import type { Terminal } from "./terminal/terminal.ts";

export interface Context extends RunOptions {
  readonly terminal: Terminal;
  readonly globals: () => Globals;
  /** The program with every command, each with its options. */
  readonly whole: () => Promise<Command>;
  /** Sets the exit code without an error, for an answer that is a refusal. */
  readonly endWith: (code: number) => void;
}

export interface RunOptions {
  /** Folder of the built web app that `serve` shows; the one of the checkout when absent. */
  readonly webRoot?: string;
}

/** The options that every command has. */
export interface Globals {
  readonly json?: true;
  readonly data?: string;
  readonly url?: string;
  readonly token?: string;
}
