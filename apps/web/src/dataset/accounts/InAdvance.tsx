import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/connection.ts";
import { useRequests, useStandingApprovals } from "../../api/ledgers.ts";
import { Amount, formatRoom } from "../../parts/Amount.tsx";
import { NumberField } from "../../parts/fields.tsx";
import { EPSILON, isTyped, plainOf } from "../../parts/number-text.ts";
import { Fault } from "../../parts/Pending.tsx";
import { sumOf } from "../../sums.ts";

interface InAdvanceProps {
  ledger: string;
  /** The names of its datasets. */
  on: string;
  payer: string | null | undefined;
}

/** Small requests that need no decision. `payer` is the account that pays; null: the ledger itself. */
export function InAdvance({ ledger, on, payer }: InAdvanceProps) {
  const approvals = useStandingApprovals(ledger);
  const [most, setMost] = useState("");
  const [room, setRoom] = useState("");
  const create = useChange((client) =>
    client.createStandingApproval({
      ledger,
      ...(payer == null ? {} : { parent: payer }),
      most: plainOf(most, EPSILON),
      room: plainOf(room, EPSILON),
    }),
  );
  const end = useChange((client, approval: string) => client.endStandingApproval({ approval }));
  if (payer === undefined) return null;
  const mine = (approvals.data ?? []).filter(({ parent }) => parent === payer);
  const error = create.error ?? end.error;
  return (
    <details className="chooser-inside">
      <summary>
        Approve small requests in advance on {on}
        {mine.length === 0 ? "" : ` (${mine.length} in force)`}
      </summary>
      <div className="stack gap-12">
        {mine.map((one) => (
          <div key={one.id} className="page-actions at-middle">
            <span>
              Up to <Amount unit="ε" isRoom of={one.most} /> at once, <Amount unit="ε" isRoom of={one.room} /> left in
              all, by {one.by}.
            </span>
            <Button
              size="xs"
              variant="default"
              aria-label={`Stop approving up to ε ${formatRoom(one.most)} on ${on}`}
              disabled={end.isPending}
              onClick={() => end.mutate(one.id)}
            >
              Stop
            </Button>
          </div>
        ))}
        <form
          className="page-actions at-end"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(undefined, {
              onSuccess: () => {
                setMost("");
                setRoom("");
              },
            });
          }}
        >
          <NumberField wish={EPSILON} label="Each request up to ε" value={most} onChange={setMost} />
          <NumberField wish={EPSILON} label="All together up to ε" value={room} onChange={setRoom} />
          <Button
            type="submit"
            variant="default"
            aria-label={`Approve in advance on ${on}`}
            disabled={!isTyped(most, EPSILON) || !isTyped(room, EPSILON)}
            loading={create.isPending}
          >
            Approve in advance
          </Button>
        </form>
        <Fault error={error} />
      </div>
    </details>
  );
}

/** What waits for the reader, which takes nothing until it is decided. */
export function WaitingRequests({ ledger }: { ledger: string }) {
  const received = useRequests("received");
  const waiting = (received.data ?? []).filter(
    (one) => one.ledger === ledger && one.mine.mayDecide && one.status === "submitted",
  );
  return waiting.length === 0 ? null : (
    <Link to="/requests" className="small">
      {waiting.length === 1 ? "One request" : `${waiting.length} requests`} for ε{" "}
      <Amount of={sumOf(waiting.map(({ asked }) => asked.epsilon))} /> {waiting.length === 1 ? "waits" : "wait"} for
      you.
    </Link>
  );
}
