import type { Readable, Writable } from "node:stream";

/** Where a command reads and writes. Answers go to `out`, everything else to `err`. */
export interface Terminal {
  readonly in: Readable;
  readonly out: Writable;
  readonly err: Writable;
  /** Whether `out` is a terminal: tables, colour and progress bars only then. */
  readonly isInteractive: boolean;
  /** Characters of a line; 80 when absent. */
  readonly columns?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory to which relative paths refer. */
  readonly cwd: string;
}

/** Of a pipe, and of a terminal that does not say how wide it is. */
const COLUMNS = 80;

export const widthOf = ({ columns = COLUMNS }: Pick<Terminal, "columns">): number => columns;

export function processTerminal(): Terminal {
  return {
    in: process.stdin,
    out: process.stdout,
    err: process.stderr,
    isInteractive: process.stdout.isTTY === true,
    columns: process.stdout.columns || COLUMNS,
    env: process.env,
    cwd: process.cwd(),
  };
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Style = keyof typeof styles;

/** `text` in a style, where the terminal wants colour (https://no-color.org). */
export function paint(terminal: Terminal, style: Style, text: string): string {
  const noColor = terminal.env.NO_COLOR;
  const hasColor = terminal.isInteractive && (noColor === undefined || noColor === "");
  return hasColor ? `\u001b[${styles[style]}m${text}\u001b[0m` : text;
}

/** Foreign text with control characters and marks of direction made visible, so that no name can control the terminal. */
export function printable(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
    /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** The same for text of several lines. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** A progress bar on `err` of a terminal; nothing in a pipe. */
export function progressBar(terminal: Terminal, title: string, total: number): (done: number) => void {
  if (!terminal.isInteractive) return () => {};
  return (done) => {
    const width = 30;
    const full = total === 0 ? width : Math.min(width, Math.round((done / total) * width));
    const end = done >= total ? "\n" : "";
    terminal.err.write(`\r\u001b[2K${title} ${"█".repeat(full)}${"░".repeat(width - full)} ${done}/${total}${end}`);
  };
}

/** The last where its terminal is closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Hears what would end this process, until the function that it gives is called. */
export function onSignals(act: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, act);
  return () => {
    for (const signal of SIGNALS) process.off(signal, act);
  };
}
