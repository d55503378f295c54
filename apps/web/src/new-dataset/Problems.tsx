import { useEffect, useRef } from "react";
import { showFocused } from "../parts/browser.ts";
import { fieldName, idOf, type Problem } from "./declare.ts";
import type { Draft } from "./draft.ts";

const MAX_SHOWN = 12;

/** The fields that are still wrong, each a way to it; what is wrong stands there. After each try the list has the focus, and is read aloud. */
export function Problems({ of, draft, tries }: { of: readonly Problem[]; draft: Draft; tries: number }) {
  const list = useRef<HTMLDivElement>(null);
  const isTried = tries > 0;
  useEffect(() => {
    if (tries > 0) showFocused(list.current);
  }, [tries]);
  if (of.length === 0) return null;
  const fields = new Map(of.map((problem) => [idOf(problem), fieldName(problem, draft)]));
  return (
    <div
      ref={list}
      tabIndex={-1}
      className="notice"
      data-tone={isTried ? "danger" : "plain"}
      role={isTried ? "alert" : undefined}
    >
      <h3>
        {isTried ? "This cannot be declared yet" : "Still to do"}: {fields.size}{" "}
        {fields.size === 1 ? "field" : "fields"}
      </h3>
      <ul>
        {[...fields].slice(0, MAX_SHOWN).map(([id, name]) => (
          <li key={id}>
            <button type="button" className="link" onClick={() => document.getElementById(id)?.focus()}>
              {name}
            </button>
          </li>
        ))}
        {fields.size > MAX_SHOWN ? <li>and {fields.size - MAX_SHOWN} more</li> : null}
      </ul>
    </div>
  );
}
