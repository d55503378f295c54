import { formatNumber } from "@dosimeter/plot";
import { Slider } from "@mantine/core";
import { useId } from "react";

const STEPS: readonly number[] = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3];

/** ε of one answer, from hardly anything to much. */
export function EpsilonSlider({ epsilon, onChange }: { epsilon: number; onChange: (epsilon: number) => void }) {
  const id = useId();
  const text = (position: number): string => `ε ${formatNumber(STEPS[position] ?? 1)}`;
  return (
    <div className="stack gap-12">
      <strong id={id}>
        Each answer costs ε = <span className="big-number">{formatNumber(epsilon)}</span>
      </strong>
      <Slider
        min={0}
        max={STEPS.length - 1}
        step={1}
        value={STEPS.indexOf(epsilon)}
        onChange={(position) => onChange(STEPS[position] ?? 1)}
        label={text}
        thumbLabel="epsilon of each answer"
        thumbValueText={formatNumber(epsilon)}
        size="lg"
      />
    </div>
  );
}
