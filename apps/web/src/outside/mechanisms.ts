import { type DpEvent, PrivacyError, parseEvent } from "@dosimeter/core";
import { plainOf, SHARE, SPENT_DELTA, SPENT_EPSILON, WHOLE, type Wish } from "../parts/number-text.ts";

interface MechanismRow {
  readonly label: string;
  readonly hint: string;
  /** What is typed, as what; a list of events is not one number. */
  readonly fields: readonly (readonly [name: string, label: string, wish: Wish | null])[];
  readonly events: (values: Readonly<Record<string, string>>) => unknown;
}

const NOISE: Wish = { above: 0 };

/** What a program outside may be: a template of the tool that made it, or a list of events. */
export const mechanisms = {
  dpSgd: {
    label: "DP-SGD (Opacus, JAX privacy)",
    hint: "A plan that is fixed before it runs; charge a run that may stop early in chunks",
    fields: [
      ["noiseMultiplier", "Noise multiplier", NOISE],
      ["rate", "Sampling rate, from a public number of rows", { ...SHARE, above: 0 }],
      ["steps", "Steps", WHOLE],
    ],
    events: ({ noiseMultiplier, rate, steps }) => [
      {
        kind: "repeated",
        count: Number(steps),
        event: { kind: "poissonSampled", rate, event: { kind: "gaussian", noiseMultiplier } },
      },
    ],
  },
  openDp: {
    label: "OpenDP: ε, and δ where it is not pure",
    hint: "m.map(d_in), with d_in the rows that a person may have",
    ...loss("δ, empty where it is pure"),
  },
  gaussian: {
    label: "Gaussian noise",
    hint: "Its standard deviation by the L2 sensitivity",
    fields: [["noiseMultiplier", "Noise multiplier", NOISE]],
    events: ({ noiseMultiplier }) => [{ kind: "gaussian", noiseMultiplier }],
  },
  published: {
    label: "A published ε",
    hint: "What was published before it was declared",
    ...loss("δ, empty where there is none"),
  },
  list: {
    label: "A list of events",
    hint: 'As JSON: [{"kind": "pure", "epsilon": "0.1"}]',
    fields: [["events", "Events", null]],
    events: ({ events = "" }) => JSON.parse(events),
  },
} as const satisfies Record<string, MechanismRow>;

export type Mechanism = keyof typeof mechanisms;

function loss(delta: string): Pick<MechanismRow, "fields" | "events"> {
  return {
    fields: [
      ["epsilon", "ε", SPENT_EPSILON],
      ["delta", delta, SPENT_DELTA],
    ],
    events: ({ epsilon, delta = "" }) => [
      delta === "" ? { kind: "pure", epsilon } : { kind: "approximate", epsilon, delta },
    ],
  };
}

/** The events that the fields state; null while they state none. */
export function eventsIn(mechanism: Mechanism, values: Readonly<Record<string, string>>): readonly DpEvent[] | null {
  const row: MechanismRow = mechanisms[mechanism];
  const typed = row.fields.map(([name, , wish]) => {
    const text = values[name] ?? "";
    return [name, wish === null ? text : plainOf(text, wish)] as const;
  });
  try {
    const events = row.events(Object.fromEntries(typed));
    return Array.isArray(events) && events.length > 0 ? events.map((event) => parseEvent(event)) : null;
  } catch (error) {
    if (error instanceof PrivacyError || error instanceof SyntaxError) return null;
    throw error;
  }
}
