export { type Bench, type FuzzedStatistic, fuzzSensitivities } from "./self-audit/fuzz.ts";
export { type MadeUpRow, madeUpNames } from "./self-audit/people.ts";
export { type ReplayedNoise, type ReplayOptions, replayed, replayNoise } from "./self-audit/replay.ts";
