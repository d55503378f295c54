import { fieldName, idOf, type Problem } from "./declare.ts";
import type { Draft } from "./draft.ts";

const MAX_SHOWN = 12;

/** The fields that are still wrong, each a way to it; what is wrong stands there. After a try the list is read aloud. */
export function Problems({ of, draft, isTried }: { of: readonly Problem[]; draft: Draft; isTried: boolean }) {
  if (of.length === 0) return null;
  const fields = new Map(of.map((problem) => [idOf(problem), fieldName(problem, draft)]));
  return (
    <div className="notice" data-tone={isTried ? "danger" : "plain"} role={isTried ? "alert" : undefined}>
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
