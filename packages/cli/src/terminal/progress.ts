import type { Terminal } from "./terminal.ts";

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
