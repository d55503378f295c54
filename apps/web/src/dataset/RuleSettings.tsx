import type { Ledger } from "@dosimeter/client";
import { Button, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api.ts";
import { Fault } from "../parts/Pending.tsx";

/** What an admin may tell a ledger: who switches, whether more may be promised than there is, whether charges are taken. */
export function RuleSettings({ ledger, dataset }: { ledger: Ledger; dataset: string }) {
  const set = useChange((client, change: Parameters<typeof client.setLedger>[0]) => client.setLedger(change));
  const change = (settings: Partial<Pick<Ledger, "policy" | "mode" | "status">>) =>
    set.mutate({ ledger: ledger.id, ...settings });
  return (
    <details className="small">
      <summary>Rule, promises, freezing</summary>
      <div className="stack" style={{ marginTop: 12 }}>
        <div className="fields">
          {ledger.rule === "additionThenTight" && ledger.lane === "addition" ? (
            <NativeSelect
              label="Who switches to the tight rule"
              value={ledger.policy}
              onChange={(event) => change({ policy: event.currentTarget.value as Ledger["policy"] })}
              data={[
                { value: "ask", label: "an admin, by hand" },
                { value: "auto", label: "the first charge that fits only tight" },
              ]}
            />
          ) : null}
          <NativeSelect
            label="What may be promised at the top"
            value={ledger.mode}
            onChange={(event) => change({ mode: event.currentTarget.value as Ledger["mode"] })}
            data={[
              { value: "funded", label: "at most the lifetime" },
              { value: "overbooked", label: "more than the lifetime" },
            ]}
          />
        </div>
        {set.error === null ? null : <Fault error={set.error} />}
        <div className="page-actions">
          {ledger.rule === "additionThenTight" ? (
            <Link to="/datasets/$dataset/switch" params={{ dataset }}>
              What a switch to the tight rule would change
            </Link>
          ) : null}
          <Button
            size="xs"
            variant="default"
            loading={set.isPending}
            onClick={() => change({ status: ledger.status === "frozen" ? "open" : "frozen" })}
          >
            {ledger.status === "frozen" ? "Take charges again" : "Freeze: take no charge for now"}
          </Button>
        </div>
      </div>
    </details>
  );
}
