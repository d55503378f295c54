import { lazy, Suspense, useState } from "react";
import { glossary, type TermName } from "./glossary.ts";

const HelpPopover = lazy(async () => ({ default: (await import("./HelpPopover.tsx")).HelpPopover }));

/** A "?" after a term: what it means, how it is computed, and one worked number. What floats loads when it is asked for first. */
export function HelpCard({ term }: { term: TermName }) {
  const [isWanted, setWanted] = useState(false);
  const mark = (
    <button
      type="button"
      className="help-mark"
      aria-label={`What is ${glossary[term].title}?`}
      aria-haspopup="dialog"
      onClick={() => setWanted(true)}
    >
      ?
    </button>
  );
  return isWanted ? (
    <Suspense fallback={mark}>
      <HelpPopover term={term} />
    </Suspense>
  ) : (
    mark
  );
}
