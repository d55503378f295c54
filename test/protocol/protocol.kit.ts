import { actions, REPLACED, uncounted } from "./actions.kit.ts";
import type { Protocol, Step } from "./explore.kit.ts";
import { folded, pendingIn } from "./lines.kit.ts";
import { type Action, type Bounds, mayTake, type Rules, type Server, type State } from "./state.kit.ts";

/** What is wrong with a step; null where nothing is. */
function wrongIn(from: State, { label, to }: Step<State>, all: Rules, { lifetime }: Bounds): string | null {
  const now = folded(to.database.lines);
  const { shown } = to;
  if (shown.some((draw) => shown.some((other) => other !== draw && other[0] === draw[0]))) return "answered twice";
  const keys = [...now.charges.values()];
  if (new Set(keys).size < keys.length) return "charged twice";
  if (now.spent > lifetime || shown.length > lifetime) return "over the lifetime";
  const before = folded(from.database.lines);
  const isForgotten = (charge: string, draw: string) => shown.includes(draw) && now.released.get(charge) !== draw;
  if (!label.startsWith(REPLACED) && [...before.released].some(([charge, draw]) => isForgotten(charge, draw)))
    return "lost";
  const isServed = to.servers.some(({ isUp, knows }) => isUp && knows === to.database.copy);
  if (!isServed) return null;
  if (now.isOpen && uncounted(shown, now) > now.writtenOff) return "uncounted";
  const isStuck = (charge: string): boolean =>
    !to.servers.some(
      ({ isUp, work }, index) => isUp && (work[charge] !== undefined || mayTake(to, index, charge, all)),
    );
  return pendingIn(now).some(isStuck) ? "never answered" : null;
}

export function protocol(bounds: Bounds, all: Rules): Protocol<State> {
  const server: Server = { isUp: true, knows: 0, kept: "here", work: {} };
  return {
    initial: {
      database: { lines: "", leases: {}, copy: 0 },
      servers: Array.from({ length: bounds.servers }, () => server),
      before: "",
      witness: "here",
      shown: [],
      left: bounds.left,
    },
    *next(state) {
      // Nothing that others do depends on when a server draws, or drops what it may not store, unless an older database may still want it; and the
      // sooner an answer is seen, the more can go wrong. So these come at once, which leaves fewer orders to visit.
      const { measure, drop, show, ...others } = actions;
      const isLast = state.left.copies === 0;
      const [first] = [measure, show, ...(isLast ? [drop] : [])].flatMap((action) => [...action.next(state, all)]);
      if (first !== undefined) return yield { label: first[0], to: first[1] };
      for (const { next } of [...Object.values(others), drop] as readonly Action[])
        for (const [label, to] of next(state, all, bounds)) yield { label, to };
    },
    wrong: (from, step) => wrongIn(from, step, all, bounds),
  };
}
