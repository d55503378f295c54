import { agentReport, lossHistory, totalLoss } from "@dosimeter/core/accounting";
import { expect, test } from "vitest";
import { toSvg, toTable } from "../index.ts";
import { accountantsChart, agentReportChart, burnDownChart, lossHistoryChart, reportChart } from "./accountants.ts";

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
  const slack = agentReportChart(report, size);
  expect(slack.summary).toBe("The reported ε is 3.906 while all of δ is left and 5.769 when none is.");
  expect(toSvg(slack.scene)).not.toMatch(/NaN|Infinity/);
});

test("a report on the wire draws like the thing itself, and what is infinite leaves a gap", () => {
  const over = reportChart(
    {
      delta: "0.000001",
      series: [
        {
          label: "Basic composition",
          points: [
            { charges: 1, epsilon: 0.1 },
            { charges: 2, epsilon: 0.2 },
          ],
        },
        {
          label: "Rényi",
          points: [
            { charges: 1, epsilon: null },
            { charges: 2, epsilon: 0.15 },
          ],
        },
        { label: "none", points: [{ charges: 1, epsilon: null }] },
      ],
    },
    size,
  );
  expect(toSvg(over.scene)).not.toMatch(/NaN|Infinity/);
  expect(toTable(over)).not.toContain("none");
  expect(toSvg(over.scene)).not.toMatch(/>0\.5</); // charges are counted in whole numbers
  const left = [
    { charges: 0, left: "1" },
    { charges: 3, left: "0.7" },
    { charges: 4, left: null },
  ];
  expect(burnDownChart({ unit: "epsilon", left }, size).summary).toBe("1 at first, 0.7 now, after 4 charges.");
});
