import { deltaAmount, invalid, PrivacyError } from "@dosimeter/core";
import type { Account, Holder } from "@dosimeter/ledger";
import { holds } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import { askedEpsilon } from "../http/amount.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { pageOf } from "../http/page.ts";
import { accountViews } from "../view/account.ts";
import { quotaView } from "../view/balance.ts";
import { directory } from "../view/directory.ts";
import { holdsText } from "./names.ts";
import { reportOn } from "./report.ts";

export const accounts = {
  async listAccounts({ deps, caller, input }) {
    const visible: Account[] = [];
    for (const account of await deps.database.ledgers.accounts(input.ledger))
      if (await holds("accountReader", caller, { account: account.id }, deps)) visible.push(account);
    const { items, next } = pageOf(visible, input);
    return { items: await accountViews(items, caller, await directory(deps.database), deps), next };
  },
  async listMyAccounts({ deps, caller, input }) {
    const names = await directory(deps.database);
    const own = await deps.database.ledgers.accountsOf(caller.principal.id);
    const { items, next } = pageOf(input.text ? await namedLike(input.text, own, { caller, deps }) : own, input);
    return { items: await accountViews(items, caller, names, deps), next };
  },
  async createAccount({ deps, caller, input }) {
    if (input.kind === "cap" && !(await holds("ledgerAdmin", caller, { ledger: input.ledger }, deps)))
      throw new PrivacyError(
        "FORBIDDEN",
        { name: "body.kind", got: "cap", want: "share" },
        "a cap limits what its holder reads, also what others pay for; only an admin of the dataset opens one",
      );
    const account = await deps.database.ledgers.openAccount({
      by: caller.principal.id,
      ledger: input.ledger,
      parent: input.parent ?? null,
      holder: await holderOf(input, deps),
      ...amounts(input),
      ...limits(input),
      kind: input.kind,
      mode: input.mode,
    });
    return show(account, caller, deps);
  },
  async showAccount({ deps, caller, input }) {
    return show(await deps.database.ledgers.account(input.account), caller, deps);
  },
  async reportAccount({ deps, input, exchange }) {
    const { ledgers } = deps.database;
    const account = await ledgers.account(input.account);
    return reportOn(await ledgers.ledger(account.ledger), account, { ...input, signal: exchange.signal }, deps);
  },
  async allocateQuota({ deps, caller, input }) {
    const { ledgers } = deps.database;
    return moved(
      await ledgers.allocate({ by: caller.principal.id, account: input.account, ...amountsMoved(input) }),
      caller,
      deps,
    );
  },
  async withdrawQuota({ deps, caller, input }) {
    const { ledgers } = deps.database;
    return moved(
      await ledgers.withdraw({ by: caller.principal.id, account: input.account, ...amountsMoved(input) }),
      caller,
      deps,
    );
  },
  async transferQuota({ deps, caller, input }) {
    const { from, to } = await deps.database.ledgers.transfer({
      by: caller.principal.id,
      from: input.account,
      to: input.to,
      ...amountsMoved(input),
    });
    return { from: await show(from, caller, deps), to: await show(to, caller, deps) };
  },
  async recallQuota({ deps, caller, input }) {
    const { account, recalled, shortfall } = await deps.database.ledgers.recall({
      by: caller.principal.id,
      account: input.account,
      cascade: input.cascade,
      ...amountsMoved(input),
    });
    const shown = await moved(account, caller, deps);
    return { ...shown, recalled: quotaView(recalled), shortfall: quotaView(shortfall) };
  },
  async setAccount({ deps, caller, input }) {
    return show(
      await deps.database.ledgers.setAccount({
        by: caller.principal.id,
        account: input.account,
        mode: input.mode,
        ...limits(input),
      }),
      caller,
      deps,
    );
  },
  freezeAccount: changed("freeze"),
  unfreezeAccount: changed("unfreeze"),
  closeAccount: changed("closeAccount"),
} satisfies HandlersOf<"accounts">;

function changed(step: "freeze" | "unfreeze" | "closeAccount") {
  return async ({ deps, caller, input }: Call<"freezeAccount">) =>
    show(await deps.database.ledgers[step]({ by: caller.principal.id, account: input.account }), caller, deps);
}

/** Accounts with the text in the name of a dataset that they pay for, or of a holder on their path. */
async function namedLike(
  text: string,
  accounts: readonly Account[],
  { caller, deps }: Pick<Call<"listMyAccounts">, "caller" | "deps">,
): Promise<readonly Account[]> {
  const names = await deps.database.ledgers.namesOfAccounts(caller.principal.id);
  const fits = new Set(names.flatMap(({ account, name }) => (holdsText(name, text) ? [account] : [])));
  return accounts.filter(({ id }) => fits.has(id));
}

/** Quotas are caps: they round down. */
function amounts({ epsilon, delta }: { epsilon: string | number; delta?: string | number | undefined }) {
  return {
    epsilon: askedEpsilon(epsilon),
    delta: delta === undefined ? undefined : deltaAmount(delta, "down", "body.delta"),
  };
}

/** Refuses a transfer of zero. */
function amountsMoved(input: Parameters<typeof amounts>[0]) {
  const moving = amounts(input);
  if (moving.epsilon === 0n && (moving.delta ?? 0n) === 0n) invalid("body.epsilon", input.epsilon, "at least 1e-12");
  return moving;
}

/** The account's end date and its limit for one charge; null removes the limit. */
function limits({
  expiresAt,
  queryEpsilon,
}: {
  expiresAt?: string | null | undefined;
  queryEpsilon?: string | number | null | undefined;
}) {
  return {
    expiresAt,
    queryEpsilon:
      queryEpsilon === undefined || queryEpsilon === null ? queryEpsilon : aboveZero(queryEpsilon, "body.queryEpsilon"),
  };
}

function aboveZero(value: string | number, name: string) {
  const amount = askedEpsilon(value, name);
  if (amount <= 0n) invalid(name, value, "above 0");
  return amount;
}

/** The holder of the new account. Below a team's account only people of that team: removal from the team ends their right to spend. */
async function holderOf({ holder, parent }: Call<"createAccount">["input"], { database }: Deps): Promise<Holder> {
  if (holder.kind === "purpose") return { kind: "purpose", id: holder.name };
  if (holder.kind === "team") return { kind: "team", id: (await database.people.team(holder.id)).id };
  const person = await database.people.principal(holder.id);
  if (person.removedAt !== null) throw new PrivacyError("NOT_FOUND", { name: "holder" });
  const above = parent === undefined ? null : (await database.ledgers.account(parent)).holder;
  if (above?.kind === "team") {
    const { memberOf, teamAdminOf } = await database.people.rolesOf(person.id);
    if (!memberOf.includes(above.id) && !teamAdminOf.includes(above.id))
      invalid("body.holder.id", holder.id, "a member of the team that holds the parent");
  }
  return { kind: "principal", id: person.id };
}

async function show(account: Account, caller: Caller, deps: Deps) {
  const [view] = await accountViews([account], caller, await directory(deps.database), deps);
  if (view === undefined) throw new PrivacyError("NOT_FOUND");
  return view;
}

async function moved(account: Account, caller: Caller, deps: Deps) {
  const seen = account.parent !== null && (await holds("accountReader", caller, { account: account.parent }, deps));
  const parent = seen ? await show(await deps.database.ledgers.account(account.parent ?? ""), caller, deps) : null;
  return { account: await show(account, caller, deps), parent };
}
