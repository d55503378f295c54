import { planOf } from "@dosimeter/planner";
import { Button } from "@mantine/core";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCopy,
  IconDownload,
  IconHelp,
  IconLayoutSidebarRight,
  IconPlus,
  IconSql,
  IconUpload,
} from "@tabler/icons-react";
import { type ReactNode, Suspense, useRef, useState } from "react";
import { lazy, loaded } from "../api/part.ts";
import { download } from "../parts/browser.ts";
import type { CopyForm, CopyTarget } from "./copy-as.ts";
import type { OwnedAnswer } from "./plan-bench.ts";
import { planFile } from "./plan-file.ts";
import type { Planner } from "./use-planner.ts";

const CopyDialog = lazy(async () => ({ default: (await import("./CopyDialog.tsx")).CopyDialog }));

/** The present plan for a shell or a program. */
function CopyAs({ texts }: { texts: () => Promise<Readonly<Record<CopyForm, string>>> }) {
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

/** The actions on the whole plan. */
export function PlanToolbar({
  planner,
  isClassic,
  onClassic,
  onKeys,
  onFile,
  target,
  ownedOf,
  onAdd,
  details,
  children,
}: {
  planner: Planner;
  isClassic: boolean;
  onClassic: () => void;
  onKeys: () => void;
  onFile: (file: File) => void;
  target: CopyTarget | null;
  ownedOf: (id: string) => OwnedAnswer | undefined;
  onAdd: () => void;
  details: { readonly isOpen: boolean; readonly toggle: () => void };
  /** More tools. */
  children?: ReactNode;
}) {
  const file = useRef<HTMLInputElement>(null);
  const { bench, rows, undo, redo } = planner;
  const { draft, declaration } = bench;
  return (
    <div className="page-actions plan-tools">
      <Button variant="default" leftSection={<IconPlus size={17} aria-hidden />} onClick={onAdd}>
        Add a statistic
      </Button>
      <button
        type="button"
        className="tool"
        aria-label="Undo"
        title="Undo"
        disabled={undo === undefined}
        onClick={undo}
      >
        <IconArrowBackUp size={16} aria-hidden />
      </button>
      <button
        type="button"
        className="tool"
        aria-label="Redo"
        title="Redo"
        disabled={redo === undefined}
        onClick={redo}
      >
        <IconArrowForwardUp size={16} aria-hidden />
      </button>
      {rows.length === 0 ? null : (
        <button type="button" className="tool" aria-pressed={details.isOpen} onClick={() => details.toggle()}>
          <IconLayoutSidebarRight size={16} aria-hidden /> Row details
        </button>
      )}
      <button type="button" className="tool" aria-pressed={isClassic} onClick={onClassic}>
        Classic columns
      </button>
      {children}
      <button
        type="button"
        className="tool"
        onClick={() => download("plan.json", "application/json", planFile(draft, declaration))}
      >
        <IconDownload size={16} aria-hidden /> Save plan
      </button>
      <button type="button" className="tool" onClick={() => file.current?.click()}>
        <IconUpload size={16} aria-hidden /> Open plan
      </button>
      <CopyAs
        texts={async () => {
          const { copyAs } = await loaded(() => import("./copy-as.ts"));
          const saved = JSON.parse(planFile(draft, declaration)) as object;
          return copyAs(planOf(draft), saved, target, reuseOf(draft.rows, ownedOf));
        }}
      />
      <SqlTool planner={planner} />
      <button type="button" className="tool" onClick={onKeys}>
        <IconHelp size={16} aria-hidden /> Help
      </button>
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        aria-label="Plan file"
        hidden
        onChange={(event) => {
          const [picked] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (picked !== undefined) onFile(picked);
        }}
      />
    </div>
  );
}

/** The earlier answers that rows take, in words: ids of offers do not last. */
const reuseOf = (
  rows: readonly { readonly id: string }[],
  ownedOf: (id: string) => OwnedAnswer | undefined,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    rows.flatMap(({ id }) => {
      const owned = ownedOf(id);
      return owned?.isUsed ? [[id, owned.isBetter ? "asAccurate" : "free"]] : [];
    }),
  );

const SqlDialog = lazy(async () => ({ default: (await import("./sql/SqlDialog.tsx")).SqlDialog }));

function SqlTool({ planner }: { planner: Planner }) {
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
