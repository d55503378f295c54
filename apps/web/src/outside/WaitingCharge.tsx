import type { Input, Output } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api/connection.ts";
import { Facts, Tag } from "../parts/Page.tsx";
import { Fault, sentence } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";
import { CostText } from "./CostText.tsx";
import { toolText } from "./words.ts";

type Waiting = Output<"listWaitingCharges">["items"][number];

const tones = { waiting: "warn", approved: "good", refused: "plain" } as const;

/** A program outside that needs a second person: what it states, and what either of the two may do. */
export function WaitingCharge({ of }: { of: Waiting }) {
  const { stated, personName, price, why, mine, status, decidedBy } = of;
  const decide = useChange((client, outcome: "approve" | "refuse") =>
    client.decideCharge({ account: stated.account, waiting: of.id, outcome }),
  );
  const charge = useChange((client) => client.declareCharge(stated as Input<"declareCharge">));
  const title = `${personName} asks to charge ${stated.key}`;
  return (
    <article className="card stack gap-12" aria-label={title}>
      <div className="card-head flush">
        <h2>{title}</h2>
        <Tag tone={tones[status]}>{status}</Tag>
      </div>
      <p className="flush as-typed">{stated.purpose}</p>
      <Facts
        of={{
          ...(price === null ? {} : { Price: <CostText of={price} /> }),
          Tool: toolText(stated.tool),
          Dataset: (
            <Link to="/datasets/$dataset" params={{ dataset: of.dataset }}>
              {of.datasetName}
            </Link>
          ),
          Since: dayText(of.at),
        }}
      />
      <details className="small">
        <summary>What it states</summary>
        <pre className="code as-typed anywhere">{JSON.stringify(stated.events, null, 1)}</pre>
      </details>
      {mine.mayDecide ? (
        <>
          <p className="small soft flush">
            Nothing checks what a program does: {personName} vouches that it is as stated. Approved, it is charged when{" "}
            {personName} charges it again under this key, and never given back; the guarantee then says that it relies
            on it. Refused, this charge under this key stays refused.
          </p>
          <div className="page-actions">
            <Button loading={decide.isPending} onClick={() => decide.mutate("approve")}>
              Approve
            </Button>
            <Button variant="default" disabled={decide.isPending} onClick={() => decide.mutate("refuse")}>
              Refuse
            </Button>
          </div>
        </>
      ) : (
        <p className="small soft flush">
          {decidedBy === null ? null : `${decidedBy} ${status} it. `}
          {why === undefined ? (decidedBy === null ? "An admin of the dataset decides." : null) : sentence(why)}
        </p>
      )}
      {mine.mayCharge && status === "approved" ? (
        <div>
          <Button loading={charge.isPending} onClick={() => charge.mutate(undefined)}>
            Charge it now
          </Button>
        </div>
      ) : null}
      <Fault error={decide.error ?? charge.error} />
    </article>
  );
}
