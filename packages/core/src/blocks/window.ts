import { invalid } from "../error.ts";
import { type Blocks, blockName, blockNamed } from "./blocks.ts";
import { type BlockRange, blocksIn, rangesOf } from "./run.ts";

/** Over which blocks a plan goes, as it is asked for. Names are those of `blockName`. */
export type WindowRequest =
  | { readonly latest: number }
  | { readonly from: string; readonly to: string }
  | { readonly blocks: readonly string[] }
  | { readonly all: "closed" };

/** What has happened to blocks so far, by the calendar or by an admin's act. */
export interface BlockTimes {
  readonly opened: readonly BlockRange[];
  readonly closed: readonly BlockRange[];
}

/**
 * The blocks of a window as ranges: what a quote shows and a charge stores. `latest` and `all` are of closed blocks. INVALID_PARAMETER for
 * names that are not declared, blocks that are not opened, a window without blocks, and a `latest` with fewer blocks than asked for.
 * Reads nothing but public acts [M162].
 */
export function resolveWindow(
  blocks: Blocks,
  request: WindowRequest,
  { opened, closed }: BlockTimes,
): readonly BlockRange[] {
  if ("all" in request || "latest" in request) {
    if (closed.length === 0) invalid("window", request, "of opened blocks, as none is closed yet");
    return "all" in request ? closed : latest(blocks, request.latest, closed);
  }
  const window =
    "blocks" in request
      ? rangesOf(
          request.blocks.map((name, index) => blockNamed(blocks, name, `window.blocks[${index}]`)),
          (block) => blockName(blocks, block),
        )
      : [span(blocks, request)];
  if (window.length === 0) invalid("window.blocks", [], "at least one block");
  for (const range of window) {
    const missing = firstOutside(range, opened);
    if (missing !== null) invalid("window", blockName(blocks, missing), "blocks that have been opened");
  }
  return window;
}

function latest(blocks: Blocks, count: number, closed: readonly BlockRange[]): readonly BlockRange[] {
  inOrderOfTime(blocks, "window.latest");
  const have = blocksIn(closed);
  if (!Number.isSafeInteger(count) || count < 1 || count > have)
    invalid("window.latest", count, `a whole number from 1 to ${have}, the number of closed blocks`);
  const window: BlockRange[] = [];
  let left = count;
  for (const { from, to } of [...closed].reverse()) {
    if (left === 0) break;
    const first = Math.max(from, to - left + 1);
    window.unshift({ from: first, to });
    left -= to - first + 1;
  }
  return window;
}

function span(blocks: Blocks, { from, to }: { readonly from: string; readonly to: string }): BlockRange {
  inOrderOfTime(blocks, "window.from");
  const range = { from: blockNamed(blocks, from, "window.from"), to: blockNamed(blocks, to, "window.to") };
  if (range.from > range.to) invalid("window.from", from, `at most window.to (${to})`);
  return range;
}

function inOrderOfTime({ kind }: Blocks, name: string): void {
  if (kind === "cohorts") invalid(name, kind, "used with a calendar: cohorts are named one by one");
}

function firstOutside(range: BlockRange, opened: readonly BlockRange[]): number | null {
  let from = range.from;
  for (const run of opened) {
    if (run.from > from) break;
    if (run.to >= from) from = run.to + 1;
  }
  return from <= range.to ? from : null;
}
