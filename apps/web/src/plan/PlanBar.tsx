import type { PlanDraft } from "@dosimeter/planner";
import { formatDecimal } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import { IconSettings, IconSparkles } from "@tabler/icons-react";
import { type ReactNode, type RefObject, Suspense, useState } from "react";
import { lazy } from "../api/part.ts";
import { formatCost } from "../parts/Amount.tsx";
import { CommitNumber } from "../parts/fields.tsx";
import { EPSILON } from "../parts/number-text.ts";
import type { Planner } from "./use-planner.ts";

const SettingsMenu = lazy(async () => ({ default: (await import("./SettingsMenu.tsx")).SettingsMenu }));
/** The one line that stays above the table: what the plan takes and leaves, how many targets it meets, and what to do next. */
export function PlanBar({
  planner,
  part,
  facts,
  brief,
  settings,
  practise,
  action,
}: {
  planner: Planner;
  part: RefObject<HTMLDivElement | null>;
  /** More numbers after ε and the targets. */
  facts?: ReactNode;
  /** The same in short, where the line is narrow. */
  brief?: string | undefined;
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
      <div className="plan-bar-facts">
        <div className="plan-bar-epsilon">
          <span className="worded" aria-hidden="true">
            ε of this plan
          </span>
          <CommitNumber
            aria-label="ε for this plan"
            placeholder="sum of rows"
            isOptional={draft.follows === true}
            wish={EPSILON}
            title={Number(draft.epsilon) > 0 ? formatDecimal(draft.epsilon) : undefined}
            value={pendingTotal ?? totalShown(draft)}
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
      </div>
      <div className="plan-bar-actions">
        {/* Said above already, to those who do not see where the page is scrolled to. */}
        {brief === undefined ? null : (
          <p className="plan-bar-brief" aria-hidden="true">
            {targets.length === 0 ? brief : `${brief} · ${met} of ${targets.length} targets met`}
          </p>
        )}
        <SettingsButton planner={planner}>{settings}</SettingsButton>
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

/** As typed; a sum of the rows in three digits, where it has more than a person would type. */
export const totalShown = ({ epsilon }: Pick<PlanDraft, "epsilon">): string => {
  if (!(Number(epsilon) > 0)) return "";
  return epsilon.replace(/^0\.0*|\./, "").length > TYPED_DIGITS ? formatCost(epsilon) : epsilon;
};
const TYPED_DIGITS = 5;

export function BarFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="plan-bar-fact">
      <span className="soft">{name}</span> <strong>{children}</strong>
    </div>
  );
}

/** The button alone until it is pressed once: what floats is loaded then. */
function SettingsButton({ planner, children }: { planner: Planner; children: ReactNode }) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <Button
      variant="default"
      leftSection={<IconSettings size={16} aria-hidden />}
      aria-haspopup="dialog"
      onClick={() => setWanted(true)}
    >
      Settings
    </Button>
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <SettingsMenu planner={planner}>{children}</SettingsMenu>
    </Suspense>
  ) : (
    button
  );
}
