import { AsyncLocalStorage } from "node:async_hooks";
import { PrivacyError } from "@dosimeter/core";
import type { SpanFacts, SpanName } from "./span-facts.ts";

/** A step of a request, as a trace shows it. */
export interface Span {
  readonly child: (name: SpanName, facts: SpanFacts) => Span;
  readonly tell: (facts: SpanFacts) => void;
  readonly end: () => void;
}

/** What the running code works for. */
export interface Current {
  /** The id that the answer of the request carries. */
  readonly request?: string | undefined;
  /** What begins now is a step of it; absent where nothing is traced. */
  readonly span?: Span | undefined;
}

// Holds nothing itself: each request and release that runs has its own.
const running = new AsyncLocalStorage<Current>();

export const current = (): Current => running.getStore() ?? {};
export const runAs = <T>(what: Current, work: () => T): T => running.run(what, work);

/** Runs work as a step of what is current, with the code of its refusal; without a trace just runs it. */
export async function traced<T>(name: SpanName, facts: SpanFacts, work: () => Promise<T>): Promise<T> {
  const above = current();
  const span = above.span?.child(name, facts);
  if (span === undefined) return work();
  try {
    return await runAs({ ...above, span }, work);
  } catch (error) {
    span.tell({ code: error instanceof PrivacyError ? error.code : "INTERNAL" });
    throw error;
  } finally {
    span.end();
  }
}
