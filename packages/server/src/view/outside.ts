import type { Ledger as LedgerView } from "@dosimeter/client";
import { formatDelta, formatMu2 } from "@dosimeter/core";
import type { Declared, OutsideSpend } from "@dosimeter/ledger";
import { epsilonOrNull } from "./balance.ts";
import type { Directory } from "./directory.ts";

export const toolText = (tool: Declared["tool"] | null): string | null =>
  tool == null ? null : `${tool.name} ${tool.version}`;

export const publishedText = (published: Declared["published"] | null): string | null =>
  published == null ? null : `${published.on}, ${published.where}`;

export const outsideView = (
  { charges, epsilon, delta, mu2, programs }: OutsideSpend,
  { nameOf }: Pick<Directory, "nameOf">,
): LedgerView["outside"] => ({
  charges,
  epsilon: epsilonOrNull(epsilon),
  delta: formatDelta(delta),
  mu2: mu2 === null ? null : formatMu2(mu2),
  programs: programs.map(({ tool, published, ...program }) => ({
    ...program,
    personName: nameOf(program.person),
    tool: toolText(tool),
    published: publishedText(published),
  })),
});
