import type { Dataset, Me } from "@dosimeter/client";
import { lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { loaded } from "../api/part.ts";
import { readsAudit } from "../audit/reads-audit.ts";

/** A part of the dataset page. Its code and its data are loaded when it is opened. */
interface Tab {
  readonly label: string;
  /** Not shown before the ledger is open. */
  readonly needsLedger?: boolean;
  /** Only who administers or audits the dataset has something to do in it; who reads the dataset may open it all the same. */
  readonly isKept?: boolean;
  readonly Content: ComponentType<{ readonly dataset: Dataset }>;
}

const tab = (load: () => Promise<Record<string, ComponentType<{ dataset: Dataset }>>>, name: string) =>
  lazyRouteComponent(() => loaded(load), name) as Tab["Content"];

const tabs: Readonly<Record<string, Tab>> = {
  columns: { label: "Columns", Content: tab(() => import("./tabs/ColumnsTab.tsx"), "ColumnsTab") },
  budget: { label: "Budget", needsLedger: true, Content: tab(() => import("./tabs/BudgetTab.tsx"), "BudgetTab") },
  ledger: {
    label: "Ledger",
    needsLedger: true,
    isKept: true,
    Content: tab(() => import("./tabs/LedgerTab.tsx"), "LedgerTab"),
  },
  governance: {
    label: "Governance",
    isKept: true,
    Content: tab(() => import("./tabs/GovernanceTab.tsx"), "GovernanceTab"),
  },
};

/** The parts of a dataset page after its overview, each with its name in the address. */
export const tabsOf = ({ ledger }: Pick<Dataset, "ledger">): readonly (readonly [string, Tab])[] =>
  Object.entries(tabs).filter(([, { needsLedger }]) => needsLedger !== true || ledger !== null);

/** The tabs of a reader's roles, and the part that is open, whose address may have come from elsewhere. */
export const tabsFor = (dataset: Dataset, me: Me | undefined, open: string): ReturnType<typeof tabsOf> => {
  const keeps = dataset.myRoles.length > 0 || readsAudit(me);
  return tabsOf(dataset).filter(([name, { isKept = false }]) => !isKept || keeps || name === open);
};
