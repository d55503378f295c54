import type { Request } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { FormDialog } from "../parts/Dialog.tsx";
import { LongText, NumberField } from "../parts/fields.tsx";
import { EPSILON, isTyped, plainOf } from "../parts/number-text.ts";
import { type Verb, verbs } from "./words.ts";

/** The dialog of an action on a request other than approve and reject. */
export function SayMore({ request, verb, onClose }: { request: Request; verb: Verb; onClose: () => void }) {
  const [note, setNote] = useState("");
  const [epsilon, setEpsilon] = useState(request.asked.epsilon);
  const { title, label, action, about } = verbs[verb];
  const say = useChange((client) => {
    const answer = { request: request.id, version: request.version, note: note.trim() };
    if (verb === "ask") return client.askRequest(answer);
    if (verb === "answer") return client.answerRequest(answer);
    return client.escalateRequest({ ...answer, epsilon: plainOf(epsilon, EPSILON) });
  });
  const isReady = verb === "escalate" ? isTyped(epsilon, EPSILON) : note.trim() !== "";
  return (
    <FormDialog
      title={title}
      action={action}
      isReady={isReady}
      change={say}
      keeps={{ of: `${verb} ${request.id}` }}
      onSubmit={() => say.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="flush">{about}</p>
      {verb === "answer" && request.decision !== null ? (
        <p className="soft flush as-typed">
          {request.decision.by.name} asks: {request.decision.note}
        </p>
      ) : null}
      {verb === "escalate" ? (
        <NumberField
          wish={EPSILON}
          label="ε to ask for"
          description={`${request.from} needs ${request.asked.epsilon} for this request; ask for what it lacks.`}
          value={epsilon}
          onChange={setEpsilon}
        />
      ) : null}
      <LongText label={label} maxLength={2000} value={note} onChange={setNote} />
    </FormDialog>
  );
}
