import type { Quote } from "@dosimeter/client";
import { say, sayTable } from "../terminal/output.ts";
import { paint, printable, type Terminal } from "../terminal/terminal.ts";
import { costText, leftText, percent } from "./columns.ts";

/** Every answer with its error and offers of earlier ones, the cost, and what each account on the way would have left. */
export async function showQuote(terminal: Terminal, quote: Quote): Promise<void> {
  for (const { label, sentence, reuse } of quote.statistics) {
    say(terminal, `· ${printable(label)}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`);
    for (const offer of reuse.offers)
      say(terminal, `  ${offer.id === reuse.chosen ? "→" : "○"} ${offer.sentence}  [${offer.id}]`);
    if (reuse.note !== null) say(terminal, paint(terminal, "dim", `  ${reuse.note}`));
  }
  for (const warning of quote.warnings) say(terminal, `${paint(terminal, "yellow", "Warning")}  ${printable(warning)}`);
  if (quote.cost !== null) say(terminal, `\n${paint(terminal, "bold", "Cost")}  ${costText(quote.cost)}`);
  if (quote.switches) say(terminal, "Paying this switches the ledger to the tight rule, once and for good.");
  say(terminal);
  await sayTable(terminal, quote.path, [
    { heading: "account", cell: ({ name }) => name },
    { heading: "not spent now", cell: ({ before }) => leftText(before) },
    { heading: "not spent after", cell: ({ after }) => (after === null ? "does not fit" : leftText(after)) },
    { heading: "used after", cell: ({ after }) => (after === null ? "" : percent(after.used)), right: true },
  ]);
  if (quote.refusal === null) return;
  const { code, detail } = quote.refusal;
  say(terminal, `\n${paint(terminal, "red", "Refused")}  ${detail} [${code}]`);
}
