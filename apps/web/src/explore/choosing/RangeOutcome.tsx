import { formatNumber } from "@dosimeter/plot";
import { rangeChart } from "@dosimeter/plot/risk";
import { inNoun, type UnitNoun } from "@dosimeter/query/declaration";
import { costOptimum } from "@dosimeter/risk";
import { epsdelta, readings } from "@dosimeter/tradeoff";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card } from "../../parts/Page.tsx";
import type { ValuesOf } from "../risk/field.ts";
import { NumberInput } from "../risk/fields.tsx";
import { Sentence } from "../risk/Sentence.tsx";
import type { ChooserState, chooserFields } from "./chooser-state.ts";
import type { Chosen } from "./range.ts";

export function RangeOutcome({ chosen, of: values }: { chosen: Chosen; of: ValuesOf<typeof chooserFields> }) {
  const { least, most, isConflict, steps, perAnswer, paid } = chosen;
  return (
    <>
      <Card>
        <Figure
          level={2}
          chart={(size) => rangeChart({ title: "How each answer moved the range", steps }, size)}
          caption="Protection moves the upper end, use the lower one. Inside the range the choice is yours, and you should write down your reasons."
        />
      </Card>
      {isConflict ? (
        <Notice tone="warn" title="These requirements conflict" isAlert>
          <p>
            {paid} answers of the wanted quality need ε {formatNumber(least, 3)}; the level of privacy allows{" "}
            {formatNumber(most, 3)}. Ask for fewer answers, accept a larger error, reuse more, or say openly that a
            suspicion may become more.
          </p>
        </Notice>
      ) : (
        <Notice tone="good" title={`A lifetime ε from ${formatNumber(least, 3)} to ${formatNumber(most, 3)}`}>
          <p>
            Each answer needs about ε {formatNumber(perAnswer, 3)}; {paid} are paid for.
            {values.parties > 1
              ? ` Shared evenly, each of the ${values.parties} parties holds from ${formatNumber(least / values.parties, 3)} to ${formatNumber(most / values.parties, 3)}.`
              : ""}
          </p>
        </Notice>
      )}
      <Ends least={least} most={most} of={values} />
    </>
  );
}

interface EndsProps {
  least: number;
  most: number;
  of: ValuesOf<typeof chooserFields>;
}

/** What an attacker can do at both ends of the range, from the trade-off function of (ε, δ). */
function Ends({ least, most, of: { delta, prior } }: EndsProps) {
  const rows = ends(least, most).map((end) => ({
    ...end,
    ...readings(epsdelta(end.epsilon, delta), { falsePositiveRates: [0.01], prior: prior / 100 }),
  }));
  const inHundred = (value: number) => `${formatNumber(100 * value, 3)} %`;
  return (
    <Card title="How well an attacker can guess">
      <DataTable
        caption={`Worst case at δ = ${formatNumber(delta)}, against everything ever released under it`}
        columns={[
          { name: "End", isHead: true, cell: (row) => row.name },
          { name: "ε", isNumber: true, cell: (row) => formatNumber(row.epsilon, 3) },
          { name: "Right guesses, even odds", isNumber: true, cell: (row) => inHundred(row.balancedAccuracy) },
          {
            name: "Caught at 1 % false alarms",
            isNumber: true,
            cell: (row) => inHundred(row.rates[0]?.truePositiveRate ?? 0),
          },
          {
            name: `From ${formatNumber(prior, 3)} %, once accused`,
            isNumber: true,
            cell: (row) => inHundred(row.rates[0]?.precision ?? 0),
          },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </Card>
  );
}

const ends = (least: number, most: number) => [
  { name: "Lower", epsilon: Math.min(600, least) },
  { name: "Upper", epsilon: Math.min(600, most) },
];

interface MoneyProps {
  chosen: Chosen | undefined;
  of: ValuesOf<typeof chooserFields> | undefined;
  state: ChooserState;
  noun: UnitNoun | undefined;
}

/** The range in money. Its own field stays while it, or another one, holds no number. */
export function Money({ chosen, of: values, state, noun }: MoneyProps) {
  return (
    <Card title="In money">
      <div className="field-grid above-16">
        <NumberInput
          of={state}
          name="compensation"
          label={inNoun("Compensation of one person at full loss, E", noun)}
        />
      </div>
      {chosen === undefined || values === undefined ? null : <Due {...chosen} of={values} />}
    </Card>
  );
}

function Due({
  least,
  most,
  of: { people, compensation },
}: Pick<Chosen, "least" | "most"> & { of: ValuesOf<typeof chooserFields> }) {
  const rows = ends(least, most).map(({ name, epsilon }) => {
    const model = { epsilon0: epsilon, people, compensation };
    const [published, simulation] = [costOptimum(model), costOptimum({ ...model, weight: "simulation" })];
    return { name, epsilon, due: published.dpCost, published: published.cost, simulation: simulation.cost };
  });
  const money = (value: number) => formatNumber(Math.round(value), 15);
  return (
    <>
      <DataTable
        caption="Due to everyone together if the whole ε were one release, cost E·e^(−1/ε)"
        columns={[
          { name: "End", isHead: true, cell: (row) => row.name },
          { name: "ε", isNumber: true, cell: (row) => formatNumber(row.epsilon, 3) },
          { name: "At ε itself", isNumber: true, cell: (row) => money(row.due) },
          { name: "Privacy at risk, as published", isNumber: true, cell: (row) => money(row.published) },
          { name: "With the simulation weight", isNumber: true, cell: (row) => money(row.simulation) },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
      <div className="below-16">
        <Sentence isMoney isSticky={false} />
      </div>
    </>
  );
}
