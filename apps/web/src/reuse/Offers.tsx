import type { Quote } from "@dosimeter/client";
import { capital } from "@dosimeter/plot/report";
import { errorText } from "@dosimeter/query/quote";
import { Radio } from "@mantine/core";
import { formatCost } from "../parts/Amount.tsx";
import { Card } from "../parts/Page.tsx";
import { momentText } from "../parts/words.ts";

/** Offers chosen by row; a row that is not there is drawn afresh. */
export type Chosen = Readonly<Record<string, string>>;

type Row = Quote["statistics"][number];

interface OffersProps {
  quote: Quote | undefined;
  chosen: Chosen;
  /** What the error of a row is counted in. */
  unitOf: (row: string) => string | null;
  onChoose: (row: string, choice: string) => void;
}

/** For each row, the earlier answers that are free and the price of a new answer. What is as good and free is chosen first. */
export function Offers({ quote, chosen, unitOf, onChoose }: OffersProps) {
  const rows = quote?.statistics.filter(({ reuse }) => reuse.offers.length > 0) ?? [];
  if (rows.length === 0) return null;
  return (
    <Card title="Already paid for">
      <div className="stack gap-16">
        {rows.map((row) => (
          <RowOffers
            key={row.id}
            row={row}
            unit={unitOf(row.id)}
            choice={chosen[row.id] ?? "fresh"}
            onChoose={(choice) => onChoose(row.id, choice)}
          />
        ))}
      </div>
    </Card>
  );
}

interface RowOffersProps {
  readonly row: Row;
  readonly unit: string | null;
  readonly choice: string;
  readonly onChoose: (choice: string) => void;
}

function RowOffers({ row, unit, choice, onChoose }: RowOffersProps) {
  const best = bestOf(row.reuse.offers);
  return (
    <Radio.Group
      label={capital(row.label)}
      value={choice}
      onChange={onChoose}
      description={row.reuse.note ?? undefined}
    >
      <div className="stack gap-8 below-8">
        <Radio
          value="fresh"
          label={`${costWords(row.cost)}, ${offWords(row.accuracy.halfWidth, unit)}`}
          description="A new answer."
        />
        {best.map((offer) => (
          <Radio
            key={offer.id}
            value={offer.id}
            label={`${offer.kind === "refined" ? costWords(offer.cost) : "Free"}, ${offWords(offer.halfWidth, unit)}`}
            description={`${kindWords[offer.kind]} ${offer.from
              .map(({ label, by, at }) => `${label} (${by}, ${momentText(at)})`)
              .join("; ")}`}
          />
        ))}
      </div>
    </Radio.Group>
  );
}

/** The most accurate offer of each kind: offers come in that order. */
const bestOf = (offers: Row["reuse"]["offers"]): Row["reuse"]["offers"] =>
  offers.filter(({ kind }, at) => offers.findIndex((other) => other.kind === kind) === at);

const kindWords = {
  same: "The answer of",
  pooled: "The average of",
  derived: "Worked out from",
  refined: "A new answer for the difference, averaged with",
} as const;

const costWords = (cost: Row["cost"]): string =>
  "epsilon" in cost ? `ε ${formatCost(cost.epsilon)}` : `ρ ${formatCost(cost.rho)}`;

const offWords = (halfWidth: number | null, unit: string | null): string =>
  halfWidth === null ? "error depends on their number" : `± ${errorText(halfWidth, unit)}`;
