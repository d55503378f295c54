import type { Account, Output } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useAccountTree, useDeclaring } from "../api/ledgers.ts";
import { Form } from "../parts/Form.tsx";
import { Check, Choice, NumberField } from "../parts/fields.tsx";
import { EPSILON, isTypedOrEmpty, plainOf, SPENT_EPSILON, type Wish } from "../parts/number-text.ts";
import { Pending } from "../parts/Pending.tsx";
import { budgetChoices } from "../parts/words.ts";

/** An admin of the ledger gives budgets the right to pay for programs outside, or ends it. */
export function Declaring({ ledger }: { ledger: string }) {
  const accounts = useAccountTree(ledger);
  const [chosen, setChosen] = useState("");
  const active = (accounts.data ?? []).filter(({ status }) => status !== "closed");
  const account = active.find(({ id }) => id === chosen);
  return (
    <details>
      <summary>Who may pay for programs outside</summary>
      <div className="stack below-12">
        <Choice
          label="Budget that pays"
          value={chosen}
          onChange={setChosen}
          data={[{ value: "", label: "choose" }, ...budgetChoices(active)]}
        />
        {account === undefined ? null : <Chosen key={account.id} account={account} />}
      </div>
    </details>
  );
}

function Chosen({ account }: { account: Account }) {
  const right = useDeclaring(account.id);
  return (
    <Pending of={right} lines={2}>
      {(known) => <RightForm account={account.id} known={known} />}
    </Pending>
  );
}

/** 0: a second person approves each. */
const SECOND: Wish = { ...SPENT_EPSILON, rounding: "down" };

function RightForm({ account, known }: { account: string; known: Output<"showDeclaring"> }) {
  const [most, setMost] = useState(known.mostEpsilon ?? "");
  const [second, setSecond] = useState(known.secondAbove ?? "");
  const [agents, setAgents] = useState(known.agents);
  const orNone = (text: string, wish: Wish) => (text.trim() === "" ? null : plainOf(text, wish));
  const save = useChange((client) =>
    client.setDeclaring({ account, mostEpsilon: orNone(most, EPSILON), secondAbove: orNone(second, SECOND), agents }),
  );
  return (
    <Form
      className="stack gap-12 measured"
      action="Save the right"
      isReady={isTypedOrEmpty(most, EPSILON) && isTypedOrEmpty(second, SECOND)}
      change={save}
      onSubmit={() => save.mutate(undefined)}
    >
      <NumberField
        wish={EPSILON}
        label="Most ε of one charge"
        description="Empty: this budget pays for no program outside."
        value={most}
        onChange={setMost}
      />
      <NumberField
        wish={SECOND}
        label="A second person approves above ε"
        description="All charges of one program counted. Empty: never."
        value={second}
        onChange={setSecond}
      />
      <Check label="AI agents of its holder may charge too" checked={agents} onChange={setAgents} />
      {save.isSuccess ? (
        <p className="flush" role="status">
          {save.data.mostEpsilon === null
            ? "It pays for no program outside."
            : "Saved: it may pay for programs outside."}
        </p>
      ) : null}
    </Form>
  );
}
