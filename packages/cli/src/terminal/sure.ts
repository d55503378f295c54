import { createInterface } from "node:readline/promises";
import { finished } from "node:stream/promises";
import type { Quote } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { paint, printable, type Terminal } from "./terminal.ts";

/** In a pipe there is no one to answer. */
export const canAnswer = ({ isInteractive, in: input }: Terminal): boolean =>
  isInteractive && (input as { readonly isTTY?: boolean }).isTTY === true;

export async function sure(asks: string, terminal: Terminal): Promise<void> {
  if (!canAnswer(terminal)) return;
  const lines = createInterface({ input: terminal.in, output: terminal.err });
  const isOver = finished(terminal.in, { writable: false }).then(
    () => "",
    () => "",
  );
  // One that has ended closes nothing, so nothing would answer.
  const answer = await Promise.race([lines.question(`${asks} Type yes to go on: `).catch(() => ""), isOver]); // Ctrl-D
  lines.close();
  if (answer.trim().toLowerCase() !== "yes") invalid("the answer", answer, "yes; nothing was done");
}

/** Before a release is paid: what of it would be in vain, by its quote. Programs read `warnings` of a quote. */
export async function sureOfVain(
  quote: () => Promise<Pick<Quote, "warnings">>,
  terminal: Terminal,
  { yes }: { readonly yes?: true },
): Promise<void> {
  if (yes === true || !canAnswer(terminal)) return;
  const { warnings } = await quote();
  if (warnings.length === 0) return;
  for (const each of warnings) terminal.err.write(`${paint(terminal, "yellow", "Warning")}  ${printable(each)}\n`);
  await sure("It is charged all the same.", terminal);
}

/** The flag that answers both. */
export const YES = ["-y, --yes", "do not ask, whatever of it would be paid for in vain"] as const;
