import { apart, type Extent, type SqlToken, tokensIn } from "../tokens.ts";
import type { Reading } from "./reading.ts";
import { isNode, type Node } from "./tree.ts";
import type { Frame } from "./walk.ts";

export function spanOf(tokens: readonly SqlToken[]): Extent {
  return { from: tokens[0]?.start ?? 0, to: tokens.at(-1)?.end ?? 0 };
}

const SET_OPERATION = new Set(["UNION", "INTERSECT", "EXCEPT"]);

export function extentOf(frame: Frame, reading: Reading & { readonly kind: string }): readonly SqlToken[] | null {
  const { tokens, kind } = reading;
  if (frame.how === "arm") return armOf(frame, reading);
  if (frame.parent === null) {
    if (kind === "SelectStmt") return unbracketed(tokens);
    const depth = kind === "CopyStmt" ? 1 : 0;
    const from = kind === "DeclareCursorStmt" ? tokens.findIndex(({ upper }) => upper === "FOR") + 1 : 0;
    const start = tokens.findIndex(
      ({ upper, depth: at }, place) => place >= from && at === depth && /^(?:SELECT|WITH)$/.test(upper),
    );
    if (start < 0) return null;
    const end = depth === 0 ? tokens.length : tokens.findIndex(({ depth: at }, place) => place > start && at === 0);
    return tokens.slice(start, end);
  }
  const [least, most] = spread(frame.node);
  const base = tokens[0]?.place ?? 0;
  for (let place = countTo(tokens, least) - 1; place >= 0; place -= 1) {
    const token = tokens[place];
    if (token?.text !== "(" || token.closes < 0) continue;
    const close = token.closes - base;
    if ((tokens[close - 1]?.end ?? 0) <= most) continue;
    const inner = tokens.slice(place + 1, close);
    if (/^(?:SELECT|WITH|VALUES)$/.test(unbracketed(inner)[0]?.upper ?? "")) return inner;
  }
  return null;
}

const countTo = (tokens: readonly SqlToken[], place: number): number =>
  tokensIn(tokens, { from: 0, to: place }).length + 1;

function unbracketed(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const base = tokens[0]?.place ?? 0;
  let [from, to] = [0, tokens.length];
  while (tokens[from]?.text === "(" && tokens[from]?.closes === base + to - 1) [from, to] = [from + 1, to - 1];
  return from === 0 ? tokens : tokens.slice(from, to);
}

function armOf(frame: Frame, reading: Reading & { readonly kind: string }): readonly SqlToken[] | null {
  let whole = frame;
  while (whole.how === "arm" && whole.parent !== null) whole = whole.parent;
  const leaves = leavesOf(whole.node);
  const container = extentOf(whole, reading);
  if (container === null) return null;
  const start = container.findIndex(
    ({ upper, depth }) => depth === container[0]?.depth && /^(?:SELECT|\()$/.test(upper),
  );
  const parts = apart(container.slice(Math.max(0, start)), ({ upper }) => SET_OPERATION.has(upper)).map((part) =>
    /^(?:ALL|DISTINCT)$/.test(part[0]?.upper ?? "") ? part.slice(1) : part,
  );
  if (parts.length !== leaves.length) return null;
  const part = parts[leaves.indexOf(frame.node)];
  if (part === undefined) return null;
  const end = part.findIndex(
    ({ upper, depth }) => depth === part[0]?.depth && /^(?:ORDER|LIMIT|OFFSET|FETCH|FOR)$/.test(upper),
  );
  return unbracketed(end < 0 ? part : part.slice(0, end));
}

const leavesOf = (node: Node): readonly Node[] =>
  isNode(node.larg) && isNode(node.rarg) ? [...leavesOf(node.larg), ...leavesOf(node.rarg)] : [node];

/** The least and the greatest place that a part of the tree names. */
function spread(value: unknown): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, inner] of Object.entries(part))
      if (key === "location" && typeof inner === "number" && inner >= 0)
        [least, most] = [Math.min(least, inner), Math.max(most, inner)];
      else look(inner);
  };
  look(value);
  return [least, most];
}
