import type { Dataset, Savings } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useReuse, useSetReusePolicy } from "../api/reuse.ts";
import { Amount } from "../parts/Amount.tsx";
import { Choice } from "../parts/fields.tsx";
import { Card, Facts } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";

/** The savings from reuse, and the policy on whose answers may be reused. */
export function Saved({ dataset }: { dataset: Dataset }) {
  const reuse = useReuse(dataset.id);
  return (
    <Card
      title="Saved by reuse"
      aside={
        <Link to="/datasets/$dataset/released" params={{ dataset: dataset.id }}>
          Released answers
        </Link>
      }
    >
      <Pending of={reuse}>{(savings) => <Shown dataset={dataset} savings={savings} />}</Pending>
    </Card>
  );
}

const seen: Readonly<Record<Savings["policy"]["visibility"], string>> = {
  member: "each person: their own",
  team: "each team: those of its people",
  dataset: "everyone who spends on this dataset: all",
};

function Shown({ dataset, savings }: { dataset: Dataset; savings: Savings }) {
  const { policy, answers, epsilon, muSquared } = savings;
  const change = useSetReusePolicy(dataset.id);
  const isAdmin = dataset.myRoles.includes("datasetAdmin");
  return (
    <div className="stack gap-12">
      <Facts
        of={{
          "Answers reused": String(answers),
          "ε not spent": <Amount unit="ε" isRoom of={epsilon} />,
          ...(muSquared === "0" ? {} : { "μ² not spent": <Amount isRoom of={muSquared} /> }),
          ...(isAdmin
            ? {}
            : {
                "Earlier answers are offered to": seen[policy.visibility],
                "A budget pays for them": policy.price === "free" ? "nothing" : "what they cost",
              }),
        }}
      />
      {isAdmin ? (
        <div className="page-actions">
          <Choice
            label="Earlier answers are offered to"
            value={policy.visibility}
            disabled={change.isPending}
            onChange={(chosen) => change.mutate({ ...policy, visibility: chosen })}
            data={seen}
          />
          <Choice
            label="A budget pays for them"
            value={policy.price}
            disabled={change.isPending}
            onChange={(chosen) => change.mutate({ ...policy, price: chosen })}
            data={{ free: "nothing", ownLevel: "what they cost" }}
          />
        </div>
      ) : null}
      <Fault error={change.error} />
    </div>
  );
}
