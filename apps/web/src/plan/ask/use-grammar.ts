import { useEffect, useState } from "react";
import { loaded as part } from "../../api/part.ts";

export type Grammar = typeof import("@dosimeter/sql-text/ask") &
  Pick<typeof import("../../api/declaration.ts"), "declarationOf">;

let loaded: Grammar | null = null;

/** What reads questions, once it is wanted; null until then. */
export function useGrammar(isWanted: boolean): Grammar | null {
  const [grammar, setGrammar] = useState(loaded);
  useEffect(() => {
    if (!isWanted || grammar !== null) return;
    let isHere = true;
    void part(() => Promise.all([import("@dosimeter/sql-text/ask"), import("../../api/declaration.ts")])).then(
      ([ask, { declarationOf }]) => {
        loaded = { ...ask, declarationOf };
        if (isHere) setGrammar(loaded);
      },
    );
    return () => {
      isHere = false;
    };
  }, [isWanted, grammar]);
  return grammar;
}
