/** Undo and redo keep whole states, so that going back restores them exactly. */
export interface History<State> {
  readonly past: readonly Step<State>[];
  readonly present: State;
  readonly future: readonly Step<State>[];
}

interface Step<State> {
  readonly state: State;
  /** The edit after this state, in words. */
  readonly label: string;
}

export const openHistory = <State>(present: State): History<State> => ({ past: [], present, future: [] });

/** Adds a state and drops the undone ones. */
export const committed = <State>({ past, present }: History<State>, next: State, label: string): History<State> => ({
  past: [...past, { state: present, label }],
  present: next,
  future: [],
});

export function undone<State>({ past, present, future }: History<State>): History<State> {
  const last = past.at(-1);
  if (last === undefined) return { past, present, future };
  return { past: past.slice(0, -1), present: last.state, future: [{ state: present, label: last.label }, ...future] };
}

export function redone<State>({ past, present, future }: History<State>): History<State> {
  const [next, ...rest] = future;
  if (next === undefined) return { past, present, future };
  return { past: [...past, { state: present, label: next.label }], present: next.state, future: rest };
}
