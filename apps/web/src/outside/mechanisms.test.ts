import { expect, test } from "vitest";
import { eventsIn, type Mechanism } from "./mechanisms.ts";

test.each<[Mechanism, Readonly<Record<string, string>>, readonly object[]]>([
  ["openDp", { epsilon: "0.5" }, [{ kind: "pure", epsilon: "0.5" }]],
  ["published", { epsilon: "0.5", delta: "1e-6" }, [{ kind: "approximate", epsilon: "0.5", delta: "0.000001" }]],
  ["gaussian", { noiseMultiplier: "2" }, [{ kind: "gaussian", noiseMultiplier: "2" }]],
  ["list", { events: '[{"kind":"pure","epsilon":1}]' }, [{ kind: "pure", epsilon: 1 }]],
  [
    "dpSgd",
    { noiseMultiplier: "1.1", rate: "0.01", steps: "10" },
    [
      {
        kind: "repeated",
        count: 10,
        event: { kind: "poissonSampled", rate: "0.01", event: { kind: "gaussian", noiseMultiplier: "1.1" } },
      },
    ],
  ],
])("%s states its events, and none while a field is missing or wrong", (mechanism, values, events) => {
  expect(eventsIn(mechanism, values)).toEqual(events);
  expect(eventsIn(mechanism, {})).toBeNull();
  for (const name of Object.keys(values)) expect(eventsIn(mechanism, { ...values, [name]: "x" })).toBeNull();
});
