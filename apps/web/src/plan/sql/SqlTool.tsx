import { IconSql } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { Planner } from "../use-planner.ts";

const SqlDialog = lazy(async () => ({ default: (await import("./SqlDialog.tsx")).SqlDialog }));

/** The table as SQL, and SQL as the table; not where the plan reads another table, which SQL cannot say. */
export function SqlTool({ planner }: { planner: Planner }) {
  const [isOpen, setOpen] = useState(false);
  const isJoined = planner.bench.draft.join !== undefined;
  return (
    <>
      <button
        type="button"
        className="tool"
        disabled={isJoined}
        title={isJoined ? "SQL does not read columns of another table." : undefined}
        onClick={() => setOpen(true)}
      >
        <IconSql size={16} aria-hidden /> SQL
      </button>
      {isOpen && !isJoined ? (
        <Suspense fallback={null}>
          <SqlDialog planner={planner} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
