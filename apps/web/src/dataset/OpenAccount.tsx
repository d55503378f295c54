import type { Account } from "@dosimeter/client";
import { Button, Modal, NativeSelect, Radio, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange, usePeople, useTeams } from "../api.ts";
import { isAmount } from "../parts/amount-text.ts";
import { Fault } from "../parts/Pending.tsx";
import { ModeChoice } from "./EditAccount.tsx";

const PURPOSE = "purpose";

/** A new account for a team, a person or a purpose, below the ledger or below a team's account, with its first quota. */
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
  const [purpose, setPurpose] = useState("");
  const [epsilon, setEpsilon] = useState("");
  const [kind, setKind] = useState<Account["kind"]>("share");
  const [mode, setMode] = useState<Account["mode"]>("funded");
  const above = parents.find((account) => account.id === parent);
  const isOwn = above !== undefined && above.holder.kind === "person";
  const isPurpose = isOwn || holder === PURPOSE;
  const open = useChange((client) => {
    const [who, id = ""] = holder.split(" ");
    return client.createAccount({
      ledger,
      ...(parent === "" ? {} : { parent }),
      holder: isPurpose ? { kind: "purpose", name: purpose.trim() } : { kind: who === "team" ? "team" : "person", id },
      epsilon: epsilon.trim(),
      kind,
      mode,
    });
  });
  const isReady = (isPurpose ? purpose.trim() !== "" : holder !== "") && isAmount(epsilon);
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
        {isOwn ? null : (
          <NativeSelect
            label="For"
            value={holder}
            onChange={(event) => setHolder(event.currentTarget.value)}
            data={[
              { value: "", label: "choose" },
              { value: PURPOSE, label: "a purpose, by name" },
              {
                group: "Teams",
                items: (teams.data ?? []).map(({ id, name }) => ({ value: `team ${id}`, label: name })),
              },
              { group: "People", items: active.map(({ id, name }) => ({ value: `person ${id}`, label: name })) },
            ]}
          />
        )}
        {isPurpose ? (
          <TextInput
            label="Purpose"
            description={
              isOwn
                ? "Set aside from your own account; you spend from it by its name."
                : "People get accounts below it, as below a team."
            }
            value={purpose}
            onChange={(event) => setPurpose(event.currentTarget.value)}
          />
        ) : null}
        <TextInput
          label="ε"
          description="The first quota; δ goes with it in proportion."
          inputMode="decimal"
          value={epsilon}
          onChange={(event) => setEpsilon(event.currentTarget.value)}
          error={epsilon.trim() === "" || isAmount(epsilon) ? undefined : "Must be a number above 0."}
        />
        {isOwn ? null : (
          <>
            <Radio.Group label="What the quota is" value={kind} onChange={(value) => setKind(value as Account["kind"])}>
              <div style={{ display: "grid", gap: 8, marginTop: 6 }}>
                <Radio value="share" label="A share: permission to spend, no promise of its own" />
                <Radio
                  value="cap"
                  label="A cap on what its holder learns: every answer they read counts, whoever paid for it"
                />
              </div>
            </Radio.Group>
            {holder.startsWith("person") ? null : <ModeChoice mode={mode} onChange={setMode} />}
          </>
        )}
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
