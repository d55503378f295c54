import { IconSql } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { Planner } from "../use-planner.ts";

const SqlDialog = lazy(async () => ({ default: (await import("./SqlDialog.tsx")).SqlDialog }));

/** The table as SQL, and SQL as the table. */
export function SqlTool({ planner }: { planner: Planner }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="tool" onClick={() => setOpen(true)}>
        <IconSql size={16} aria-hidden /> SQL
      </button>
      {isOpen ? (
        <Suspense fallback={null}>
          <SqlDialog planner={planner} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
