import { invalid } from "../error.ts";
import { type DpEvent, eventKinds, parseEvent } from "../event.ts";
import { isRecord } from "../json.ts";
import { choiceOf } from "../near.ts";
import { numbersIn, readTable } from "../separated.ts";
import type { AgentSpend } from "./as-published/agent.ts";

export interface SpendLine {
  /** The line's name or time; its place in the list when it has neither. */
  readonly label: string;
  readonly event: DpEvent;
  /** The line as AGENT's accountant reads it; absent where no (ε, δ) was recorded. */
  readonly spend?: AgentSpend;
}

/** A longer text is refused. */
const MAX_CHARACTERS = 20_000_000;

/**
 * Reads spends from JSON (a list, or {events}, of events, [ε, δ, count] or {epsilon, delta, …}) or from CSV with a heading
 * of epsilon, delta, count, kind, noiseMultiplier, rho, mu, name or time. Errors: INVALID_PARAMETER and
 * UNSUPPORTED_EVENT with the path, such as `spends[3].epsilon`.
 */
export function readSpendList(text: string, name = "spends"): readonly SpendLine[] {
  if (text.length > MAX_CHARACTERS) {
    invalid(name, text.length, `at most ${MAX_CHARACTERS} characters`);
  }
  const start = text.trimStart().charAt(0);
  const items = start === "[" || start === "{" ? jsonItems(text, name) : csvItems(text, name);
  return items.map((item, i) => readLine(item, `${name}[${i}]`, String(i + 1)));
}

/** A message about a list in the words of who typed it: `epsilon of line 4` for `spends[3].epsilon`. */
export const byLine = (message: string): string =>
  message.replace(/\bspends\[(\d+)\](?:\.event)*(?:\.(\w+))?/g, (_, index, field) =>
    field === undefined ? `line ${Number(index) + 1}` : `${field} of line ${Number(index) + 1}`,
  );

function jsonItems(text: string, name: string): readonly unknown[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    invalid(name, text.slice(0, 40), "JSON or CSV");
  }
  if (Array.isArray(json)) return json;
  const list = isRecord(json) ? (json.spends ?? json.events) : undefined;
  if (Array.isArray(list)) return list;
  invalid(name, json, "a list, or an object with a list of events or spends");
}

function csvItems(text: string, name: string): readonly unknown[] {
  const table = readTable(text, name, { comment: "#", heading: "always" });
  if (table.heading === null) return [];
  const columns = table.heading.map(spendField);
  if (!columns.some((column) => ["epsilon", "noiseMultiplier", "rho", "mu"].includes(column))) {
    invalid(
      name,
      table.heading.join(table.separator),
      "a heading with epsilon, delta, count, kind, noiseMultiplier, rho or mu",
    );
  }
  const unknown = columns.find((column) => !KNOWN.has(column));
  if (unknown !== undefined) invalid(`${name} heading`, unknown, `one of ${[...KNOWN].join(", ")}`);
  const twice = columns.find((column, i) => column !== "name" && columns.indexOf(column) !== i);
  if (twice !== undefined)
    invalid(`${name} heading`, `${twice} twice`, "columns of which none says the same as another");
  const isText = columns.map((column) => TEXT.has(column));
  const numberIn = numbersIn(
    table,
    [...columns.keys()].filter((i) => !isText[i]),
  );
  return table.rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (const [i, column] of columns.entries()) {
      const cell = row.cells[i] ?? "";
      if (cell !== "") record[column] = isText[i] ? cell : (numberIn(row, i) ?? cell);
    }
    return record;
  });
}

/** Column headings in use, and the field that each one names. */
const COLUMNS: Readonly<Record<string, string>> = {
  epsilon: "epsilon",
  eps: "epsilon",
  ε: "epsilon",
  delta: "delta",
  δ: "delta",
  count: "count",
  times: "count",
  n: "count",
  kind: "kind",
  mechanism: "kind",
  noise: "kind",
  noisemultiplier: "noiseMultiplier",
  rho: "rho",
  ρ: "rho",
  mu: "mu",
  μ: "mu",
  name: "name",
  query: "name",
  time: "name",
  date: "name",
};
/** Every field that a line can have. A column with another heading is refused, since it may be a misspelt field. */
const KNOWN: ReadonlySet<string> = new Set([...Object.values(COLUMNS), "scale", "sensitivity", "sigma", "order"]);
/** The field that a heading names; itself where none is known by it. */
const spendField = (heading: string): string => COLUMNS[heading.toLowerCase().replaceAll(/[^a-zεδρμ]/g, "")] ?? heading;

/** A field of a spend, or of an event that a row states whole, or refused: one that is not known may be a misspelt one. */
export function knownField(heading: string, place: string, more: readonly string[] = []): string {
  const field = spendField(heading);
  const known = [...KNOWN, ...more];
  return known.includes(field) ? field : invalid(`${place}.${heading}`, "there", choiceOf(heading, known));
}

const TEXT: ReadonlySet<string> = new Set(["name", "kind"]);

function readLine(item: unknown, path: string, place: string): SpendLine {
  if (Array.isArray(item)) {
    const [epsilon, delta = 0, count] = item;
    return readLine({ epsilon, delta, ...(count === undefined ? {} : { count }) }, path, place);
  }
  if (!isRecord(item)) invalid(path, item, "an event or a spend");
  const { name, time, count, ...rest } = item;
  const label = String(name ?? time ?? place);
  if (isWholeEvent(rest)) {
    const event = parseEvent(rest, path);
    return line(label, event, count, path, asSpend(event));
  }
  return fromSpend(rest, { label, count, path });
}

const PARAMETER: Readonly<Partial<Record<DpEvent["kind"], string>>> = {
  laplace: "noiseMultiplier",
  gaussian: "noiseMultiplier",
  zcdp: "rho",
  gdp: "mu",
};

/** Whether a record of that kind is an event, whatever fields it has, and no spend with the name of its noise. */
export const isEventKind = (kind: unknown): boolean =>
  eventKinds.some((known) => known === kind && PARAMETER[known] === undefined);

/** Whether a record has all parameters of its kind, and so is an event rather than a spend with the name of its noise. */
export function isWholeEvent(record: Readonly<Record<string, unknown>>): boolean {
  if (!eventKinds.some((known) => known === record.kind)) return false;
  const parameter = PARAMETER[record.kind as DpEvent["kind"]];
  return parameter === undefined || record[parameter] !== undefined;
}

/** The event of a spend that is known only by its (ε, δ), ρ or μ. */
function fromSpend(
  record: Readonly<Record<string, unknown>>,
  { label, count, path }: { readonly label: string; readonly count: unknown; readonly path: string },
): SpendLine {
  const { kind, epsilon, delta = 0, rho, mu, gaussian } = record;
  const isGaussian = gaussian === true || kind === "gaussian";
  const event =
    rho !== undefined && isGaussian
      ? parseEvent({ kind: "gdp", mu: Math.sqrt(2 * Number(rho)) * (1 + 2 ** -51) }, path)
      : rho !== undefined
        ? parseEvent({ kind: "zcdp", rho }, path)
        : mu !== undefined
          ? parseEvent({ kind: "gdp", mu }, path)
          : parseEvent(Number(delta) === 0 ? { kind: "pure", epsilon } : { kind: "approximate", epsilon, delta }, path);
  const known =
    epsilon === undefined
      ? undefined
      : (parseEvent({ kind: "approximate", epsilon, delta }, path) as Extract<DpEvent, { kind: "approximate" }>);
  const spend: AgentSpend | undefined =
    known === undefined
      ? asSpend(event)
      : {
          epsilon: known.epsilon,
          delta: known.delta,
          ...(isGaussian ? { gaussian: true } : {}),
          ...(typeof rho === "number" ? { rho } : {}),
        };
  return line(label, event, count, path, spend);
}

function line(label: string, event: DpEvent, count: unknown, path: string, spend: AgentSpend | undefined): SpendLine {
  const whole = count === undefined ? event : parseEvent({ kind: "repeated", count, event }, path);
  const times = whole.kind === "repeated" && count !== undefined ? { count: whole.count } : {};
  return { label, event: whole, ...(spend === undefined ? {} : { spend: { ...spend, ...times } }) };
}

/** The (ε, δ) that an event states itself, or its ρ. */
function asSpend(event: DpEvent): AgentSpend | undefined {
  if (event.kind === "pure" || event.kind === "exponential") return { epsilon: event.epsilon, delta: 0 };
  if (event.kind === "approximate") return { epsilon: event.epsilon, delta: event.delta };
  if (event.kind === "laplace" && typeof event.noiseMultiplier === "number")
    return { epsilon: 1 / event.noiseMultiplier, delta: 0 };
  if (event.kind === "zcdp") return { rho: event.rho };
  if (event.kind === "gaussian" && typeof event.noiseMultiplier === "number")
    return { rho: above(1 / (2 * event.noiseMultiplier ** 2)), gaussian: true };
  if (event.kind === "gdp" && typeof event.mu === "number") return { rho: above(event.mu ** 2 / 2), gaussian: true };
  return undefined;
}

/** Rounds ρ of Gaussian noise, computed from its scale, up by a few units in the last place. */
const above = (rho: number): number => rho * (1 + 2 ** -50);

export function agentListOf(lines: readonly SpendLine[]): {
  readonly spends: readonly AgentSpend[];
  readonly omission: string | null;
} {
  const missing = lines.filter(({ spend }) => spend === undefined);
  const [first] = missing;
  if (first === undefined)
    return { spends: lines.flatMap(({ spend }) => (spend === undefined ? [] : [spend])), omission: null };
  const { kind } = first.event.kind === "repeated" ? first.event.event : first.event;
  return {
    spends: [],
    omission: `AGENT's list needs an (epsilon, delta) or a rho for every query; ${missing.length === 1 ? "one line has" : `${missing.length} lines have`} neither, first ${first.label} (${kind}).`,
  };
}
