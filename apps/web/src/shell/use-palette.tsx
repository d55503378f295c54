import { lazy, type ReactNode, type RefObject, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { queryClient } from "../api/connection.ts";
import { sessionQuery } from "../api/session.ts";
import { useKeys } from "./Rail.tsx";

const Palette = lazy(() => import("./palette/Palette.tsx").then((file) => ({ default: file.Palette })));
const Keys = lazy(() => import("./palette/Keys.tsx").then((file) => ({ default: file.Keys })));

/** The palette and the list of keys, which load when they are first asked for, and the keys that open them. */
export function usePalette(): { readonly find: () => void; readonly opened: ReactNode } {
  const [open, setOpen] = useState<{ readonly start: string } | "keys" | null>(null);
  const find = useCallback(() => setOpen({ start: "" }), []);
  // Asks the cache, not the server: a page without a person, as the sign-in, sends no request about one.
  const onPlan = useCallback(
    () => setOpen(queryClient.getQueryData(sessionQuery.queryKey)?.me == null ? null : { start: "New plan" }),
    [],
  );
  const onKeys = useCallback(() => setOpen("keys"), []);
  const close = useCallback(() => setOpen(null), []);
  const early = useRef("");
  useKeys({ onFind: find, onPlan, onKeys });
  const opened =
    open === null ? null : (
      <Suspense fallback={open === "keys" ? null : <Early into={early} />}>
        {open === "keys" ? (
          <Keys onClose={close} />
        ) : (
          <Palette start={open.start} early={early} onClose={close} onKeys={onKeys} />
        )}
      </Suspense>
    );
  return { find, opened };
}

/** Keeps what is typed while the palette is still loading. */
function Early({ into }: { into: RefObject<string> }) {
  useEffect(() => {
    into.current = "";
    const keep = (event: KeyboardEvent): void => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      into.current += event.key;
    };
    addEventListener("keydown", keep, true);
    return () => removeEventListener("keydown", keep, true);
  }, [into]);
  return null;
}
