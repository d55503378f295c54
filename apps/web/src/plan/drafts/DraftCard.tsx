import type { Draft } from "@dosimeter/client";
import { openPlan, savedPlan } from "@dosimeter/planner";
import { Button } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useChangeDraft, useCommentDraft, useDraft } from "../../api/releases.ts";
import { toClipboard } from "../../parts/browser.ts";
import { Form } from "../../parts/Form.tsx";
import { LongText } from "../../parts/fields.tsx";
import { Card } from "../../parts/Page.tsx";
import { Fault, Pending } from "../../parts/Pending.tsx";
import { momentText } from "../../parts/words.ts";
import type { Planner } from "../use-planner.ts";
import { withRows } from "../workbench.ts";
import { DeleteDraft, RenameDraft } from "./DraftDialogs.tsx";
import { ShareWith } from "./DraftsDialog.tsx";
import "./drafts.css";

type PlanDraft = Draft & { readonly plan: NonNullable<Draft["plan"]> };

/** The draft that the page shows: whose it is, who reads it, whether the plan differs from it, and what people say. */
export function DraftCard({
  id,
  isRead,
  planner,
  onSaved,
  onClose,
}: {
  id: string;
  /** Its plan is to take the place of the present one. */
  isRead: boolean;
  planner: Planner;
  /** Hears whether the plan of the page is as it was saved. */
  onSaved: (isSaved: boolean) => void;
  onClose: () => void;
}) {
  const draft = useDraft(id);
  return (
    <Card
      title={draft.data === undefined ? "Draft" : `Draft: ${draft.data.name}`}
      aside={
        <button type="button" className="tool" aria-label="Put the draft aside" onClick={onClose}>
          <IconX size={16} aria-hidden />
        </button>
      }
    >
      <Pending of={draft}>
        {({ plan, ...data }) =>
          plan === null ? (
            <p className="soft flush">This is an unfinished declaration, not a plan.</p>
          ) : (
            <Opened draft={{ ...data, plan }} {...{ isRead, planner, onSaved, onClose }} />
          )
        }
      </Pending>
    </Card>
  );
}

function Opened({
  draft,
  isRead,
  planner,
  onSaved,
  onClose,
}: {
  draft: PlanDraft;
  isRead: boolean;
  planner: Planner;
  /** Hears whether the plan of the page is as it was saved. */
  onSaved: (isSaved: boolean) => void;
  onClose: () => void;
}) {
  const [fault, setFault] = useState<string>();
  const change = useChangeDraft();
  const { bench, attempt } = planner;
  const open = (): void =>
    setFault(
      attempt(`draft ${draft.name} opened`, (before) =>
        withRows(before, openPlan(draft.plan, before.draft, before.declaration)),
      ),
    );
  // Once, when it comes: a later version of it, or a plan that was edited meanwhile, is opened by the person alone.
  const first = useRef(isRead ? open : undefined);
  useEffect(() => {
    first.current?.();
    first.current = undefined;
  }, []);
  const saved = savedPlan(bench.draft, bench.declaration);
  const isSame = saved.hash === draft.plan.hash;
  useEffect(() => {
    onSaved(isSame);
    return () => onSaved(false);
  }, [isSame, onSaved]);
  const isEmpty = !bench.draft.rows.some((row) => row.isComplete);
  return (
    <>
      <p className="soft small draft-line">
        {draft.isMine ? "Yours" : `By ${draft.ownerName}`} · {momentText(draft.changedAt)}
        {draft.isMine || draft.teamName === null ? "" : ` · shared with ${draft.teamName}`} ·{" "}
        {isSame ? "the plan is as it was saved" : "the plan has changed since it was saved"}
      </p>
      {draft.isMine ? (
        <ShareWith
          value={draft.team}
          name={draft.teamName}
          isBusy={change.isPending}
          onChange={(team) => change.mutate({ draft: draft.id, team })}
        />
      ) : null}
      <div className="page-actions draft-actions">
        {draft.isMine ? (
          <Button
            size="xs"
            disabled={isSame || isEmpty}
            loading={change.isPending}
            onClick={() => change.mutate({ draft: draft.id, plan: saved as PlanDraft["plan"] })}
          >
            Save changes
          </Button>
        ) : null}
        <button type="button" className="tool" disabled={isSame} onClick={open}>
          Open as saved
        </button>
        <button type="button" className="tool" onClick={() => void toClipboard(location.href)}>
          Copy its address
        </button>
        {draft.isMine ? <RenameDraft draft={draft} /> : null}
        {draft.mayDelete ? <DeleteDraft draft={draft} onDeleted={onClose} /> : null}
      </div>
      {fault === undefined ? null : (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <Fault error={change.error} />
      <Comments draft={draft} />
    </>
  );
}

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
        error={comment.error}
        keeps={{ of: `comment ${draft.id}` }}
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
    </div>
  );
}
