import { formatNumber, lineChart } from "@dosimeter/plot";
import { type Declaration, errorAt, mostFor, type PlanDraft } from "@dosimeter/query";
import { Slider } from "@mantine/core";
import { useMemo, useState } from "react";
import { Figure } from "../parts/Figure.tsx";
import { Card } from "../parts/Page.tsx";
import type { WorkRow } from "./workbench.ts";

const STEPS = 40;
const SPAN = 1000;

/** The error of the chosen row at every share it could have; its point is dragged, or moved with the arrow keys. */
export function SelectedRow({
  row,
  draft,
  declaration,
  onShare,
}: {
  row: WorkRow;
  draft: PlanDraft;
  declaration: Declaration;
  onShare: (units: bigint) => void;
}) {
  const planned = draft.rows.find(({ id }) => id === row.id);
  const [dragged, setDragged] = useState<number | null>(null);
  const curve = useMemo(() => {
    if (planned === undefined) return null;
    const most = Number(mostFor(draft, planned)) / 1e12;
    const own = Number(row.rho ?? row.epsilon);
    const top = Math.max(most, own, 1e-6) * 1.2;
    const at = (step: number): number => (top / SPAN) * SPAN ** (step / STEPS);
    const points = Array.from({ length: STEPS + 1 }, (_, step) => at(step)).flatMap((share) => {
      const error = errorAt(planned, draft, declaration, BigInt(Math.max(1, Math.round(share * 1e12))));
      return error === null || error <= 0 ? [] : [[share, error] as const];
    });
    return { most, top, points };
  }, [planned, draft, declaration, row.epsilon, row.rho]);
  if (planned === undefined || row.quote === null || curve === null || curve.points.length < 2) return null;
  const unit = row.rho === null ? "ε" : "ρ";
  const share = dragged ?? Number(row.rho ?? row.epsilon);
  const error = errorAt(planned, draft, declaration, BigInt(Math.max(1, Math.round(share * 1e12))));
  const position = (Math.log((share / curve.top) * SPAN) / Math.log(SPAN)) * STEPS;
  const shareAt = (at: number): number => (curve.top / SPAN) * SPAN ** (at / STEPS);
  const stated = `${unit} ${formatNumber(share, 3)}: ±${formatNumber(error ?? 0, 3)}`;
  return (
    <Card title={row.quote.label}>
      <Figure
        isBare
        chart={(size) =>
          lineChart(
            {
              title: `Error of ${row.quote?.label} by its share of the budget`,
              x: { label: `share of ${unit}`, scale: "log" },
              y: { label: "error ±", scale: "log" },
              series: [{ name: "error ±", points: curve.points }],
              markers: error === null ? [] : [{ x: share, y: error, label: stated }],
              references: [
                ...(row.target === null ? [] : [{ axis: "y" as const, value: row.target, label: "target" }]),
                ...(curve.most > 0 ? [{ axis: "x" as const, value: curve.most, label: "most there is" }] : []),
              ],
              summary: `With ${stated}. The most this row can get is ${unit} ${formatNumber(curve.most, 3)}.`,
            },
            { ...size, height: 240 },
          )
        }
      />
      <Slider
        min={0}
        max={STEPS}
        step={0.1}
        value={Math.max(0, Math.min(STEPS, position))}
        onChange={(at) => setDragged(shareAt(at))}
        onChangeEnd={(at) => {
          setDragged(null);
          onShare(BigInt(Math.round(Number(shareAt(at).toPrecision(3)) * 1e12)));
        }}
        label={stated}
        thumbLabel={`Share of ${row.quote.label}`}
        thumbProps={{ "aria-valuetext": stated }}
      />
      <p className="soft small" style={{ marginBottom: 0 }}>
        A bigger share makes a smaller error. Half the error costs twice the{" "}
        {unit === "ε" ? "ε" : "ε, four times the ρ"}.
      </p>
    </Card>
  );
}
