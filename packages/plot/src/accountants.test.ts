import { agentReport, lossHistory, totalLoss } from "@dosimeter/core/accounting";
import { expect, test } from "vitest";
import { accountantsChart, agentSlackChart, lossHistoryChart } from "./accountants.ts";
import { toSvg, toTable } from "./index.ts";

const events = Array.from({ length: 40 }, () => ({ kind: "pure", epsilon: 0.1 }) as const);
const size = { width: 640, heading: true };

test("every accountant is a line, infinite totals leave a gap and not a NaN", () => {
  const deltas = [0, 1e-9, 1e-6, 1e-3];
  const curve = (label: string, method: "advanced" | "optimal") => ({
    label,
    points: deltas
      .filter((delta) => delta > 0)
      .map((delta) => ({ delta, epsilon: totalLoss(events, { delta }, method).epsilon })),
  });
  const none = { label: "none", points: [{ delta: 1e-6, epsilon: Number.POSITIVE_INFINITY }] };
  const chart = accountantsChart(
    { curves: [curve("advanced", "advanced"), curve("optimal", "optimal"), none], delta: 1e-6 },
    size,
  );
  expect(toSvg(chart.scene)).not.toMatch(/NaN|Infinity/);
  expect(toTable(chart)).toContain("optimal");
  expect(toTable(chart)).not.toContain("none");
});

test("a history and AGENT's curve are charts with a sentence", () => {
  const points = lossHistory(events, { delta: 1e-6, method: "optimal" });
  const history = lossHistoryChart({ delta: 1e-6, histories: [{ label: "optimal", points }], budget: 3 }, size);
  expect(toSvg(history.scene)).not.toMatch(/NaN|Infinity/);
  const report = agentReport([{ epsilon: 0.05, delta: 0, count: 200 }], { epsilon: 5, delta: 1e-5 });
  const slack = agentSlackChart(report, size);
  expect(slack.summary).toBe("The reported ε is 3.906 while all of δ is left and 5.769 when none is.");
  expect(toSvg(slack.scene)).not.toMatch(/NaN|Infinity/);
});
