import { lazy, type ReactNode, Suspense, useCallback, useState } from "react";
import { queryClient } from "../api/connection.ts";
import { sessionQuery } from "../api/session.ts";
import { useKeys } from "./use-keys.ts";

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
  useKeys({ onFind: find, onPlan, onKeys });
  const opened =
    open === null ? null : (
      <Suspense>
        {open === "keys" ? <Keys onClose={close} /> : <Palette start={open.start} onClose={close} onKeys={onKeys} />}
      </Suspense>
    );
  return { find, opened };
}
