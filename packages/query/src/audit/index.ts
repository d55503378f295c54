export { type Bench, type FuzzedStatistic, fuzzSensitivities } from "./fuzz.ts";
export { type MadeUpRow, madeUpNames } from "./people.ts";
export { type ReplayedNoise, type ReplayOptions, replayed, replayNoise } from "./replay.ts";
