import type { Draft } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { isUnanswered, useLostAt } from "../api/connection.ts";
import { type CopyOf, copyOf, dropCopy, keepCopy, untilSent } from "../api/copies.ts";
import { forgetUnfinished, keepUnfinished, showUnfinished } from "../api/unfinished.ts";

const STILL_TYPING_MS = 600;

type There = Pick<Draft, "id" | "changedAt" | "form">;

export interface Keeping {
  /** `here`: in this browser, until the server takes it. */
  readonly state: "kept" | "typing" | "here" | "failed";
  /** It was changed in another tab, or by another program. */
  readonly isElsewhere: boolean;
  readonly error: unknown;
  /** Writes what was typed last; rejects where it cannot. */
  readonly flush: () => Promise<void>;
  /** Deletes it: what was typed is declared or released now. */
  readonly end: () => Promise<void>;
  /** Writes it over what was changed elsewhere. */
  readonly overwrite: () => void;
}

/** What is kept, and where. */
interface Place {
  /** The copy in this browser; null: nothing is kept. */
  readonly copy: CopyOf | null;
  readonly name: string;
  /** What the server has; null: nothing yet. */
  readonly there: There | null;
  /** Begins it at the server, and finds what another tab began there meanwhile. */
  readonly begin?: { readonly make: () => Promise<There>; readonly find: () => Promise<Draft | null> };
}

/** The server did not say that the form is wrong. */
const isAway = (error: unknown): boolean =>
  isUnanswered(error) ||
  (error instanceof PrivacyError && ["UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED"].includes(error.code));

function stateOf(error: unknown, isWritten: boolean, isLost: boolean): Keeping["state"] {
  if (isWritten && error === null) return "kept";
  if (isLost || isAway(error)) return "here";
  return error === null ? "typing" : "failed";
}

/**
 * Keeps what is typed at the server, one write after another, and in this browser until the server has it. A form that is null was cleared:
 * its draft is deleted.
 */
// long: one queue of writes over one state
export function useKept(form: object | null, { copy, name, there, begin }: Place): Keeping {
  const now = JSON.stringify(form);
  const [error, setError] = useState<unknown>(null);
  const [start] = useState(() => {
    const kept = copy === null ? null : copyOf(copy);
    // It arrived, though the page that sent it was gone by then.
    if (copy === null || kept === null || there === null || JSON.stringify(there.form) !== now) return kept;
    dropCopy(copy);
    return null;
  });
  const [written, setWritten] = useState(start === null ? now : null);
  const latest = useRef({ text: now, form, name, copy, begin });
  latest.current = { text: now, form, name, copy, begin };
  const server = useRef({
    text: written,
    // A copy of what the server did not have then is begun once more, and refused if it has one by now.
    id: start !== null && start.seen === null ? undefined : there?.id,
    seen: start === null ? there?.changedAt : (start.seen ?? undefined),
    // What this person wrote here: to find it at the server is no conflict.
    own: [now],
    isDone: copy === null,
  });
  const kept = useRef<string>(undefined);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const [waited] = useDebouncedValue(now, STILL_TYPING_MS);
  const lostAt = useLostAt();

  const send = async (): Promise<void> => {
    const { text, form, name, begin } = latest.current;
    const { id, seen } = server.current;
    if (form === null) {
      if (id !== undefined) await forgetUnfinished(id);
      server.current = { ...server.current, id: undefined, seen: undefined, text };
      return;
    }
    const saved =
      id !== undefined
        ? await keepUnfinished({ draft: id, name, form: { ...form }, ...(seen === undefined ? {} : { seen }) })
        : await begin?.make();
    server.current = { ...server.current, id: saved?.id, seen: saved?.changedAt, text };
  };
  /** Whether a refused write may be tried once more: it was only about what this page itself wrote, or about a draft that is gone. */
  const isMended = async (error: unknown): Promise<boolean> => {
    if (!(error instanceof PrivacyError)) return false;
    const { begin, form } = latest.current;
    const { id, own } = server.current;
    if (error.code === "NOT_FOUND" && id !== undefined && (begin !== undefined || form === null)) {
      server.current = { ...server.current, id: undefined, seen: undefined };
      return true;
    }
    if (error.code !== "CONFLICT") return false;
    const found = id === undefined ? await begin?.find() : await showUnfinished(id);
    if (!found || !own.includes(JSON.stringify(found.form))) return false;
    server.current = { ...server.current, id: found.id, seen: found.changedAt };
    return true;
  };
  const write = async (): Promise<void> => {
    const { text, copy } = latest.current;
    if (server.current.isDone || text === server.current.text) return;
    server.current = { ...server.current, own: [...server.current.own.slice(-1), text] };
    await send().catch(async (refused) => {
      if (!(await isMended(refused))) throw refused;
      await send();
    });
    if (copy !== null && text === latest.current.text) dropCopy(copy, kept.current);
    setWritten(text);
    setError(null);
  };
  const flush = (): Promise<void> => {
    const turn = queue.current.then(write);
    queue.current = turn.catch(setError);
    return turn;
  };
  const last = useRef(flush);
  last.current = flush;
  const flushLast = useRef(() => last.current().catch(() => undefined)).current;
  useEffect(() => {
    const { copy, form, name } = latest.current;
    const { isDone, text, seen = null } = server.current;
    if (copy === null || isDone) return;
    if (now !== text) kept.current = keepCopy(copy, { form, seen, name });
    else if (kept.current !== undefined) dropCopy(copy, kept.current);
  }, [now]);
  useEffect(() => {
    if (waited !== server.current.text && lostAt === null) void flushLast();
  }, [waited, lostAt, flushLast]);
  useEffect(() => {
    const hide = () => document.visibilityState === "hidden" && void flushLast();
    document.addEventListener("visibilitychange", hide);
    const stop = untilSent(() => last.current());
    return () => {
      document.removeEventListener("visibilitychange", hide);
      stop();
      void flushLast();
    };
  }, [flushLast]);
  return {
    state: stateOf(error, written === now, lostAt !== null),
    isElsewhere: error instanceof PrivacyError && error.code === "CONFLICT",
    error,
    flush,
    end: async () => {
      server.current = { ...server.current, isDone: true };
      await queue.current;
      const { id } = server.current;
      if (latest.current.copy !== null) dropCopy(latest.current.copy);
      if (id !== undefined) await forgetUnfinished(id).catch(() => undefined); // it stays in the list, to be deleted there
    },
    overwrite: () => {
      void (async () => {
        const { id } = server.current;
        const found = id === undefined ? await begin?.find() : undefined;
        server.current = { ...server.current, id: id ?? found?.id, seen: undefined };
        await flush();
      })().catch(() => undefined);
    },
  };
}
