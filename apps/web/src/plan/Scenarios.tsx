import { formatNumber } from "@dosimeter/plot";
import { type Declaration, errorAt, type PlanDraft } from "@dosimeter/query";
import { useState } from "react";
import { formatCost } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Card } from "../parts/Page.tsx";

const names = ["A", "B", "C"] as const;
type Name = (typeof names)[number];

/** Up to three versions of the plan, kept side by side; adopting one is one step that can be undone. */
export function Scenarios({
  draft,
  declaration,
  nameOf,
  onAdopt,
}: {
  draft: PlanDraft;
  declaration: Declaration;
  nameOf: (id: string) => string;
  onAdopt: (name: Name, draft: PlanDraft) => void;
}) {
  const [kept, setKept] = useState<Partial<Record<Name, PlanDraft>>>({});
  const known = names.filter((name) => kept[name] !== undefined);
  const ids = [
    ...new Set([draft, ...known.map((name) => kept[name])].flatMap((each) => each?.rows.map(({ id }) => id) ?? [])),
  ];
  const errorOf = (plan: PlanDraft | undefined, id: string): string => {
    const row = plan?.rows.find((each) => each.id === id);
    const error = plan === undefined || row === undefined ? null : errorAt(row, plan, declaration);
    return error === null ? "–" : formatNumber(error, 3);
  };
  return (
    <Card title="Scenarios">
      <p className="soft small" style={{ marginTop: 0 }}>
        Keep the plan as it stands, try something else, compare the errors, and take back what was better.
      </p>
      <div className="page-actions">
        {names.map((name) => (
          <button key={name} type="button" className="tool" onClick={() => setKept({ ...kept, [name]: draft })}>
            Keep as {name}
          </button>
        ))}
      </div>
      {known.length === 0 ? null : (
        <>
          <DataTable
            caption="Errors of each statistic, now and in the scenarios kept"
            isCaptionHidden
            rows={ids}
            keyOf={(id) => id}
            columns={[
              { name: "Error ±", isHead: true, cell: nameOf },
              { name: "Now", isNumber: true, cell: (id) => errorOf(draft, id) },
              ...known.map((name) => ({ name, isNumber: true, cell: (id: string) => errorOf(kept[name], id) })),
            ]}
          />
          <div className="page-actions" style={{ marginTop: 8 }}>
            {known.map((name) => (
              <button
                key={name}
                type="button"
                className="tool"
                onClick={() => {
                  const chosen = kept[name];
                  // The account's room is the present one, not that of the time when the scenario was kept.
                  if (chosen !== undefined) onAdopt(name, { ...chosen, headroom: draft.headroom });
                }}
              >
                Adopt {name} (ε {formatCost(kept[name]?.epsilon ?? "0")})
              </button>
            ))}
          </div>
        </>
      )}
    </Card>
  );
}
