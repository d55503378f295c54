import { asUpper } from "@dosimeter/core/internal";
import { fromLosses, type TradeoffFunction } from "@dosimeter/tradeoff";
import { useEffect, useMemo, useRef, useState } from "react";
import { openWorker, type TaskWorker } from "../../worker/open-worker.ts";
import type { OutputOf } from "../../worker/tasks.ts";
import { curveOf, definitionOf, type Entry, isHeavy, nameOf } from "./state.ts";

/** A curve of the page, or why there is none yet. */
export interface Shown {
  readonly name: string;
  readonly curve: TradeoffFunction | null;
  readonly problem: string | null;
}

/** The result of a composition: its losses and its least μ, or an error. */
type Composed = Partial<OutputOf<"composeCurve">> & { readonly problem?: string };

/** The curves of the entries; compositions that need transforms are computed in the worker and kept by their definition. */
export function useCurves(entries: readonly Entry[]): readonly Shown[] {
  const [done, setDone] = useState<Readonly<Record<string, Composed>>>({});
  const worker = useRef<TaskWorker | null>(null);
  const asked = useRef(new Set<string>());
  const heavy = useMemo(
    () =>
      entries.flatMap((_, i) => {
        const definition = definitionOf(entries, i);
        return definition !== null && isHeavy(definition) ? [definition] : [];
      }),
    [entries],
  );
  useEffect(() => {
    for (const definition of heavy) {
      const key = JSON.stringify(definition);
      if (asked.current.has(key)) continue;
      asked.current.add(key);
      worker.current ??= openWorker();
      const keep = (composed: Composed): void => setDone((all) => ({ ...all, [key]: composed }));
      worker.current.run("composeCurve", definition).then(keep, (error: Error) => keep({ problem: error.message }));
    }
  }, [heavy]);
  useEffect(
    () => () => {
      worker.current?.close();
      worker.current = null;
      asked.current.clear();
    },
    [],
  );
  return useMemo(
    () =>
      entries.map((_, i) => {
        const name = nameOf(entries, i);
        const definition = definitionOf(entries, i);
        if (definition === null) return { name, curve: null, problem: "choose curves to compose" };
        if (!isHeavy(definition)) return { name, ...tryCurve(() => curveOf(entries, i)) };
        const composed = done[JSON.stringify(definition)];
        if (composed === undefined) return { name, curve: null, problem: "composing …" };
        const { losses, mu = asUpper(Number.POSITIVE_INFINITY, "exact") } = composed;
        if (losses === undefined) return { name, curve: null, problem: composed.problem ?? "cannot be composed" };
        return { name, ...tryCurve(() => fromLosses(losses, name, { mu, isLeast: true })) };
      }),
    [entries, done],
  );
}

function tryCurve(make: () => TradeoffFunction | null): Pick<Shown, "curve" | "problem"> {
  try {
    return { curve: make(), problem: null };
  } catch (error) {
    return { curve: null, problem: error instanceof Error ? error.message : "not a curve" };
  }
}
