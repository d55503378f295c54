import { readFileSync } from "node:fs";
import type { DpEvent } from "../event.ts";
import { totalLoss } from "./report.ts";

/** A training with DP-SGD, and what other accountants say that it costs: `test/golden/dp-sgd.json`. */
export interface Training {
  readonly rate: number;
  readonly noise: number;
  readonly steps: number;
  readonly delta: number;
  /** ε of dp_accounting, from above. */
  readonly pld: number;
  /** ε of Opacus, from below and from above; of every tenth. */
  readonly prv?: readonly [low: number, high: number];
}

export const trainings: readonly Training[] = JSON.parse(
  readFileSync(new URL("../../../../test/golden/dp-sgd.json", import.meta.url), "utf8"),
).rows;

export const stepsOf = ({ rate, noise }: Training, count: number): DpEvent => ({
  kind: "repeated",
  count,
  event: { kind: "poissonSampled", rate, event: { kind: "gaussian", noiseMultiplier: noise } },
});

/** What a training costs as one declared plan: ε at its δ. */
export const priceOf = (training: Training): number =>
  totalLoss([stepsOf(training, training.steps)], { delta: training.delta }, "pld").epsilon;

/** What `chunks` equal parts of it cost, each at its share of δ, summed. */
export const sumOfChunks = (training: Training, chunks: number): number =>
  chunks *
  totalLoss([stepsOf(training, Math.ceil(training.steps / chunks))], { delta: training.delta / chunks }, "pld").epsilon;
