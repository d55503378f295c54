/** One way in which a state may go on, with what it is called in a trace. */
export interface Step<S> {
  readonly label: string;
  readonly to: S;
}

export interface Protocol<S> {
  readonly initial: S;
  readonly next: (state: S) => Iterable<Step<S>>;
  /** What is wrong with a step, or with the state that it leads to; null where nothing is. */
  readonly wrong: (from: S, step: Step<S>) => string | null;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** The longest of the shortest ways to a state. */
  readonly depth: number;
  /** The first thing that is wrong, and one of the shortest ways to it; null where every state that can be reached is right. */
  readonly wrong: { readonly what: string; readonly trace: readonly string[] } | null;
}

/** Visits every state that can be reached, the nearest first; states are equal where their JSON is. */
export function explore<S>({ initial, next, wrong }: Protocol<S>): Explored {
  const seen = new Set([JSON.stringify(initial)]);
  const cameBy: { readonly from: number; readonly label: string }[] = [{ from: -1, label: "" }];
  let [transitions, depth, first] = [0, 0, 0];
  for (let layer = [initial]; layer.length > 0; depth += 1) {
    const after: S[] = [];
    for (const [index, from] of layer.entries())
      for (const step of next(from)) {
        transitions += 1;
        const key = JSON.stringify(step.to);
        const what = wrong(from, step);
        if (what !== null) {
          const trace = [step.label];
          for (let at = cameBy[first + index]; at !== undefined && at.from >= 0; at = cameBy[at.from])
            trace.unshift(at.label);
          return { states: seen.size, transitions, depth, wrong: { what, trace } };
        }
        if (seen.has(key)) continue;
        seen.add(key);
        cameBy.push({ from: first + index, label: step.label });
        after.push(step.to);
      }
    first += layer.length;
    layer = after;
  }
  return { states: seen.size, transitions, depth: depth - 1, wrong: null };
}
