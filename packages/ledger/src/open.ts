import { auditLines } from "./audit/line.ts";
import { verify } from "./audit/verify.ts";
import type { Books } from "./books.ts";
import { addVersion, createDataset, dataset, datasets } from "./catalog/dataset.ts";
import { createPopulation, populationRow, populations, toPopulation } from "./catalog/population.ts";
import type { Context, StepLabel } from "./context.ts";
import { accountRow, accounts, accountsOf, setStatus, toAccount } from "./ledger/account.ts";
import { balance, balances, quote } from "./ledger/balance.ts";
import { chargeByKey, chargeWithEntry, checkRequest, pendingCharges } from "./ledger/charge.ts";
import { entries } from "./ledger/entry.ts";
import { ledger, ledgerOf, ledgers, openLedger } from "./ledger/ledger.ts";
import { openAccount } from "./ledger/open-account.ts";
import { poster } from "./ledger/post.ts";
import { allocate, closeAccount, freeQuota, withdraw } from "./ledger/quota.ts";
import { previewSwitch, switchRule } from "./ledger/switch.ts";
import { authenticate, createCredential, credentials, endCredential, redeemLink } from "./people/credential.ts";
import {
  createPrincipal,
  disablePrincipal,
  hasRealUsers,
  principalByEmail,
  principalRow,
  principals,
  seedSystem,
  toPrincipal,
} from "./people/principal.ts";
import { grantRole, revokeRole, roleBindings, rolesOf } from "./people/role.ts";
import { addMember, createTeam, members, removeMember, teamRow, teams, toTeam } from "./people/team.ts";
import { claim, recover, renew } from "./release/lease.ts";
import { completer, release, releaseOf, releases } from "./release/release.ts";
import type { Store } from "./store.ts";

export interface OpenOptions {
  /** Called at labelled places between writes; the kill tests stop there. */
  readonly step?: (label: StepLabel) => void;
}

/** Everything the platform remembers, over one store. The caller opens the store; closing the books closes it. */
export async function openBooks(store: Store, { step = () => undefined }: OpenOptions = {}): Promise<Books> {
  const context: Context = { store, step };
  const db = store.read;
  await seedSystem(context);
  const post = poster(context);
  const complete = completer(context);
  return {
    people: {
      createPrincipal: (options) => createPrincipal(context, options),
      principal: async (id) => toPrincipal(await principalRow({ db }, id)),
      principals: () => principals(context),
      principalByEmail: (email) => principalByEmail(context, email),
      disablePrincipal: (options) => disablePrincipal(context, options),
      hasRealUsers: () => hasRealUsers(context),
      createTeam: (options) => createTeam(context, options),
      team: async (id) => toTeam(await teamRow({ db }, id)),
      teams: () => teams(context),
      addMember: (options) => addMember(context, options),
      removeMember: (options) => removeMember(context, options),
      members: (team) => members(context, team),
      grantRole: (options) => grantRole(context, options),
      revokeRole: (options) => revokeRole(context, options),
      rolesOf: (principal) => rolesOf(context, principal),
      roleBindings: (object) => roleBindings(context, object),
      createCredential: (options) => createCredential(context, options),
      authenticate: (kind, secret) => authenticate(context, kind, secret),
      redeemLink: (secret) => redeemLink(context, secret),
      endCredential: (options) => endCredential(context, options),
      credentials: (principal) => credentials(context, principal),
    },
    catalog: {
      createPopulation: (options) => createPopulation(context, options),
      population: async (id) => toPopulation(await populationRow({ db }, id)),
      populations: () => populations(context),
      createDataset: (options) => createDataset(context, options),
      addVersion: (options) => addVersion(context, options),
      dataset: (idOrName) => dataset(context, idOrName),
      datasets: () => datasets(context),
      datasetsOf: (population) => datasets(context, population),
    },
    ledgers: {
      open: (options) => openLedger(context, options),
      ledger: (id) => ledger(context, id),
      ledgerOf: (population) => ledgerOf(context, population),
      ledgers: () => ledgers(context),
      previewSwitch: (id) => previewSwitch(context, id),
      switchRule: (options) => switchRule(context, options),
      openAccount: (options) => openAccount(context, options),
      account: async (id) => toAccount(await accountRow({ db }, id)),
      accounts: (id) => accounts(context, id),
      accountsOf: (principal) => accountsOf(context, principal),
      allocate: (options) => allocate(context, options),
      withdraw: (options) => withdraw(context, options),
      free: (node) => freeQuota(context, node),
      freeze: (options) => setStatus(context, { ...options, status: "frozen" }),
      unfreeze: (options) => setStatus(context, { ...options, status: "active" }),
      close: (options) => closeAccount(context, options),
      balances: (account) => balances(context, account),
      balance: (node) => balance(context, node),
      quote: async (options) => quote(context, options),
      charge: async (request) => post(checkRequest(context, request)),
      entries: (options) => entries(context, options),
    },
    releases: {
      charge: (id) => chargeWithEntry(db, id),
      chargeByKey: (options) => chargeByKey(context, options),
      pending: () => pendingCharges(context),
      complete,
      claim: (options) => claim(context, options),
      renew: (options) => renew(context, options),
      recover: (options) => recover(context, options),
      release: (id) => release(context, id),
      releaseOf: (charge) => releaseOf(context, charge),
      releases: (options) => releases(context, options),
    },
    audit: {
      lines: (options) => auditLines(context, options),
      verify: () => verify(context),
    },
    close: () => store.close(),
  };
}
