import { type BlockRange, type CalendarUnit, type DpEvent, formatDate, isStepOf, rangeName } from "@dosimeter/core";
import { canonicalJson, isRecord } from "@dosimeter/core/internal";
import type { Json } from "../values/json.ts";

/** What of a charge says whether it may be a step of a running total that goes on. */
export interface StepFacts {
  readonly account: string;
  readonly dataset: string;
  readonly request: Json;
  readonly events: readonly DpEvent[];
  /** The blocks that it debited. */
  readonly blocks: readonly BlockRange[];
}

/** Of how many blocks the running total of a plan will be, where it goes on from report to report; null for any other plan. */
export function horizonIn(plan: unknown): number | null {
  const horizon = isRecord(plan) ? plan.horizon : undefined;
  return typeof horizon === "number" ? horizon : null;
}

/** Where a request names something else. */
const NO_CHARGE = "";

/** The charges of the steps before, as a request names them; null where it is no step. */
export function stepsBefore(request: Json): readonly string[] | null {
  if (!isRecord(request)) return null;
  const { continues } = request;
  if (continues === undefined) return horizonIn(request.plan) === null ? null : [];
  return Array.isArray(continues) ? continues.map((id) => (typeof id === "string" ? id : NO_CHARGE)) : [];
}

/**
 * Why a charge is no step after those before it; null where it is one: it debits its newest block alone, at the price of its column of the
 * matrix, and each other block that it reads was debited so by the charge of its own step [M209].
 */
export function whyNoStep(step: StepFacts, before: readonly (StepFacts | null)[], every: CalendarUnit): string | null {
  const horizon = horizonIn(isRecord(step.request) ? step.request.plan : null);
  if (horizon === null || !Number.isInteger(horizon) || before.length >= horizon)
    return "goes on beyond the periods that were priced";
  const newest = onlyBlock(step.blocks);
  if (newest === null) return "debits other blocks than its newest one";
  const first = newest - before.length;
  if (isRecord(step.request) && !isWindow(step.request.window, [{ from: first, to: newest }], every))
    return "reads other blocks than those so far";
  const named = stepsBefore(step.request) ?? [];
  for (const [index, one] of before.entries()) {
    const isBefore =
      one !== null &&
      canonicalJson([...(stepsBefore(one.request) ?? [])]) === canonicalJson(named.slice(0, index)) &&
      one.account === step.account &&
      one.dataset === step.dataset &&
      onlyBlock(one.blocks) === first + index &&
      planText(one.request) === planText(step.request);
    if (!isBefore) return `reads ${formatDate(first + index, every)}, which no step of it has paid for`;
  }
  const at = { horizon, step: before.length + 1 };
  return isStepOf((before[0] ?? step).events, step.events, at) ? null : "has another price than its first step set";
}

/** Whether a request that is no step says that it reads the blocks that it debits; it may say nothing where it debits none, or has no plan [M160]. */
export function readsWhatItPays(request: Json, blocks: readonly BlockRange[], every: CalendarUnit): boolean {
  const read = readIn(request);
  return read === undefined ? blocks.length === 0 || planIn(request) === null : isWindow(read, blocks, every);
}

/** What a request says that it reads; undefined where it says nothing. */
export const readIn = (request: Json): unknown =>
  (isRecord(request) ? request.window : undefined) ?? planIn(request)?.window;

const planIn = (request: Json): Readonly<Record<string, unknown>> | null =>
  isRecord(request) && isRecord(request.plan) ? request.plan : null;

const isWindow = (window: unknown, blocks: readonly BlockRange[], every: CalendarUnit): boolean => {
  const names = blocks.map(({ from, to }) => rangeName(formatDate(from, every), formatDate(to, every)));
  return canonicalJson((window ?? null) as Json) === canonicalJson({ blocks: names });
};

const onlyBlock = ([one, ...others]: readonly BlockRange[]): number | null =>
  one === undefined || others.length > 0 || one.from !== one.to ? null : one.to;

/** A plan but for the blocks that it reads. */
function planText(request: Json): string {
  return canonicalJson({ ...planIn(request), window: null } as Json);
}
