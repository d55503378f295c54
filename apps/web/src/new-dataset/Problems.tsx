import { idOf, type Problem } from "./declare.ts";

const MAX_SHOWN = 12;

/** Everything that is still wrong, each with a way to its field. After a try it is read aloud. */
export function Problems({ of, isTried }: { of: readonly Problem[]; isTried: boolean }) {
  if (of.length === 0) return null;
  return (
    <div className="notice" data-tone={isTried ? "danger" : "plain"} role={isTried ? "alert" : undefined}>
      <h3>
        {isTried ? "This cannot be declared yet" : "Still to do"}: {of.length} {of.length === 1 ? "field" : "fields"}
      </h3>
      <ul>
        {of.slice(0, MAX_SHOWN).map((problem) => (
          <li key={`${idOf(problem)} ${problem.fault}`}>
            <button type="button" className="link" onClick={() => document.getElementById(idOf(problem))?.focus()}>
              {problem.fault}
            </button>
          </li>
        ))}
        {of.length > MAX_SHOWN ? <li>and {of.length - MAX_SHOWN} more</li> : null}
      </ul>
    </div>
  );
}
