import type { Plan, Request } from "@dosimeter/client";
import { Radio } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useDataset } from "../api/datasets.ts";
import { useAccount, useLedger } from "../api/ledgers.ts";
import { useQuote } from "../api/releases.ts";
import { ChooseEpsilon } from "../new-dataset/ChooseEpsilon.tsx";
import { declaredNoun, declaredSize } from "../new-dataset/size.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { FormDialog } from "../parts/Dialog.tsx";
import { LongText, NumberField } from "../parts/fields.tsx";
import {
  DELTA,
  deltaField,
  EPSILON,
  faultText,
  isTyped,
  isTypedOrEmpty,
  OPTIONAL_DELTA,
  plainOf,
} from "../parts/number-text.ts";
import { Fault, Loading } from "../parts/Pending.tsx";
import { isMore } from "../sums.ts";
import { Pair } from "./Pair.tsx";
import { purposeText } from "./words.ts";

type Choice = "approve" | "offer" | "reject";

/** The decision: approve all or a part, offer another amount, or reject. */
export function Decide({ request, onClose }: { request: Request; onClose: () => void }) {
  const [choice, setChoice] = useState<Choice>("approve");
  const [epsilon, setEpsilon] = useState(request.asked.epsilon);
  const [delta, setDelta] = useState("");
  const [note, setNote] = useState("");
  const decide = useChange((client) => {
    const answer = { request: request.id, version: request.version };
    if (choice === "reject") return client.rejectRequest({ ...answer, note });
    const amount = { epsilon: plainOf(epsilon, EPSILON), ...deltaField(delta) };
    if (choice === "offer") return client.offerRequest({ ...answer, ...amount, note });
    const isWhole = plainOf(epsilon, EPSILON) === request.asked.epsilon && delta.trim() === "";
    return client.approveRequest({ ...answer, ...(isWhole ? {} : amount), note });
  });
  const isTooMuch =
    choice === "approve" && isTyped(epsilon, EPSILON) && isMore(plainOf(epsilon, EPSILON), request.asked.epsilon);
  const fault = isTooMuch
    ? `At most what was asked, ${request.asked.epsilon}. For more, make an offer.`
    : epsilon.trim() === ""
      ? faultText(epsilon, "a number above 0")
      : undefined;
  const isReady =
    choice === "reject"
      ? note.trim() !== ""
      : fault === undefined && isTyped(epsilon, EPSILON) && isTypedOrEmpty(delta, DELTA);
  return (
    <FormDialog
      title={`Decide: ${purposeText(request)}`}
      size="lg"
      action={
        choice === "approve"
          ? `Grant ε ${sayAmount(epsilon)}`
          : choice === "offer"
            ? `Offer ε ${sayAmount(epsilon)}`
            : "Reject"
      }
      isReady={isReady}
      change={decide}
      keeps={{ of: `decide ${request.id}` }}
      onSubmit={() => decide.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="flush">
        {request.requester.name} asks for <Pair of={request.asked} /> of {request.from}. <Free request={request} />
      </p>
      {request.note === "" ? null : <p className="soft flush as-typed">{request.note}</p>}
      {request.plan === null ? null : <WhatItBuys request={request} plan={request.plan} />}
      <Radio.Group label="Decision" value={choice} onChange={(value) => setChoice(value as Choice)}>
        <div className="stack gap-8 below-8">
          <Radio value="approve" label="Approve, all or a part" />
          <Radio value="offer" label="Offer another amount" />
          <Radio value="reject" label="Reject" />
        </div>
      </Radio.Group>
      {choice === "reject" ? null : (
        <div className="fields">
          <NumberField
            wish={EPSILON}
            name="epsilon"
            label={choice === "approve" ? "ε to grant" : "ε to offer"}
            description={
              choice === "approve"
                ? "Less than was asked approves in part."
                : "Nothing is set aside until it is accepted."
            }
            value={epsilon}
            onChange={setEpsilon}
            fault={fault}
          />
          <NumberField {...OPTIONAL_DELTA} value={delta} onChange={setDelta} />
        </div>
      )}
      {choice === "reject" ? null : <Choosing request={request} epsilon={epsilon} onUse={setEpsilon} />}
      <LongText
        name="note"
        label={choice === "reject" ? "Reason" : "Note (optional)"}
        maxLength={2000}
        value={note}
        onChange={setNote}
      />
    </FormDialog>
  );
}

/** The amount as it will be granted: exact, since the person who decides confirms it. */
const sayAmount = (epsilon: string): string => (isTyped(epsilon, EPSILON) ? plainOf(epsilon, EPSILON) : "");

/** What this quota buys, and what share it is of what the payer has free. */
function Choosing({ request, ...field }: { request: Request; epsilon: string; onUse: (epsilon: string) => void }) {
  const dataset = useDataset(request.dataset.id).data;
  const free = useFree(request);
  if (dataset === undefined || free === undefined) return null;
  return (
    <ChooseEpsilon
      {...field}
      people={declaredSize(dataset)}
      quota={{
        noun: declaredNoun(dataset),
        room: { epsilon: free.epsilon, what: `what ${request.from} has free` },
      }}
    />
  );
}

/** What the payer could give now. */
function useFree(request: Request) {
  const account = useAccount(request.parent);
  const ledger = useLedger(request.ledger);
  return request.parent === null ? ledger.data?.free : account.data?.free;
}

function Free({ request }: { request: Request }) {
  const free = useFree(request);
  if (free === undefined) return null;
  return (
    <>
      {request.from} has <Amount unit="ε" isRoom of={free.epsilon} /> free.
    </>
  );
}

/** The plan behind a request: what each answer would cost, and how far off it would be. Reads no data. */
export function WhatItBuys({ request, plan }: { request: Request; plan: Plan }) {
  const payer = request.account ?? request.parent;
  const quote = useQuote(payer === null ? null : { dataset: request.dataset.id, account: payer, plan });
  if (payer === null)
    return (
      <p className="soft small flush">
        For{" "}
        {plan.statistics.map(({ statistic, column }) => [statistic, column].filter(Boolean).join(" of ")).join(", ")}.
      </p>
    );
  if (quote.error !== null) return <Fault error={quote.error} />;
  if (quote.data === undefined) return <Loading lines={2} />;
  return (
    <DataTable
      caption="What it would buy"
      isStacking
      rows={quote.data.statistics}
      keyOf={({ id }) => id}
      columns={[
        { name: "Statistic", isHead: true, cell: ({ label }) => label },
        { name: "Error", cell: ({ sentence }) => sentence },
        {
          name: "ε",
          isNumber: true,
          cell: ({ cost }) =>
            "epsilon" in cost ? <Amount of={cost.epsilon} /> : <Amount unit="μ²" of={cost.muSquared} />,
        },
      ]}
    />
  );
}
