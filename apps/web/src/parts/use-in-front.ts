import { useEffect, useRef } from "react";

/** The second half of a double click whose first half was meant for another window, over this one, comes sooner. */
const SETTLE_MS = 500;

/** Asks whether this window has been in front for a moment. */
export function useInFront(): () => boolean {
  const since = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const note = () => {
      since.current = performance.now();
    };
    addEventListener("focus", note);
    return () => removeEventListener("focus", note);
  }, []);
  return () => performance.now() - since.current > SETTLE_MS;
}
