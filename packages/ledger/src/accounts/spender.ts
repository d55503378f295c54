import { PrivacyError } from "@dosimeter/core";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, PrincipalId, ScheduleId } from "../values/id.ts";

/** The facts that the rule reads from the store. */
export interface SpenderFacts {
  enabled(principal: PrincipalId): Promise<boolean>;
  member(team: string, principal: PrincipalId): Promise<boolean>;
  hasOpenChildren(account: AccountId): Promise<boolean>;
  /** The schedule, active or paused, whose reports an account pays for. */
  scheduleOf(account: AccountId): Promise<ScheduleId | null>;
}

type Place = Pick<Tables["account"], "id" | "parent_id" | "holder_kind" | "holder_id" | "status">;

/** Who spends, and the schedule whose report is paid for; without one it is any other question. */
export interface Spender {
  readonly principal: PrincipalId;
  readonly schedule?: ScheduleId | undefined;
}

/**
 * The rule of who may spend from an account, used by the charge itself and by the pages: its holder (the
 * account's own person, or of a purpose the person above it), enabled, a member of every team on the path, and nothing
 * open below it. An account that was set aside for a schedule pays for its reports alone. Returns why not, or null. The path is root first.
 */
export async function whyNoSpender(
  path: readonly Place[],
  { principal, schedule }: Spender,
  facts: SpenderFacts,
): Promise<PrivacyError | null> {
  const payer = path.at(-1);
  if (payer === undefined) return new PrivacyError("NOT_FOUND", { name: "account" });
  const holder = payer.holder_kind === "purpose" ? path.at(-2) : payer;
  const isHolder = holder?.holder_kind === "principal" && holder.holder_id === principal;
  if (!isHolder || !(await facts.enabled(principal))) {
    return new PrivacyError("FORBIDDEN", {
      name: "account",
      got: payer.id,
      want: "an account held by the person who spends",
    });
  }
  for (const { holder_kind, holder_id } of path) {
    if (holder_kind === "team" && !(await facts.member(holder_id, principal))) {
      return new PrivacyError("FORBIDDEN", {
        name: "principal",
        got: principal,
        want: `a member of team ${holder_id}`,
      });
    }
  }
  if (payer.holder_kind === "principal" && (await facts.hasOpenChildren(payer.id))) {
    return new PrivacyError("FORBIDDEN", {
      name: "account",
      got: payer.id,
      want: "one with nothing below it: spend from one of its purposes",
    });
  }
  if (payer.holder_kind === "purpose" && payer.status !== "closed") {
    const reserved = await facts.scheduleOf(payer.id);
    if (reserved !== null && reserved !== schedule)
      return new PrivacyError(
        "FORBIDDEN",
        { name: "account", got: payer.id, want: "one that is not set aside for a scheduled report" },
        "this budget is set aside for a scheduled report and pays for nothing else: ask from another purpose, or end the report",
      );
  }
  return null;
}
