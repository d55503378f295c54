import type { Draft } from "@dosimeter/client";
import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { useCommentDraft } from "../../api/drafts.ts";
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
      <form
        onSubmit={(event) => {
          event.preventDefault();
          comment.mutate({ draft: draft.id, text }, { onSuccess: () => setText("") });
        }}
      >
        <Textarea
          aria-label="Your comment"
          placeholder="Say something to everyone who reads this draft"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={2000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          size="xs"
          mt="xs"
          disabled={text.trim() === ""}
          loading={comment.isPending}
        >
          Comment
        </Button>
      </form>
      {comment.error === null ? null : <Fault error={comment.error} />}
    </div>
  );
}
