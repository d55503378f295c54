import type { Release } from "@dosimeter/client";
import { datasetText } from "@dosimeter/plot/report";
import { sayFacts } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { costText } from "./columns.ts";

/** Which release it is, what it cost, its line in the ledger and what is guaranteed. */
export function receiptFacts(
  terminal: Terminal,
  release: Pick<Release, "id" | "receipt" | "joined" | "datasetName" | "version">,
): void {
  const { receipt } = release;
  sayFacts(terminal, [
    ["release", release.id],
    ...(release.joined === null ? [] : [["dataset", datasetText(release)] as const]),
    ...(receipt === null
      ? []
      : ([
          ["cost", costText({ ...receipt, mu2: null })],
          ["receipt", `line ${receipt.entry}, ${receipt.entryHash}`],
          ["guarantee", receipt.guarantee],
        ] as const)),
  ]);
}
