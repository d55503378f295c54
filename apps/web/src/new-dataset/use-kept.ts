import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { forgetDeclaration, keepDeclaration } from "../api/declarations.ts";
import { type KeptForm, nameOf } from "./kept.ts";

const STILL_TYPING_MS = 600;

export interface Keeping {
  readonly state: "kept" | "typing" | "failed";
  readonly error: unknown;
  /** Writes what was typed last; rejects where it cannot. */
  readonly flush: () => Promise<void>;
  /** Deletes it: what was typed is declared now. */
  readonly end: () => Promise<void>;
  /** Writes it over what was changed elsewhere. */
  readonly overwrite: () => void;
}

/** Keeps the form of the page at the server while it is typed, one write after another. Null: nothing is kept. */
export function useKept(kept: { readonly id: string; readonly changedAt: string } | null, form: KeptForm): Keeping {
  const now = JSON.stringify(form);
  const [error, setError] = useState<unknown>(null);
  const [written, setWritten] = useState(now);
  const latest = useRef({ text: now, form });
  latest.current = { text: now, form };
  const server = useRef({ text: now, seen: kept?.changedAt, isDone: kept === null });
  const queue = useRef<Promise<void>>(Promise.resolve());
  const [waited] = useDebouncedValue(now, STILL_TYPING_MS);

  const write = async (): Promise<void> => {
    const { text, form } = latest.current;
    if (kept === null || server.current.isDone || text === server.current.text) return;
    const { seen } = server.current;
    const { changedAt } = await keepDeclaration({
      ...{ draft: kept.id, name: nameOf(form), form: { ...form } },
      ...(seen === undefined ? {} : { seen }),
    });
    server.current = { ...server.current, text, seen: changedAt };
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
  useEffect(() => {
    if (waited !== server.current.text) last.current().catch(() => undefined);
  }, [waited]);
  useEffect(() => {
    const leave = () => void last.current().catch(() => undefined);
    const hide = () => document.visibilityState === "hidden" && leave();
    document.addEventListener("visibilitychange", hide);
    return () => {
      document.removeEventListener("visibilitychange", hide);
      leave();
    };
  }, []);
  return {
    state: error !== null ? "failed" : written === now ? "kept" : "typing",
    error,
    flush,
    end: async () => {
      server.current = { ...server.current, isDone: true };
      await queue.current;
      if (kept !== null) await forgetDeclaration(kept.id).catch(() => undefined); // it stays in the list, to be deleted there
    },
    overwrite: () => {
      server.current = { ...server.current, seen: undefined };
      flush().catch(() => undefined);
    },
  };
}
