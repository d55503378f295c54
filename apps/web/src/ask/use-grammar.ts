import { useEffect, useState } from "react";

export type Grammar = typeof import("@dosimeter/sql-text/ask");

let loaded: Grammar | null = null;

/** What reads questions, once it is wanted; null until then. */
export function useGrammar(isWanted: boolean): Grammar | null {
  const [grammar, setGrammar] = useState(loaded);
  useEffect(() => {
    if (!isWanted || grammar !== null) return;
    let isHere = true;
    void import("@dosimeter/sql-text/ask").then((file) => {
      loaded = file;
      if (isHere) setGrammar(file);
    });
    return () => {
      isHere = false;
    };
  }, [isWanted, grammar]);
  return grammar;
}
