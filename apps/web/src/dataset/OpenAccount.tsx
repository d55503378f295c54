import type { Account } from "@dosimeter/client";
import { Button, Modal, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange, usePeople, useTeams } from "../api.ts";
import { isAmount } from "../parts/amount-text.ts";
import { Fault } from "../parts/Pending.tsx";

/** A new account for a team or a person, below the ledger or below a team's account, with its first quota. */
export function OpenAccount({
  ledger,
  parents,
  mayGrantAtTop,
  onClose,
}: {
  ledger: string;
  /** Accounts that I may open others below. */
  parents: readonly Account[];
  mayGrantAtTop: boolean;
  onClose: () => void;
}) {
  const people = usePeople();
  const teams = useTeams();
  const [parent, setParent] = useState(mayGrantAtTop ? "" : (parents[0]?.id ?? ""));
  const [holder, setHolder] = useState("");
  const [epsilon, setEpsilon] = useState("");
  const open = useChange((client) => {
    const [kind, id = ""] = holder.split(" ");
    return client.createAccount({
      ledger,
      ...(parent === "" ? {} : { parent }),
      holder: { kind: kind === "team" ? "team" : "person", id },
      epsilon: epsilon.trim(),
    });
  });
  const isReady = holder !== "" && isAmount(epsilon);
  const active = (people.data ?? []).filter(({ removedAt }) => removedAt === null);
  const error = open.error ?? people.error ?? teams.error;
  return (
    <Modal opened onClose={onClose} title="Open an account" closeButtonProps={{ "aria-label": "Close" }} returnFocus>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) open.mutate(undefined, { onSuccess: onClose });
        }}
      >
        <NativeSelect
          label="Funded by"
          value={parent}
          onChange={(event) => setParent(event.currentTarget.value)}
          data={[
            ...(mayGrantAtTop ? [{ value: "", label: "the ledger itself" }] : []),
            ...parents.map(({ id, path }) => ({ value: id, label: path.join(" › ") })),
          ]}
        />
        <NativeSelect
          label="For"
          value={holder}
          onChange={(event) => setHolder(event.currentTarget.value)}
          data={[
            { value: "", label: "choose" },
            { group: "Teams", items: (teams.data ?? []).map(({ id, name }) => ({ value: `team ${id}`, label: name })) },
            { group: "People", items: active.map(({ id, name }) => ({ value: `person ${id}`, label: name })) },
          ]}
        />
        <TextInput
          label="ε"
          description="The first quota; δ goes with it in proportion."
          inputMode="decimal"
          value={epsilon}
          onChange={(event) => setEpsilon(event.currentTarget.value)}
          error={epsilon.trim() === "" || isAmount(epsilon) ? undefined : "Must be a number above 0."}
        />
        {error === null ? null : <Fault error={error} />}
        <div className="page-actions" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose} disabled={open.isPending}>
            Back
          </Button>
          <Button type="submit" disabled={!isReady} loading={open.isPending}>
            Open the account
          </Button>
        </div>
      </form>
    </Modal>
  );
}
