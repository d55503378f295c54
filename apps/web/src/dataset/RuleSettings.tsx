import type { Ledger } from "@dosimeter/client";
import { nextRule, ruleRow } from "@dosimeter/core";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { Form } from "../parts/Form.tsx";
import { Choice, CommitNumber, NumberField, TextField } from "../parts/fields.tsx";
import {
  EPSILON,
  isTyped,
  isTypedOrEmpty,
  OPTIONAL_DELTA,
  plainOf,
  SPENT_DELTA,
  SPENT_EPSILON,
} from "../parts/number-text.ts";
import { Fault } from "../parts/Pending.tsx";

/** A ledger's settings for admins: who switches the rule, whether quota may be overbooked, whether charges are admitted. */
export function RuleSettings({ ledger, dataset }: { ledger: Ledger; dataset: string }) {
  const set = useChange((client, change: Parameters<typeof client.setLedger>[0]) => client.setLedger(change));
  const change = (settings: Partial<Pick<Ledger, "policy" | "mode" | "status" | "threshold">>): undefined =>
    void set.mutate({ ledger: ledger.id, ...settings });
  const next = nextRule(ledger.rule, ledger.activeRule);
  return (
    <details className="small">
      <summary>Rule, overbooking, freezing</summary>
      <div className="stack below-12">
        <div className="fields">
          {next === null ? null : (
            <Choice
              label="Who switches to the tight rule"
              value={ledger.policy}
              onChange={(chosen) => change({ policy: chosen })}
              data={{ ask: "an admin, by hand", auto: "the first charge that fits only the tight rule" }}
            />
          )}
          <Choice
            label="Budgets given out by this ledger"
            value={ledger.mode}
            onChange={(chosen) => change({ mode: chosen })}
            data={{ funded: "at most the lifetime budget", overbooked: "more than the lifetime budget (overbooked)" }}
          />
          <CommitNumber
            label="Reports add up when one query has more ε than"
            wish={EPSILON}
            value={ledger.threshold ?? "1"}
            onCommit={(typed) => (typed === null ? undefined : change({ threshold: typed.plain }))}
          />
        </div>
        <Fault error={set.error} />
        {ledger.status === "frozen" ? <Reopen ledger={ledger.id} /> : null}
        <div className="page-actions">
          {ruleRow(ledger.rule).switchesTo === null ? null : (
            <Link to="/datasets/$dataset/switch" params={{ dataset }}>
              What a switch to the tight rule would change
            </Link>
          )}
          <Button
            size="xs"
            variant="default"
            loading={set.isPending}
            onClick={() => change({ status: ledger.status === "frozen" ? "open" : "frozen" })}
          >
            {ledger.status === "frozen" ? "Unfreeze: accept charges again" : "Freeze: accept no charges for now"}
          </Button>
        </div>
      </div>
    </details>
  );
}

/** After a restore the ledger may lack charges: an admin writes them off as spent before new charges are accepted. */
function Reopen({ ledger }: { ledger: string }) {
  const [epsilon, setEpsilon] = useState("");
  const [delta, setDelta] = useState("");
  const [reason, setReason] = useState("");
  const reopen = useChange((client) =>
    client.reopenLedger({
      ledger,
      epsilon: plainOf(epsilon, SPENT_EPSILON),
      delta: delta.trim() === "" ? "0" : plainOf(delta, SPENT_DELTA),
      reason,
    }),
  );
  const isReady = isTyped(epsilon, SPENT_EPSILON) && isTypedOrEmpty(delta, SPENT_DELTA) && reason.trim() !== "";
  return (
    <details>
      <summary>Charges may be missing after a restore: write them off</summary>
      <Form
        className="stack gap-12 below-12"
        action="Write off and open"
        isReady={isReady}
        isBusy={reopen.isPending}
        size="xs"
        variant="default"
        onSubmit={() => reopen.mutate(undefined)}
      >
        <p className="soft flush">
          Charges that a restored backup lacks count as spent. Enter at least what you know to be missing, or 0 where
          nothing can be. Where charges may be missing, a write-off, also of 0, ends the running totals that have begun.
        </p>
        <div className="fields">
          <NumberField label="ε to write off" wish={SPENT_EPSILON} value={epsilon} onChange={setEpsilon} />
          <NumberField
            {...OPTIONAL_DELTA}
            wish={SPENT_DELTA}
            description="Empty: none."
            value={delta}
            onChange={setDelta}
          />
          <TextField label="Why" value={reason} onChange={setReason} />
        </div>
        <Fault error={reopen.error} />
        {reopen.data?.status === "frozen" ? (
          <p role="status">A second admin, of its datasets or of the platform, must enter the same amounts.</p>
        ) : null}
      </Form>
    </details>
  );
}
