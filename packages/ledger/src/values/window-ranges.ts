import { type BlockRange, invalid, MAX_BLOCKS, MAX_RANGES, rangesOf } from "@dosimeter/core";

/** The blocks as rising ranges without overlap: one form for one window, which its hash covers. INVALID_PARAMETER. */
export function checkRanges(window: readonly BlockRange[]): readonly BlockRange[] {
  if (window.length === 0) invalid("window", [], "at least one block");
  let blocks = 0;
  for (const { from, to } of window) {
    if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && from <= to))
      invalid("window", `${from} to ${to}`, "whole numbers, the first at most the last");
    blocks += to - from + 1;
    if (blocks > MAX_BLOCKS) invalid("window", blocks, `at most ${MAX_BLOCKS} blocks`);
  }
  const ranges = rangesOf(window.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)));
  if (ranges.length > MAX_RANGES) invalid("window", ranges.length, `at most ${MAX_RANGES} runs of blocks`);
  return ranges;
}
