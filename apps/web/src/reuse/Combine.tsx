import type { ReleasedStatistic } from "@dosimeter/client";
import { casesText } from "@dosimeter/core";
import { formatNumber } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useRelease } from "../api/releases.ts";
import { useCombineReleased } from "../api/reuse.ts";
import { Choice } from "../parts/fields.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";

const operations = { difference: "less", sum: "plus", ratio: "divided by" } as const;
type Operation = keyof typeof operations;

interface Side {
  readonly name: string;
  readonly cell: string;
}

const nameOf = ({ release, row }: Pick<ReleasedStatistic, "release" | "row">): string => `${release}/${row}`;

/** The sum, difference or ratio of any two released numbers, with its interval, for free. */
export function Combine({ dataset, items }: { dataset: string; items: readonly ReleasedStatistic[] }) {
  const [first, second = first] = items;
  const [a, setA] = useState<Side>({ name: "", cell: "0" });
  const [b, setB] = useState<Side>({ name: "", cell: "0" });
  const [operation, setOperation] = useState<Operation>("ratio");
  const combine = useCombineReleased(dataset);
  if (first === undefined || second === undefined) return null;
  const known = (side: Side, otherwise: ReleasedStatistic): Side =>
    items.some((item) => nameOf(item) === side.name) ? side : { name: nameOf(otherwise), cell: "0" };
  const [left, right] = [known(a, first), known(b, second)];
  const pick = ({ name, cell }: Side) => {
    const [release = "", row = ""] = name.split("/");
    return { release, row, cell: Number(cell) };
  };
  return (
    <Card title="Combine two answers">
      <form
        className="stack gap-12"
        onSubmit={(event) => {
          event.preventDefault();
          combine.mutate({ operation, of: [pick(left), pick(right)] });
        }}
      >
        <div className="page-actions at-end">
          <Picker label="First answer" items={items} side={left} onPick={setA} />
          <Choice label="Operation" value={operation} onChange={setOperation} data={operations} />
          <Picker label="Second answer" items={items} side={right} onPick={setB} />
          <Button type="submit" variant="default" loading={combine.isPending}>
            Calculate
          </Button>
        </div>
        <p className="flush" role="status">
          {combine.data === undefined ? "Free: it reads answers that were released." : resultWords(combine.data)}
        </p>
        <Fault error={combine.error} />
      </form>
    </Card>
  );
}

interface PickerProps {
  label: string;
  items: readonly ReleasedStatistic[];
  side: Side;
  onPick: (side: Side) => void;
}

function Picker({ label, items, side, onPick }: PickerProps) {
  const release = useRelease(side.name.split("/")[0] ?? "");
  const row = side.name.split("/")[1];
  const cells = release.data?.answers?.find(({ id }) => id === row)?.cells ?? [];
  return (
    <>
      <Choice
        label={label}
        value={side.name}
        onChange={(chosen) => onPick({ name: chosen, cell: "0" })}
        data={items.map((item) => ({ value: nameOf(item), label: `${item.label} (${item.by})` }))}
      />
      {cells.length < 2 ? null : (
        <Choice
          label={`${label}: of`}
          value={side.cell}
          onChange={(chosen) => onPick({ ...side, cell: chosen })}
          data={cells.map(({ group, bin }, index) => ({
            value: String(index),
            label: [
              ...Object.entries(group).map(([name, value]) => `${name} ${value}`),
              ...(bin ? [bin.label] : []),
            ].join(", "),
          }))}
        />
      )}
    </>
  );
}

interface ResultWordsProps {
  value: number;
  interval: readonly [number | null, number | null];
  confidence: number;
}

function resultWords({ value, interval: [from, to], confidence }: ResultWordsProps): string {
  if (from === null || to === null)
    return `About ${formatNumber(value, 5)}, but nothing is certain: the divisor may be zero.`;
  return `${formatNumber(value, 5)}, between ${formatNumber(from, 5)} and ${formatNumber(to, 5)} ${casesText(confidence)}. Free.`;
}
