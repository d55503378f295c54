import type { Account, Balance, Cost, Ledger } from "@dosimeter/client";
import { activeRuleRow, protectedUnit } from "@dosimeter/core";
import { formatAmount } from "@dosimeter/plot";
import { pathOf } from "../find.ts";
import { type Column, sayFacts } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** `0.3`, or `—` where a sum has no value any more. */
export function amount(value: string | null): string {
  return value ?? "—";
}

/** An amount in six digits: `up` for what is paid or spent, `down` for what is left or may be used. */
export const short = (value: string | null, towards: "up" | "down"): string =>
  value === null ? "—" : formatAmount(value, towards, 6);

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 2 : 1)} %`;
}

/** `████░░░░░░ 40.0 %`; in a pipe only the number. */
function gauge(terminal: Terminal, used: number, width = 20): string {
  if (!terminal.isInteractive) return percent(used);
  const full = Math.min(width, Math.ceil(used * width));
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${percent(used)}`;
}

/** The cost of a charge in both sums. */
export function costText({ epsilon, delta, mu2 }: Cost): string {
  const parts = [
    epsilon === null ? "no price in ε" : `ε ${epsilon}`,
    ...(delta === "0" ? [] : [`δ ${delta}`]),
    ...(mu2 === null ? [] : [`μ² ${short(mu2, "up")}`]),
  ];
  return parts.join(", ");
}

/** What is not spent under the rule in force, promised or free. */
export function leftText(balance: Balance): string {
  const { counts, unit } = activeRuleRow(balance.activeRule);
  return `${unit} ${counts === "epsilon" ? amount(balance.epsilon.left) : short(balance.mu2.left, "down")}`;
}

export const accountColumns: readonly Column<Account>[] = [
  { heading: "account", cell: pathOf },
  { heading: "holder", cell: ({ holder }) => holder.kind },
  { heading: "budget ε", cell: ({ quota }) => quota.epsilon, right: true },
  { heading: "spent ε", cell: ({ balance }) => amount(balance.epsilon.spent), right: true },
  { heading: "promised ε", cell: ({ promised }) => amount(promised), right: true },
  { heading: "free ε", cell: ({ free }) => free.epsilon, right: true },
  { heading: "used", cell: ({ balance }) => percent(balance.used), right: true },
  { heading: "status", cell: ({ status }) => status },
  { heading: "id", cell: ({ id }) => id },
];

/** The unit's name alone, unless what is protected is less than all of it, or has the budget of its cohort. */
export const protectedText = ({ privacyUnit, blocks }: Pick<Ledger, "privacyUnit" | "blocks">): string => {
  if (blocks === undefined) return privacyUnit;
  const unit = protectedUnit("one", privacyUnit, blocks);
  return blocks.protects === undefined ? unit : `${unit}, with the budget of the ${blocks.every} of their least date`;
};

function frozenText({ since, reason }: NonNullable<Ledger["frozen"]>, over: string | null): string {
  const why = over ?? reason;
  return `no charges since ${since}${why === null ? "" : `: ${why}`}; see dosimeter ledger reopen --help`;
}

export function ledgerFacts(terminal: Terminal, ledger: Ledger): readonly (readonly [string, string])[] {
  const { guarantee, balance, promised, free } = ledger;
  return [
    ["ledger", ledger.id],
    ...(ledger.frozen === undefined ? [] : [["frozen", frozenText(ledger.frozen, ledger.over)] as const]),
    ["datasets", ledger.datasets.map(({ name }) => name).join(", ")],
    ["protects", `${protectedText(ledger)} (${ledger.adjacency})`],
    ["guarantee", guarantee.sentence],
    [
      "lifetime",
      `ε ${guarantee.epsilon}, δ ${guarantee.delta} (${guarantee.deltaFilter} for composition, ${guarantee.deltaSelection} to spend)`,
    ],
    ["rule", ledger.rule === ledger.activeRule ? ledger.rule : `${ledger.rule}, now by ${ledger.activeRule}`],
    [
      "threshold",
      `ε ${ledger.threshold ?? "1"} of one query: above it AGENT's reports add up (ledger set --threshold)`,
    ],
    ["used", gauge(terminal, balance.used)],
    [
      "spent",
      `ε ${amount(balance.epsilon.spent)}, δ ${amount(balance.delta.spent)}, μ² ${short(balance.mu2.spent, "up")}`,
    ],
    ["promised", `ε ${amount(promised)}, to budgets below that have not spent it`],
    ["free", `ε ${free.epsilon}`],
    [
      "not spent",
      `ε ${amount(balance.epsilon.left)}, δ ${amount(balance.delta.left)}, μ² ${short(balance.mu2.left, "down")}`,
    ],
    ["head", `line ${ledger.head.number}, ${ledger.head.hash}`],
  ];
}

export const sayLedger = (terminal: Terminal, ledger: Ledger): void =>
  sayFacts(terminal, ledgerFacts(terminal, ledger));
