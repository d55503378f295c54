import type { Draft } from "@dosimeter/client";
import { useState } from "react";
import { useCommentDraft } from "../../api/drafts.ts";
import { Form } from "../../parts/Form.tsx";
import { LongText } from "../../parts/fields.tsx";
import { Fault } from "../../parts/Pending.tsx";
import { momentText } from "../../parts/time.ts";

/** What people say about a draft, and a field to say more. */
export function Comments({ draft }: { draft: Draft }) {
  const [text, setText] = useState("");
  const comment = useCommentDraft();
  return (
    <div className="draft-comments">
      <h3>Comments</h3>
      {draft.said.length === 0 ? (
        <p className="soft small">Nothing said yet.</p>
      ) : (
        <ul>
          {draft.said.map(({ id, byName, at, text: said }) => (
            <li key={id}>
              <strong>{byName}</strong> <span className="soft small">{momentText(at)}</span>
              <p>{said}</p>
            </li>
          ))}
        </ul>
      )}
      <Form
        className=""
        action="Comment"
        isRow
        isReady={text.trim() !== ""}
        isBusy={comment.isPending}
        variant="default"
        size="xs"
        mt="xs"
        onSubmit={() => comment.mutate({ draft: draft.id, text }, { onSuccess: () => setText("") })}
      >
        <LongText
          aria-label="Your comment"
          placeholder="Say something to everyone who reads this draft"
          maxRows={8}
          maxLength={2000}
          value={text}
          onChange={setText}
        />
      </Form>
      <Fault error={comment.error} />
    </div>
  );
}
