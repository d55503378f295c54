import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { brokenInvariants, listOf } from "../packages/core/src/accounting/broken-invariants.kit.ts";

/**
 * Ten thousand random lists of events, each asked everything that must be true of it. A run goes on where the last one stopped:
 * `npm run bench:night` again, or `npm run bench:night -- 600` for at most 600 seconds of the processor.
 */
const LISTS = 10_000;
const KEPT = new URL("night.json", import.meta.url);
const SAVED_EVERY = 20;

interface Night {
  next: number;
  seconds: number;
  /** The longest list, in seconds of the processor for all of its questions. */
  longest: { seed: number; seconds: number };
  broken: { seed: number; list: unknown; said: readonly string[] }[];
}

const seconds = (): number => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
const night: Night = existsSync(KEPT)
  ? JSON.parse(readFileSync(KEPT, "utf8"))
  : { next: 0, seconds: 0, longest: { seed: 0, seconds: 0 }, broken: [] };
const most = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
const start = seconds();
let saved = start;

function save(): void {
  night.seconds = Math.round(night.seconds + seconds() - saved);
  saved = seconds();
  writeFileSync(KEPT, `${JSON.stringify(night, null, 1)}\n`);
}

while (night.next < LISTS && seconds() - start < most) {
  const seed = night.next;
  const before = seconds();
  const said = brokenInvariants(seed);
  const took = seconds() - before;
  if (took > night.longest.seconds) night.longest = { seed, seconds: Number(took.toFixed(1)) };
  if (said.length > 0) night.broken.push({ seed, list: listOf(seed), said });
  night.next++;
  if (night.next % SAVED_EVERY === 0) save();
}
save();
console.log(
  `${night.next} of ${LISTS} lists, ${night.broken.length} with something that cannot be true, ${night.seconds} s`,
);
