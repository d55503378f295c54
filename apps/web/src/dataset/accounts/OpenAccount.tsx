import type { Account } from "@dosimeter/client";
import { Radio } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/connection.ts";
import { useMembers, usePeople, useTeams } from "../../api/people.ts";
import { FormDialog } from "../../parts/Dialog.tsx";
import { Choice, NumberField, TextField } from "../../parts/fields.tsx";
import {
  DELTA,
  deltaField,
  EPSILON,
  isTyped,
  isTypedOrEmpty,
  OPTIONAL_DELTA,
  plainOf,
} from "../../parts/number-text.ts";
import { budgetChoices } from "../../parts/words.ts";
import { endOf, Limits, type LimitsForm, ModeChoice } from "./EditAccount.tsx";

const PURPOSE = "purpose";
const UNSEEN = "unseen";

interface OpenAccountProps {
  ledger: string;
  /** The names of its datasets. */
  on: string;
  /** Accounts that I may open others below. */
  parents: readonly Account[];
  mayGrantAtTop: boolean;
  onClose: () => void;
}

/** A new account for a team, a person or a purpose, below the ledger or below a team's account, with its first quota. */
export function OpenAccount({ ledger, on, parents, mayGrantAtTop, onClose }: OpenAccountProps) {
  const people = usePeople();
  const teams = useTeams();
  const [parent, setParent] = useState(mayGrantAtTop ? "" : (parents[0]?.id ?? ""));
  const [holder, setHolder] = useState("");
  const [purpose, setPurpose] = useState("");
  const [team, setTeam] = useState("");
  const [epsilon, setEpsilon] = useState("");
  const [delta, setDelta] = useState("");
  const [limits, setLimits] = useState<LimitsForm>({ queryEpsilon: "", expires: "" });
  const [kind, setKind] = useState<Account["kind"]>("share");
  const [mode, setMode] = useState<Account["mode"]>("funded");
  const above = parents.find((account) => account.id === parent);
  const isOwn = above !== undefined && above.holder.kind === "person";
  const isPurpose = isOwn || holder === PURPOSE;
  const open = useChange((client) => {
    const [who, id = ""] = holder === UNSEEN ? ["team", team.trim()] : holder.split(" ");
    return client.createAccount({
      ledger,
      ...(parent === "" ? {} : { parent }),
      holder: isPurpose ? { kind: "purpose", name: purpose.trim() } : { kind: who === "team" ? "team" : "person", id },
      epsilon: plainOf(epsilon, EPSILON),
      ...deltaField(delta),
      ...(limits.queryEpsilon.trim() === "" ? {} : { queryEpsilon: plainOf(limits.queryEpsilon, EPSILON) }),
      ...(limits.expires === "" ? {} : { expiresAt: endOf(limits.expires) }),
      kind: isPurpose ? "share" : kind,
      mode,
    });
  });
  const isReady =
    (isPurpose ? purpose.trim() !== "" : holder !== "" && (holder !== UNSEEN || /^\w+$/.test(team.trim()))) &&
    isTyped(epsilon, EPSILON) &&
    isTypedOrEmpty(delta, DELTA) &&
    isTypedOrEmpty(limits.queryEpsilon, EPSILON);
  // Below a team's account there are only people of that team.
  const members = useMembers(above?.holder.kind === "team" ? above.holder.id : null);
  const active = (people.data ?? []).filter(
    ({ id, removedAt }) =>
      removedAt === null &&
      (members.data === undefined || members.data.some(({ person, until }) => person === id && until === null)),
  );
  const error = open.error ?? people.error ?? teams.error;
  return (
    <FormDialog
      title={`Give budget on ${on} to …`}
      action="Give budget"
      isReady={isReady}
      change={open}
      error={error}
      keeps={{ of: `budget on ${on}` }}
      onSubmit={() => open.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Choice
        label="Funded by"
        value={parent}
        onChange={setParent}
        data={[...(mayGrantAtTop ? [{ value: "", label: "the ledger itself" }] : []), ...budgetChoices(parents)]}
      />
      {isOwn ? null : (
        <Choice
          label="For"
          value={holder}
          onChange={setHolder}
          data={[
            { value: "", label: "choose" },
            { value: PURPOSE, label: "a purpose, by name" },
            { value: UNSEEN, label: "a team that I cannot see, by its id" },
            {
              group: "Teams",
              items: (teams.data ?? []).map(({ id, name }) => ({ value: `team ${id}`, label: name })),
            },
            { group: "People", items: active.map(({ id, name }) => ({ value: `person ${id}`, label: name })) },
          ]}
        />
      )}
      {holder === UNSEEN && !isOwn ? (
        <TextField
          label="Id of the team"
          description="Its admin finds it on the team’s page."
          value={team}
          onChange={setTeam}
        />
      ) : null}
      {isPurpose ? (
        <TextField
          label="Purpose"
          description={
            isOwn
              ? "Set aside from your own budget; you spend from it by its name."
              : "People get budgets below it, as in a team."
          }
          value={purpose}
          onChange={setPurpose}
        />
      ) : null}
      <div className="fields">
        <NumberField
          wish={EPSILON}
          label="ε"
          description="What it has at first."
          value={epsilon}
          onChange={setEpsilon}
        />
        <NumberField {...OPTIONAL_DELTA} value={delta} onChange={setDelta} />
      </div>
      {isOwn ? null : (
        <>
          {isPurpose || !mayGrantAtTop ? null : (
            <Radio.Group label="What it is" value={kind} onChange={(value) => setKind(value as Account["kind"])}>
              <div className="stack gap-8 below-8">
                <Radio value="share" label="A budget: permission to spend, without a guarantee of its own" />
                <Radio
                  value="cap"
                  label="A cap on what its holder learns: every answer they read counts, no matter who paid for it"
                />
              </div>
            </Radio.Group>
          )}
          {holder.startsWith("person") ? null : <ModeChoice mode={mode} onChange={setMode} />}
        </>
      )}
      <details>
        <summary>Limits</summary>
        <div className="stack below-12">
          <Limits of={limits} set={(change) => setLimits({ ...limits, ...change })} />
        </div>
      </details>
    </FormDialog>
  );
}
