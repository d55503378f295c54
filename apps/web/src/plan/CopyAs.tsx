import { IconCopy } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { CopyForm } from "./copy-as.ts";

const CopyDialog = lazy(async () => ({ default: (await import("./CopyDialog.tsx")).CopyDialog }));

/** The present plan for a shell or a program. */
export function CopyAs({ texts }: { texts: () => Promise<Readonly<Record<CopyForm, string>>> }) {
  const [shown, setShown] = useState<Readonly<Record<CopyForm, string>> | null>(null);
  return (
    <>
      <button type="button" className="tool" onClick={() => void texts().then(setShown)}>
        <IconCopy size={16} aria-hidden /> Copy as…
      </button>
      {shown === null ? null : (
        <Suspense fallback={null}>
          <CopyDialog texts={shown} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </>
  );
}
