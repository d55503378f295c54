import type { Request } from "@dosimeter/client";
import { Radio, Textarea } from "@mantine/core";
import { useState } from "react";
import { useAccount } from "../api/accounts.ts";
import { useChange } from "../api/change.ts";
import { useDataset } from "../api/datasets.ts";
import { useLedger } from "../api/ledgers.ts";
import { isMore } from "../charts.ts";
import { ChooseEpsilon } from "../new-dataset/ChooseEpsilon.tsx";
import { declaredSize } from "../new-dataset/size.ts";
import { Amount } from "../parts/Amount.tsx";
import { AmountInput } from "../parts/AmountInput.tsx";
import { amountFault, isAmount } from "../parts/amount-text.ts";
import { DeltaInput, deltaField, isDeltaOrEmpty } from "../parts/DeltaInput.tsx";
import { FormDialog } from "../parts/Dialog.tsx";
import { Pair } from "./Pair.tsx";
import { WhatItBuys } from "./WhatItBuys.tsx";
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
    const amount = { epsilon: epsilon.trim(), ...deltaField(delta) };
    if (choice === "offer") return client.offerRequest({ ...answer, ...amount, note });
    const isWhole = epsilon.trim() === request.asked.epsilon && delta.trim() === "";
    return client.approveRequest({ ...answer, ...(isWhole ? {} : amount), note });
  });
  const isTooMuch = choice === "approve" && isAmount(epsilon) && isMore(epsilon.trim(), request.asked.epsilon);
  const fault = isAmount(epsilon)
    ? isTooMuch
      ? `At most what was asked, ${request.asked.epsilon}. For more, make an offer.`
      : undefined
    : epsilon.trim() === ""
      ? "It is missing, must be a number above 0."
      : amountFault(epsilon);
  const isReady = choice === "reject" ? note.trim() !== "" : fault === undefined && isDeltaOrEmpty(delta);
  return (
    <FormDialog
      title={`Decide: ${purposeText(request)}`}
      size="lg"
      action={
        choice === "approve" ? `Grant ε ${epsilon.trim()}` : choice === "offer" ? `Offer ε ${epsilon.trim()}` : "Reject"
      }
      isReady={isReady}
      isBusy={decide.isPending}
      error={decide.error}
      onSubmit={() => decide.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p style={{ margin: 0 }}>
        {request.requester.name} asks for <Pair of={request.asked} /> of {request.from}. <Free request={request} />
      </p>
      {request.note === "" ? null : (
        <p className="soft" style={{ margin: 0, whiteSpace: "pre-wrap" }}>
          {request.note}
        </p>
      )}
      {request.plan === null ? null : <WhatItBuys request={request} plan={request.plan} />}
      <Radio.Group label="Decision" value={choice} onChange={(value) => setChoice(value as Choice)}>
        <div style={{ display: "grid", gap: 8, marginTop: 6 }}>
          <Radio value="approve" label="Approve, all or a part" />
          <Radio value="offer" label="Offer another amount" />
          <Radio value="reject" label="Reject" />
        </div>
      </Radio.Group>
      {choice === "reject" ? null : (
        <div className="fields">
          <AmountInput
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
          <DeltaInput value={delta} onChange={setDelta} />
        </div>
      )}
      {choice === "reject" ? null : <Choosing request={request} epsilon={epsilon.trim()} />}
      <Textarea
        label={choice === "reject" ? "Reason" : "Note (optional)"}
        autosize
        minRows={2}
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

/** The same questions as when a ledger opens, starting from this dataset's declared size. */
function Choosing({ request, epsilon }: { request: Request; epsilon: string }) {
  const dataset = useDataset(request.dataset.id);
  if (dataset.data === undefined) return null;
  return <ChooseEpsilon people={declaredSize(dataset.data)} delta={request.asked.delta} epsilon={epsilon} />;
}

/** What the payer could give now. */
function Free({ request }: { request: Request }) {
  const account = useAccount(request.parent);
  const ledger = useLedger(request.ledger);
  const free = request.parent === null ? ledger.data?.free : account.data?.free;
  if (free === undefined) return null;
  return (
    <>
      {request.from} has <Amount unit="ε" of={free.epsilon} /> free.
    </>
  );
}
