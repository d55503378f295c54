import type { Agent, Confirmation } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useAgents } from "../api/people.ts";
import { Amount, formatCost } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Confirm, FormDialog } from "../parts/Dialog.tsx";
import { NumberField } from "../parts/fields.tsx";
import { EPSILON, isTypedOrEmpty, plainOf, SPENT_EPSILON } from "../parts/number-text.ts";
import { Facts, Tag } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { useInFront } from "../parts/use-in-front.ts";
import { momentText } from "../parts/words.ts";
import { AgentShare } from "./AgentShare.tsx";
import { Tokens } from "./Tokens.tsx";

/** The AI agents that act for me: what waits for my click, what they may spend by themselves, and what they spent on what. */
export function Agents() {
  const agents = useAgents();
  return (
    <Pending of={agents} lines={2}>
      {(all) =>
        all.length === 0 ? (
          <p className="soft small flush">None acts for you. An admin of the platform makes one.</p>
        ) : (
          <div className="stack">
            {all.map((agent) => (
              <OneAgent key={agent.id} agent={agent} />
            ))}
          </div>
        )
      }
    </Pending>
  );
}

function OneAgent({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState<"limits" | "remove" | null>(null);
  const { name, hourEpsilon, confirmAbove, spentThisHour, removedAt, shares, waiting } = agent;
  return (
    <section aria-label={name} className="stack gap-12">
      <h3 className="flush">
        {name} {removedAt === null ? null : <Tag tone="plain">removed</Tag>}
      </h3>
      {waiting.map((one) => (
        <Waiting key={one.id} of={one} />
      ))}
      <Facts
        of={{
          "Most within an hour": hourEpsilon === null ? "no limit" : <Amount unit="ε" isRoom of={hourEpsilon} />,
          "Spent within the last hour":
            spentThisHour === null ? "not known in ε" : <Amount unit="ε" of={spentThisHour} />,
          "Waits for my click above": confirmAbove === null ? "never" : <Amount unit="ε" isRoom of={confirmAbove} />,
        }}
      />
      {removedAt !== null ? null : (
        <div className="row gap-8">
          <Button variant="default" onClick={() => setOpen("limits")}>
            Change its limits
          </Button>
          <Button variant="default" onClick={() => setOpen("remove")}>
            Remove it
          </Button>
        </div>
      )}
      {shares.map((share) => (
        <AgentShare key={share.account} of={share} agent={agent} />
      ))}
      {removedAt !== null ? null : (
        <>
          <h4 className="flush">Programs with a token of it</h4>
          <Tokens service={agent.id} isAdmin={false} />
        </>
      )}
      <Spent of={agent} />
      {open === "limits" ? <Limits of={agent} onClose={() => setOpen(null)} /> : null}
      {open === "remove" ? <Remove of={agent} onClose={() => setOpen(null)} /> : null}
    </section>
  );
}

/** What the agent wrote stands in a block of its own, which no quotation mark of its ends: it is no word of ours. */
function Waiting({ of }: { of: Confirmation }) {
  const { id, title, datasetName, epsilon, purpose, text, status, expiresAt } = of;
  const decide = useChange((client, verdict: "confirm" | "refuse") =>
    client.decideConfirmation({ confirmation: id, verdict }),
  );
  const isInFront = useInFront();
  const isConfirmed = status === "confirmed";
  const price = epsilon === null ? "a price that is not in ε" : `ε ${formatCost(epsilon)}`;
  return (
    <section
      className="notice"
      data-tone="warn"
      aria-label={`${isConfirmed ? "Confirmed" : "Waits for you"}: ${title}`}
    >
      <h4 className="flush">
        {title}, of {datasetName}
      </h4>
      <p>
        It costs {price}, for ever.{" "}
        {isConfirmed
          ? "You confirmed it, and it is not charged yet: the agent can still charge it, unless you take that back."
          : "Nothing is charged until you confirm."}
      </p>
      {purpose === null ? (
        <p>The agent does not say why.</p>
      ) : (
        <>
          <p>The agent says why, in its own words:</p>
          <blockquote className="own-words">
            <bdi>{purpose}</bdi>
          </blockquote>
        </>
      )}
      <pre className="code as-typed">{text}</pre>
      <div className="row gap-8 at-middle">
        {isConfirmed ? null : (
          <Button disabled={decide.isPending} onClick={() => isInFront() && decide.mutate("confirm")}>
            Confirm and pay
          </Button>
        )}
        <Button variant="default" disabled={decide.isPending} onClick={() => decide.mutate("refuse")}>
          {isConfirmed ? "Take it back" : "Refuse"}
        </Button>
        <span className="soft small">Until {momentText(expiresAt)}</span>
      </div>
      <Fault error={decide.error} />
    </section>
  );
}

function Spent({ of: { name, charges } }: { of: Agent }) {
  if (charges.length === 0) return <p className="soft small flush">It has spent nothing.</p>;
  return (
    <DataTable
      caption={`What ${name} spent`}
      isStacking
      rows={charges}
      keyOf={({ release }) => release}
      columns={[
        {
          name: "Release",
          isHead: true,
          cell: ({ release, title }) => (
            <Link to="/releases/$release" params={{ release }}>
              {title}
            </Link>
          ),
        },
        { name: "Dataset", cell: ({ datasetName }) => datasetName },
        { name: "Paid", cell: ({ epsilon }) => <Amount unit="ε" of={epsilon} /> },
        { name: "Why, in its own words", cell: ({ purpose }) => (purpose === null ? "–" : <bdi>{purpose}</bdi>) },
        { name: "When", cell: ({ at }) => momentText(at) },
      ]}
    />
  );
}

function Limits({ of: { id, name, hourEpsilon, confirmAbove }, onClose }: { of: Agent; onClose: () => void }) {
  const [hour, setHour] = useState(hourEpsilon ?? "");
  const [above, setAbove] = useState(confirmAbove ?? "");
  const set = useChange((client, _: undefined) =>
    client.setAgentLimits({
      agent: id,
      hourEpsilon: plainOf(hour, EPSILON) || null,
      confirmAbove: plainOf(above, SPENT_EPSILON) || null,
    }),
  );
  return (
    <FormDialog
      title={`What ${name} may spend by itself`}
      action="Save"
      isReady={isTypedOrEmpty(hour, EPSILON) && isTypedOrEmpty(above, SPENT_EPSILON)}
      change={set}
      onSubmit={() => set.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <NumberField
        wish={EPSILON}
        label="Most within any hour, ε"
        description="Empty: no limit but its budgets."
        value={hour}
        onChange={setHour}
      />
      <NumberField
        wish={SPENT_EPSILON}
        label="A release waits for my click above, ε"
        description="0: every one that costs. Empty: none does."
        value={above}
        onChange={setAbove}
      />
    </FormDialog>
  );
}

function Remove({ of: { id, name }, onClose }: { of: Agent; onClose: () => void }) {
  const remove = useChange((client, _: undefined) => client.removeAgent({ agent: id }));
  return (
    <Confirm
      title={`Remove ${name}?`}
      action="Remove it"
      change={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      Its tokens and budgets stop at once, and what waits for you is never charged. What it spent stays spent; what you
      gave it and is left you can take back here afterwards.
    </Confirm>
  );
}
