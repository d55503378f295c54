import { fromLosses, type LossDistribution, type TradeoffFunction } from "@dosimeter/core/tradeoff";
import { useEffect, useMemo, useRef, useState } from "react";
import { curveOf, definitionOf, type Entry, isHeavy, nameOf } from "./state.ts";

/** A curve of the page, or why there is none yet. */
export interface Shown {
  readonly name: string;
  readonly curve: TradeoffFunction | null;
  readonly problem: string | null;
}

interface Reply {
  readonly key: string;
  readonly losses?: LossDistribution;
  /** The least μ, which the loss distribution alone tells only where no tail was cut. */
  readonly mu?: number;
  readonly problem?: string;
}

/** The curves of the entries; compositions that need transforms are computed in a worker and kept by their definition. */
export function useCurves(entries: readonly Entry[]): readonly Shown[] {
  const [done, setDone] = useState<Readonly<Record<string, Reply>>>({});
  const worker = useRef<Worker | null>(null);
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
      if (worker.current === null) {
        worker.current = new Worker(new URL("../tradeoff-worker.ts", import.meta.url), { type: "module" });
        worker.current.onmessage = ({ data }: MessageEvent<Reply>) => setDone((all) => ({ ...all, [data.key]: data }));
      }
      worker.current.postMessage({ key, definition });
    }
  }, [heavy]);
  useEffect(
    () => () => {
      worker.current?.terminate();
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
        const reply = done[JSON.stringify(definition)];
        if (reply === undefined) return { name, curve: null, problem: "composing …" };
        const { losses, mu = Number.POSITIVE_INFINITY } = reply;
        if (losses === undefined) return { name, curve: null, problem: reply.problem ?? "cannot be composed" };
        return { name, ...tryCurve(() => ({ ...fromLosses(losses, name), gaussian: { mu, isLeast: true } })) };
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
