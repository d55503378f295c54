import { type DpEvent, invalid, parseEvent } from "@dosimeter/core";
import type { Terminal } from "../terminal/terminal.ts";
import { readStructured } from "./structured.ts";

/** Kinds with a field of this name of their own. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  rate: ["poissonReplaced", "truncatedPoisson", "poissonSampled"],
  steps: ["bandedMatrix", "treeAggregation", "randomAllocation"],
};

/**
 * An event as it is typed: `gaussian noiseMultiplier=1.1 rate=0.01 steps=10000` is 10,000 such steps, each on a Poisson sample; or as JSON, and a
 * file (@events.json) with a list of them.
 */
export async function eventsOf(text: string, terminal: Pick<Terminal, "cwd" | "in">): Promise<readonly DpEvent[]> {
  if (/^\s*[@[{]/.test(text)) {
    const read = await readStructured(text.trim().replace(/^@/, ""), terminal);
    return (Array.isArray(read) ? read : [read]).map((event, index) => parseEvent(event, `--event[${index}]`));
  }
  const [kind = "", ...words] = text.trim().split(/\s+/);
  const fields: Record<string, string | number> = {};
  for (const word of words) {
    const [name = "", value, ...rest] = word.split("=");
    if (value === undefined || rest.length > 0 || name in fields) invalid("--event", word, "name=value, each once");
    fields[name] = value;
  }
  const taken = (name: string): string | number | undefined => {
    if (OWN[name]?.includes(kind) === true) return undefined;
    const { [name]: value } = fields;
    delete fields[name];
    return value;
  };
  const [rate, steps] = [taken("rate"), taken("steps")];
  const whole = Object.entries(fields).map(([name, value]) => [name, WHOLE.has(name) ? Number(value) : value]);
  const plain: unknown = { kind, ...Object.fromEntries(whole) };
  const sampled = rate === undefined ? plain : { kind: "poissonSampled", rate, event: plain };
  return [
    parseEvent(steps === undefined ? sampled : { kind: "repeated", count: Number(steps), event: sampled }, "--event"),
  ];
}

/** Fields that are counts. */
const WHOLE: ReadonlySet<string> = new Set([
  ...["sensitivity", "categories", "size", "population", "people", "batch", "steps", "participations", "separation"],
]);
