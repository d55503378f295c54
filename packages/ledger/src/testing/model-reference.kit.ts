import { quotaCaps, type Terms } from "@dosimeter/core";

/** The reference: a tree of plain sums. Under addition a charge costs (ε, δ); under tight, with Gaussian noise, (μ², 0). */
export interface Node {
  readonly id: string;
  readonly parent: Node | null;
  readonly holder: "ledger" | "dataset" | "team" | "principal" | "purpose";
  /** The id of the holder, or the name of a purpose. */
  readonly of: string;
  readonly kind: "share" | "cap";
  mode: "funded" | "overbooked";
  status: "active" | "frozen" | "closed";
  /** The quota in units; the root's is the lifetime. */
  epsilon: bigint;
  delta: bigint;
  /** Σε, or Σμ² under tight; a cap also counts charges of others that its holder read. */
  spent: bigint;
  spentDelta: bigint;
  /** The most one charge may take, in ε units. */
  limit: bigint | null;
  readonly children: Node[];
}

export interface Model {
  readonly rule: "addition" | "tight" | "additionThenTight";
  /** The terms of the version in force. */
  terms: Terms;
  /** The ledger is frozen: quota moves, and every charge is refused. */
  halted: boolean;
  /** After the switch a plain sum does not decide admission: the model compares sums and predicts no admissions. */
  switched: boolean;
  readonly root: Node;
}

export interface Amount {
  readonly epsilon: bigint;
  readonly delta: bigint;
}

export const newNode = (
  place: Pick<Node, "id" | "parent" | "holder" | "of"> & Partial<Pick<Node, "kind" | "mode">>,
  { epsilon, delta }: Amount,
): Node => {
  const made: Node = {
    kind: "share",
    mode: "funded",
    ...place,
    status: "active",
    epsilon,
    delta,
    spent: 0n,
    spentDelta: 0n,
    limit: null,
    children: [],
  };
  place.parent?.children.push(made);
  return made;
};

export const pathOf = (node: Node): readonly Node[] => (node.parent === null ? [node] : [...pathOf(node.parent), node]);

export const isOpen = ({ status }: Node): boolean => status !== "closed";

const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n);

export const promised = ({ children }: Node): Amount => ({
  epsilon: sum(children.map(({ epsilon }) => epsilon)),
  delta: sum(children.map(({ delta }) => delta)),
});

/** The room of a quota: a part of the ledger's, rounded down. Only the room of a cap under tight is no plain part. */
function roomOf({ rule, terms }: Model, { kind }: Pick<Node, "kind">, quota: Amount): Amount {
  const delta = terms.delta === 0n ? 0n : (terms.deltaSelection * quota.delta) / terms.delta;
  if (rule !== "tight") return { epsilon: quota.epsilon, delta };
  if (kind === "cap") return { epsilon: quotaCaps(terms, quota as never, "cap").mu2, delta };
  return { epsilon: (terms.mu2 * quota.epsilon) / terms.epsilon, delta };
}

/** Whether a quota could have paid for the spent amount and `more`. */
export function pays(model: Model, node: Node, quota: Amount, more: Amount = { epsilon: 0n, delta: 0n }): boolean {
  if (quota.epsilon < 0n || quota.delta < 0n) return false;
  const room = roomOf(model, node, quota);
  return node.spent + more.epsilon <= room.epsilon && node.spentDelta + more.delta <= room.delta;
}

const covers = (node: Node, { epsilon, delta }: Amount): boolean =>
  epsilon >= promised(node).epsilon && delta >= promised(node).delta;

/** The error of a charge for any caller, or "ok". */
export function admits(model: Model, node: Node, cost: Amount): string {
  const path = pathOf(node);
  if (model.halted || path.some(({ status }) => status !== "active")) return "ACCOUNT_CLOSED";
  const short = path.filter((each) => !pays(model, each, each, cost));
  if (short.length > 0) return short.includes(model.root) ? "BUDGET_EXHAUSTED" : "QUOTA_EXHAUSTED";
  const isLimited = model.rule !== "tight" && path.some(({ limit }) => limit !== null && cost.epsilon > limit);
  return isLimited ? "QUOTA_EXHAUSTED" : "ok";
}

/** The only function that spends; no function undoes it. */
export function spend(nodes: readonly Node[], { epsilon, delta }: Amount): void {
  for (const node of nodes) {
    node.spent += epsilon;
    node.spentDelta += delta;
  }
}

const hasRoom = (parent: Node, { epsilon, delta }: Amount): boolean =>
  parent.mode === "overbooked" ||
  (promised(parent).epsilon + epsilon <= parent.epsilon && promised(parent).delta + delta <= parent.delta);

const resize = (node: Node, { epsilon, delta }: Amount): void => void Object.assign(node, { epsilon, delta });

const less = (a: Amount, b: Amount): Amount => ({ epsilon: a.epsilon - b.epsilon, delta: a.delta - b.delta });

export function allocate(node: Node, amount: Amount): string {
  const { parent } = node;
  if (parent === null) return "NOT_FOUND";
  if (node.status !== "active" || parent.status !== "active") return "ACCOUNT_CLOSED";
  if (!hasRoom(parent, amount)) return "QUOTA_UNAVAILABLE";
  resize(node, { epsilon: node.epsilon + amount.epsilon, delta: node.delta + amount.delta });
  return "ok";
}

export function withdraw(model: Model, node: Node, amount: Amount): string {
  if (node.status === "closed") return "ACCOUNT_CLOSED";
  const left = less(node, amount);
  if ((node.mode === "funded" && !covers(node, left)) || !pays(model, node, left)) return "QUOTA_UNAVAILABLE";
  resize(node, left);
  return "ok";
}

/** Least value in [0, most] for which a rising condition holds; `most` where none does. */
function least(most: bigint, holds: (value: bigint) => boolean): bigint {
  let [no, yes] = [-1n, most];
  while (yes - no > 1n) {
    const middle = (no + yes) / 2n;
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** The free amount: neither spent, nor given to accounts below, nor lost by rounding. */
function freeOf(model: Model, node: Node): Amount {
  const holds = (quota: Amount): boolean => covers(node, quota) && pays(model, node, quota);
  if (!holds(node)) return { epsilon: 0n, delta: 0n };
  const epsilon = least(node.epsilon, (value) => holds({ epsilon: value, delta: node.delta }));
  const delta = least(node.delta, (value) => holds({ epsilon, delta: value }));
  return less(node, { epsilon, delta });
}

export function close(model: Model, node: Node): string {
  if (node.status === "closed") return "ok";
  if (node.children.some(isOpen)) return "CONFLICT";
  resize(node, less(node, freeOf(model, node)));
  node.status = "closed";
  return "ok";
}

/** Closes an account and all accounts below it, from the bottom up. */
export function closeTree(model: Model, node: Node): void {
  for (const child of node.children) closeTree(model, child);
  close(model, node);
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const positive = (value: bigint): bigint => (value > 0n ? value : 0n);

/** Takes the free amount, at most `wanted`, with `cascade` from the bottom up; returns the taken amount. */
export function recall(model: Model, node: Node, wanted: Amount, cascade: boolean): Amount {
  let free = freeOf(model, node);
  for (const child of cascade ? node.children.filter(isOpen) : []) {
    const missing = { epsilon: positive(wanted.epsilon - free.epsilon), delta: positive(wanted.delta - free.delta) };
    if (missing.epsilon === 0n && missing.delta === 0n) break;
    recall(model, child, missing, cascade);
    free = freeOf(model, node);
  }
  const taken = { epsilon: min(wanted.epsilon, free.epsilon), delta: min(wanted.delta, free.delta) };
  resize(node, less(node, taken));
  return taken;
}

/** Moves quota between two accounts: up to their common parent, then down; all of it or nothing. */
export function transfer(model: Model, from: Node, to: Node, amount: Amount): string {
  if (from === to) return "INVALID_PARAMETER";
  const [source, target] = [pathOf(from).toReversed(), pathOf(to).toReversed()];
  const up = source.filter((node) => !target.includes(node));
  const down = target.filter((node) => !source.includes(node)).toReversed();
  const funding = down[0]?.parent ?? to;
  if (up.some(({ status }) => status === "closed") || [funding, ...down, to].some(({ status }) => status !== "active"))
    return "ACCOUNT_CLOSED";
  const before = [...up, ...down].map((node) => ({ node, epsilon: node.epsilon, delta: node.delta }));
  const moves = [
    ...up.map((node) => () => withdraw(model, node, amount)),
    ...down.map((node) => () => allocate(node, amount)),
  ];
  for (const move of moves) {
    const answer = move();
    if (answer === "ok") continue;
    for (const { node, ...old } of before) resize(node, old);
    return answer;
  }
  return "ok";
}

export interface Opening extends Pick<Node, "holder" | "of" | "kind" | "mode"> {
  readonly parent: Node;
  /** The person and the services that act for them. */
  readonly analyst: readonly string[];
  readonly amount: Amount;
}

/** The error of opening an account there, or "ok"; the caller makes the node. */
export function opens(root: Node, { parent, holder, of, kind, analyst, amount }: Opening): string {
  if (kind === "cap" && (holder === "purpose" || holder === "dataset")) return "INVALID_PARAMETER";
  const isOwned = parent.holder === "purpose" && parent.parent?.holder === "principal";
  if (isOwned || (parent.holder === "principal" && holder !== "purpose")) return "INVALID_PARAMETER";
  if (parent.status !== "active") return "ACCOUNT_CLOSED";
  const open = allBelow(root).filter(isOpen);
  const others = open.filter((node) => node.holder === "principal" && node.of !== of && analyst.includes(node.of));
  if (holder === "principal" && others.some((node) => kind === "cap" || node.kind === "cap")) return "CONFLICT";
  if (open.some((node) => node.parent === parent && node.holder === holder && node.of === of)) return "CONFLICT";
  return hasRoom(parent, amount) ? "ok" : "QUOTA_UNAVAILABLE";
}

export const allBelow = (node: Node): readonly Node[] => node.children.flatMap((child) => [child, ...allBelow(child)]);

export const canFund = (parent: Node, amount: Amount): boolean => parent.status === "active" && hasRoom(parent, amount);
