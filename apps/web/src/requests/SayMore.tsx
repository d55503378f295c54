import type { Request } from "@dosimeter/client";
import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { FormDialog } from "../parts/Dialog.tsx";
import { NumberField } from "../parts/NumberField.tsx";
import { EPSILON, isTyped, plainOf } from "../parts/number-text.ts";

const verbs = {
  ask: {
    button: "Ask a question",
    title: "Ask before deciding",
    label: "Question",
    action: "Send the question",
    about: "The request waits for an answer; nothing is decided.",
  },
  answer: {
    button: "Answer",
    title: "Answer what was asked",
    label: "Answer",
    action: "Send the answer",
    about: "The request goes back to the person who decides.",
  },
  escalate: {
    button: "Pass on",
    title: "Ask the next level for quota",
    label: "Note (optional)",
    action: "Pass it on",
    about:
      "The account that would pay has too little: a linked request, with the same plan, goes to the account that funds it. When that one is decided, this one waits for you again.",
  },
} as const;

/** Actions on a request other than approve and reject. */
export function SayMore({ request, verb }: { request: Request; verb: keyof typeof verbs }) {
  const [isOpen, setOpen] = useState(false);
  const [note, setNote] = useState("");
  const [epsilon, setEpsilon] = useState(request.asked.epsilon);
  const { button, title, label, action, about } = verbs[verb];
  const say = useChange((client) => {
    const answer = { request: request.id, version: request.version, note: note.trim() };
    if (verb === "ask") return client.askRequest(answer);
    if (verb === "answer") return client.answerRequest(answer);
    return client.escalateRequest({ ...answer, epsilon: plainOf(epsilon, EPSILON) });
  });
  const isReady = verb === "escalate" ? isTyped(epsilon, EPSILON) : note.trim() !== "";
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {button}
      </Button>
      {isOpen ? (
        <FormDialog
          title={title}
          action={action}
          isReady={isReady}
          isBusy={say.isPending}
          error={say.error}
          onSubmit={() => say.mutate(undefined, { onSuccess: () => setOpen(false) })}
          onClose={() => setOpen(false)}
        >
          <p style={{ margin: 0 }}>{about}</p>
          {verb === "answer" && request.decision !== null ? (
            <p className="soft" style={{ margin: 0, whiteSpace: "pre-wrap" }}>
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
          <Textarea
            label={label}
            autosize
            minRows={2}
            maxLength={2000}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        </FormDialog>
      ) : null}
    </>
  );
}
