import type { UnitNoun } from "@dosimeter/query/declaration";
import { createContext, Suspense, use, useState } from "react";
import { lazy } from "../api/part.ts";
import { glossary, type TermName } from "./glossary.ts";

const HelpPopover = lazy(async () => ({ default: (await import("./HelpPopover.tsx")).HelpPopover }));

/** What the table protects is called so in the cards; without it they speak of people. */
export const TermNoun = createContext<UnitNoun | undefined>(undefined);

/** Where cards stand in a window of its own: outside it a click would close that. */
export const CardPlace = createContext<HTMLElement | null>(null);

/** A "?" after a term: what it means, how it is computed, and one worked number. What floats loads when it is asked for first. */
export function HelpCard({ term }: { term: TermName }) {
  const noun = use(TermNoun);
  const place = use(CardPlace);
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
      <HelpPopover term={term} noun={noun} place={place} />
    </Suspense>
  ) : (
    mark
  );
}
