import type { Dataset } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useLedger } from "../api/ledgers.ts";
import { usePeople, useTeams } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { Amount, formatRoom } from "../parts/Amount.tsx";
import { Choice, NumberField, TextField } from "../parts/fields.tsx";
import { EPSILON, isTyped, plainOf } from "../parts/number-text.ts";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { isMore } from "../sums.ts";

const NEW = "new";

/** The first share of a ledger: to a team of mine, to a new one, or to a person. */
export function GiveBudget({ ledger, onSkip }: { ledger: NonNullable<Dataset["ledger"]>; onSkip: () => void }) {
  const teams = useTeams();
  const people = usePeople();
  const opensTeams = useMe().data?.opensTeams ?? true;
  const [holder, setHolder] = useState(NEW);
  const [name, setName] = useState("");
  const [epsilon, setEpsilon] = useState("");
  const give = useChange(async (client) => {
    const [kind = "", id = ""] =
      holder === NEW ? ["team", (await client.createTeam({ name: name.trim() })).id] : holder.split(" ");
    setHolder(`${kind} ${id}`); // after a refusal the same team is tried again
    return client.createAccount({
      ledger: ledger.id,
      holder: { kind: kind === "team" ? "team" : "person", id },
      epsilon: plainOf(epsilon, EPSILON),
      kind: "share",
      mode: "funded",
    });
  });
  // Checked before a team is made: the server would refuse the account, and the team would stay without one.
  const { mode, free } = useLedger(ledger.id).data ?? { mode: undefined, free: undefined };
  const most = mode === "overbooked" ? ledger.epsilon : free?.epsilon;
  const isTooMuch = most !== undefined && isTyped(epsilon, EPSILON) && isMore(plainOf(epsilon, EPSILON), most);
  const isReady =
    most !== undefined &&
    !isTooMuch &&
    (holder !== NEW || (opensTeams && name.trim() !== "")) &&
    isTyped(epsilon, EPSILON);
  const error = give.error ?? teams.error ?? people.error;
  return (
    <Card>
      <form
        className="stack measured"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) give.mutate(undefined);
        }}
      >
        <p className="soft flush">
          A budget is permission to spend. You can raise it later, or take back the part that is not spent.
        </p>
        <Choice
          label="For"
          value={holder}
          onChange={setHolder}
          data={[
            opensTeams
              ? { value: NEW, label: "a new team" }
              : { value: NEW, label: "choose a team or a person", disabled: true },
            {
              group: "Teams",
              items: (teams.data ?? [])
                .filter(({ closedAt }) => closedAt === null)
                .map((team) => ({ value: `team ${team.id}`, label: team.name })),
            },
            {
              group: "People",
              items: (people.data ?? [])
                .filter(({ removedAt }) => removedAt === null)
                .map((person) => ({ value: `person ${person.id}`, label: person.name })),
            },
          ]}
        />
        {holder === NEW && opensTeams ? <TextField label="Name of the team" value={name} onChange={setName} /> : null}
        <NumberField
          wish={EPSILON}
          label="ε"
          description={
            <>
              The ledger has ε <Amount of={ledger.epsilon} /> in all.
            </>
          }
          value={epsilon}
          onChange={setEpsilon}
          fault={isTooMuch ? `This is more than can be given: at most ε ${formatRoom(most)}.` : undefined}
        />
        <Fault error={error} />
        <div className="page-actions">
          <Button type="submit" disabled={!isReady} loading={give.isPending}>
            Give budget
          </Button>
          <Button variant="default" onClick={onSkip}>
            Later
          </Button>
        </div>
      </form>
    </Card>
  );
}
