import type { Plan, Request } from "@dosimeter/client";
import { useQuote } from "../api/releases.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";

/** The plan behind a request: what each answer would cost, and how far off it would be. Reads no data. */
export function WhatItBuys({ request, plan }: { request: Request; plan: Plan }) {
  const payer = request.account ?? request.parent;
  const quote = useQuote(payer === null ? null : { dataset: request.dataset.id, account: payer, plan });
  if (payer === null)
    return (
      <p className="soft small flush">
        For{" "}
        {plan.statistics.map(({ statistic, column }) => [statistic, column].filter(Boolean).join(" of ")).join(", ")}.
      </p>
    );
  if (quote.error !== null) return <Fault error={quote.error} />;
  if (quote.data === undefined) return <Loading lines={2} />;
  return (
    <DataTable
      caption="What it would buy"
      isStacking
      rows={quote.data.statistics}
      keyOf={({ id }) => id}
      columns={[
        { name: "Statistic", isHead: true, cell: ({ label }) => label },
        { name: "Error", cell: ({ sentence }) => sentence },
        {
          name: "ε",
          isNumber: true,
          cell: ({ cost }) =>
            "epsilon" in cost ? <Amount of={cost.epsilon} /> : <Amount unit="μ²" of={cost.muSquared} />,
        },
      ]}
    />
  );
}
