import { type DpEvent, PrivacyError, parseEvent } from "@dosimeter/core";

interface MechanismRow {
  readonly label: string;
  readonly hint: string;
  readonly fields: readonly (readonly [name: string, label: string])[];
  readonly events: (values: Readonly<Record<string, string>>) => unknown;
}

/** What a program outside may be: a template of the tool that made it, or a list of events. */
export const mechanisms = {
  dpSgd: {
    label: "DP-SGD (Opacus, JAX privacy)",
    hint: "A plan that is fixed before it runs; charge a run that may stop early in chunks",
    fields: [
      ["noiseMultiplier", "Noise multiplier"],
      ["rate", "Sampling rate, from a public number of rows"],
      ["steps", "Steps"],
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
    fields: [
      ["epsilon", "ε"],
      ["delta", "δ, empty where it is pure"],
    ],
    events: lossOf,
  },
  gaussian: {
    label: "Gaussian noise",
    hint: "Its standard deviation by the L2 sensitivity",
    fields: [["noiseMultiplier", "Noise multiplier"]],
    events: ({ noiseMultiplier }) => [{ kind: "gaussian", noiseMultiplier }],
  },
  published: {
    label: "A published ε",
    hint: "What was published before it was declared",
    fields: [
      ["epsilon", "ε"],
      ["delta", "δ, empty where there is none"],
    ],
    events: lossOf,
  },
  list: {
    label: "A list of events",
    hint: 'As JSON: [{"kind": "pure", "epsilon": "0.1"}]',
    fields: [["events", "Events"]],
    events: ({ events = "" }) => JSON.parse(events),
  },
} as const satisfies Record<string, MechanismRow>;

export type Mechanism = keyof typeof mechanisms;

function lossOf({ epsilon, delta = "" }: Readonly<Record<string, string>>): unknown {
  return [delta === "" ? { kind: "pure", epsilon } : { kind: "approximate", epsilon, delta }];
}

/** The events that the fields state; null while they state none. */
export function eventsIn(mechanism: Mechanism, values: Readonly<Record<string, string>>): readonly DpEvent[] | null {
  const row: MechanismRow = mechanisms[mechanism];
  try {
    const events = row.events(values);
    return Array.isArray(events) && events.length > 0 ? events.map((event) => parseEvent(event)) : null;
  } catch (error) {
    if (error instanceof PrivacyError || error instanceof SyntaxError) return null;
    throw error;
  }
}
