import type { Agent } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { Amount, formatRoom } from "../parts/Amount.tsx";
import { FormDialog } from "../parts/Dialog.tsx";
import { NumberField } from "../parts/fields.tsx";
import { EPSILON, isTyped, plainOf } from "../parts/number-text.ts";
import { Facts } from "../parts/Page.tsx";

type Share = Agent["shares"][number];

/** An account of the agent that stands next to one of mine: what I gave it of my own budget, and more or less of it. */
export function AgentShare({ of, agent }: { of: Share; agent: Agent }) {
  const [open, setOpen] = useState<"give" | "back" | null>(null);
  const { datasetNames, given, free } = of;
  const about = datasetNames.join(", ");
  return (
    <section aria-label={`Budget of ${about}`} className="stack gap-8">
      <Facts
        of={{
          [`Left of its budget of ${about}`]: <Amount unit="ε" isRoom of={free} />,
          "Given by me and not taken back": <Amount unit="ε" of={given} />,
        }}
      />
      <div className="row gap-8">
        {agent.removedAt === null ? (
          <Button variant="default" onClick={() => setOpen("give")}>
            Give it of my budget
          </Button>
        ) : null}
        {given === "0" ? null : (
          <Button variant="default" onClick={() => setOpen("back")}>
            Take budget back
          </Button>
        )}
      </div>
      {open === null ? null : <Move of={of} agent={agent} isBack={open === "back"} onClose={() => setOpen(null)} />}
    </section>
  );
}

interface MoveProps {
  of: Share;
  agent: Agent;
  isBack: boolean;
  onClose: () => void;
}

function Move({ of: { own, account, given, free, ownFree }, agent: { id, name }, isBack, onClose }: MoveProps) {
  const [epsilon, setEpsilon] = useState("");
  const [from, to] = isBack ? [account, own] : [own, account];
  const move = useChange((client, _: undefined) =>
    client.moveShare({ agent: id, from, to, epsilon: plainOf(epsilon, EPSILON) }),
  );
  return (
    <FormDialog
      title={isBack ? `Take budget back from ${name}` : `Give ${name} of my budget`}
      action={isBack ? "Take it back" : "Give it"}
      isReady={isTyped(epsilon, EPSILON)}
      change={move}
      onSubmit={() => move.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <NumberField
        wish={EPSILON}
        label="How much, ε"
        description={
          isBack
            ? `I gave ${formatRoom(given)}, and it has ${formatRoom(free)} left. What it spent stays spent.`
            : `I have ${formatRoom(ownFree)} left. What it does not spend can be taken back.`
        }
        value={epsilon}
        onChange={setEpsilon}
      />
    </FormDialog>
  );
}
