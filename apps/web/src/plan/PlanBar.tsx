import { Button, Popover } from "@mantine/core";
import { IconSettings, IconSparkles } from "@tabler/icons-react";
import { lazy, type ReactNode, type RefObject, Suspense, useState } from "react";
import { CommitNumber } from "../parts/NumberField.tsx";
import { EPSILON } from "../parts/number-text.ts";
import { HelpCard } from "./HelpCard.tsx";
import type { Planner } from "./use-planner.ts";

const PlanSettings = lazy(async () => ({ default: (await import("./PlanSettings.tsx")).PlanSettings }));
/** The one line that stays above the table: what the plan takes and leaves, how many targets it meets, and what to do next. */
export function PlanBar({
  planner,
  part,
  facts,
  settings,
  practise,
  action,
}: {
  planner: Planner;
  part: RefObject<HTMLDivElement | null>;
  /** More numbers after ε and the targets. */
  facts?: ReactNode;
  /** More settings of the plan. */
  settings?: ReactNode;
  /** Absent while there is nothing to practise. */
  practise: { readonly isOn: boolean; readonly toggle: () => void } | null;
  action?: ReactNode;
}) {
  const { draft } = planner.bench;
  const targets = planner.rows.filter((row) => row.target !== null && row.fitness !== null);
  const met = targets.filter((row) => row.fitness?.grade === "met").length;
  const pendingTotal = draft.pending?.edit.kind === "total" ? String(draft.pending.edit.epsilon) : null;
  return (
    <div className="plan-bar" ref={part}>
      <div className="plan-bar-epsilon">
        <span className="worded" aria-hidden="true">
          ε of this plan
        </span>
        <HelpCard term="epsilon" />
        <CommitNumber
          aria-label="ε for this plan"
          placeholder="sum of the rows"
          isOptional={draft.follows === true}
          wish={EPSILON}
          value={pendingTotal ?? (Number(draft.epsilon) > 0 ? draft.epsilon : "")}
          onCommit={(typed) =>
            typed === null ? undefined : planner.edit("ε for this plan", { kind: "total", epsilon: typed.plain })
          }
        />
      </div>
      {facts}
      {targets.length === 0 ? null : (
        <BarFact name="targets met">
          {met} of {targets.length}
        </BarFact>
      )}
      <div className="plan-bar-actions">
        <PlanSettingsMenu planner={planner}>{settings}</PlanSettingsMenu>
        {practise === null ? null : (
          <Button
            variant="default"
            leftSection={<IconSparkles size={16} aria-hidden />}
            aria-pressed={practise.isOn}
            onClick={practise.toggle}
          >
            Practise
          </Button>
        )}
        {action}
      </div>
    </div>
  );
}

/** A number of the bar with its name. */
export function BarFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="plan-bar-fact">
      <span className="soft">{name}</span> <strong>{children}</strong>
    </div>
  );
}

function PlanSettingsMenu({ planner, children }: { planner: Planner; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      width="min(560px, calc(100vw - 32px))"
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconSettings size={16} aria-hidden />}
          onClick={() => setOpen((before) => !before)}
        >
          Settings
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Settings of the plan">
        <Suspense fallback={<div className="plan-settings-space" />}>
          <PlanSettings planner={planner}>{children}</PlanSettings>
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
