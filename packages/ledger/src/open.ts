import { freeQuota as coreFreeQuota } from "@dosimeter/core";
import { planQuotes } from "@dosimeter/core/accounting";
import { checkpoint, confront } from "./audit/checkpoint.ts";
import { exportLedger } from "./audit/export.ts";
import { auditLines } from "./audit/line.ts";
import { verify } from "./audit/verify.ts";
import type { Books } from "./books.ts";
import {
  addVersion,
  createDataset,
  dataset,
  datasetAt,
  datasets,
  names,
  sources,
  versions,
} from "./catalog/dataset.ts";
import { createPopulation, populationRow, populations, toPopulation } from "./catalog/population.ts";
import { isPublic, setPublic } from "./catalog/publication.ts";
import type { Context, StepLabel } from "./context.ts";
import { houseKey } from "./house/key.ts";
import { takeShared } from "./house/rate.ts";
import type { PrincipalId } from "./id.ts";
import { accountRow, accounts, accountsOf, ledgersHeld, setStatus, toAccount } from "./ledger/account.ts";
import { namesOfAccounts } from "./ledger/account-names.ts";
import {
  amendment,
  amendments,
  guaranteeVersions,
  previewAmendment,
  proposeAmendment,
  rejectAmendment,
  secondAmendment,
  seconds,
  withdrawAmendment,
} from "./ledger/amendment.ts";
import { balance, balances, maySpend, quote } from "./ledger/balance.ts";
import { readUnderCaps, refuseUnreadable, unreadUnderCaps } from "./ledger/cap-reading.ts";
import { chargeByKey, chargeWithEntry, checkRequest, pendingCharges } from "./ledger/charge.ts";
import { closeAccount, expireDue } from "./ledger/close.ts";
import { entries } from "./ledger/entry.ts";
import { freezeLedger, reopenLedger } from "./ledger/gap.ts";
import { importLedger } from "./ledger/import-ledger.ts";
import { ledger, ledgerOf, ledgers, openLedger, previewLedger } from "./ledger/ledger.ts";
import { openAccount } from "./ledger/open-account.ts";
import type { Quotes } from "./ledger/plan-quote.ts";
import { poster } from "./ledger/post.ts";
import { postPriced } from "./ledger/post-priced.ts";
import { allocate, type FreeQuota, freeQuota, withdraw } from "./ledger/quota.ts";
import { setAccount, setLedger } from "./ledger/settings.ts";
import { previewSwitch, switchRule } from "./ledger/switch.ts";
import { recall, transfer } from "./ledger/transfer.ts";
import { memory } from "./memory.ts";
import { endDelivery, nextDue, putMail, takeDue } from "./outbox/delivery.ts";
import {
  markRead,
  notifications,
  preferences,
  setPreference,
  setWebhook,
  unread,
  webhook,
} from "./outbox/notification.ts";
import { authenticate, createCredential, credentials, endCredential, redeemLink } from "./people/credential.ts";
import {
  accept,
  answerBack,
  approve,
  askBack,
  counter,
  decline,
  escalate,
  reject,
  withdrawRequest,
} from "./people/decision.ts";
import { closeTeam, disablePrincipal, removeMember, restorePrincipal } from "./people/departure.ts";
import { linkIdentity, principalByIdentity } from "./people/identity.ts";
import {
  acceptInvitation,
  endInvitation,
  invitation,
  invitations,
  invite,
  joinByInvitation,
  mintInvitation,
} from "./people/invitation.ts";
import { passwordOf, setPassword } from "./people/password.ts";
import { type Patience, usualPatience } from "./people/patience.ts";
import {
  analystsBehind,
  createPrincipal,
  hasRealUsers,
  principalByEmail,
  principalRow,
  principals,
  seedSystem,
  systemPrincipal,
  toPrincipal,
} from "./people/principal.ts";
import { setPrincipal } from "./people/profile.ts";
import { request, requests } from "./people/request.ts";
import { grantRole, revokeRole, roleBindings, rolesOf } from "./people/role.ts";
import { createStanding, endStanding, makeRequest, standing, standings } from "./people/standing.ts";
import { expireRequests } from "./people/sweep.ts";
import { addMember, createTeam, members, teamRow, teams, toTeam } from "./people/team.ts";
import { claim, recover, renew } from "./release/lease.ts";
import { releases } from "./release/list.ts";
import { completer, release, releaseOf } from "./release/release.ts";
import { reusePolicy, savings, setReusePolicy } from "./release/savings.ts";
import { findStatistics, lastStatistic, library, newestStatistics, statisticRows } from "./release/statistic.ts";
import { spendHistory } from "./report/history.ts";
import { openTrails } from "./report/trail.ts";
import type { Store } from "./store.ts";

export interface OpenOptions {
  /** Called at labelled places between writes; the kill tests stop there. */
  readonly step?: (label: StepLabel) => void;
  /** Most charges, or releases, in one commit; 256. */
  readonly commitGroup?: number;
  /** `flag`: in an organisation of one, who asked may decide, and it is marked. `refuse` when absent. */
  readonly selfApproval?: "refuse" | "flag";
  /** How often people may ask, where it is not the usual. */
  readonly patience?: Partial<Patience>;
  /** Prices plans; in this thread when absent. Must give the same quotes. */
  readonly quotes?: Quotes;
  /** Finds what an account could give back; in this thread when absent. Must find the same. */
  readonly freeQuota?: FreeQuota;
}

/** Everything the platform remembers, over one store. The caller opens the store; closing the books closes it. */
export async function openBooks(
  store: Store,
  {
    step = () => undefined,
    commitGroup = 256,
    selfApproval = "refuse",
    patience = {},
    quotes = async (...plan) => planQuotes(...plan),
    freeQuota: find = coreFreeQuota,
  }: OpenOptions = {},
): Promise<Books> {
  const context: Context = {
    store,
    step,
    commitGroup,
    selfApproval,
    patience: { ...usualPatience, ...patience },
    quotes,
    freeQuota: find,
    head: memory(),
    desk: memory(),
  };
  const db = store.read;
  await seedSystem(context);
  const post = poster(context);
  const complete = completer(context);
  const trailOf = openTrails(context);
  return {
    people: {
      createPrincipal: async (options) => createPrincipal(context, options),
      principal: async (id) => toPrincipal(await principalRow({ db }, id)),
      analystsBehind: async () => analystsBehind(context),
      principals: async () => principals(context),
      principalByEmail: async (email) => principalByEmail(context, email),
      disablePrincipal: async (options) => disablePrincipal(context, options),
      setPrincipal: async (options) => setPrincipal(context, options),
      restorePrincipal: async (options) => restorePrincipal(context, options),
      hasRealUsers: async () => hasRealUsers(context),
      closeTeam: async (options) => closeTeam(context, options),
      setPassword: async (options) => setPassword(context, options),
      passwordOf: async (principal) => passwordOf(context, principal),
      linkIdentity: async (options) => linkIdentity(context, options),
      principalByIdentity: async (identity) => principalByIdentity(context, identity),
      invite: async (options) => invite(context, options),
      mintInvitation: async (id) => mintInvitation(context, id),
      acceptInvitation: async (options) => acceptInvitation(context, options),
      joinByInvitation: async (options) => joinByInvitation(context, options),
      endInvitation: async (options) => endInvitation(context, options),
      invitation: async (id) => invitation(context, id),
      invitations: async (team) => invitations(context, team),
      createTeam: async (options) => createTeam(context, options),
      team: async (id) => toTeam(await teamRow({ db }, id)),
      teams: async () => teams(context),
      addMember: async (options) => addMember(context, options),
      removeMember: async (options) => removeMember(context, options),
      members: async (team) => members(context, team),
      grantRole: async (options) => grantRole(context, options),
      revokeRole: async (options) => revokeRole(context, options),
      rolesOf: async (principal) => rolesOf(context, principal),
      roleBindings: async (object) => roleBindings(context, object),
      createCredential: async (options) => createCredential(context, options),
      authenticate: async (kind, secret) => authenticate(context, kind, secret),
      redeemLink: async (secret) => redeemLink(context, secret),
      endCredential: async (options) => endCredential(context, options),
      credentials: async (principal) => credentials(context, principal),
    },
    catalog: {
      createPopulation: async (options) => createPopulation(context, options),
      population: async (id) => toPopulation(await populationRow({ db }, id)),
      populations: async () => populations(context),
      isPublic: async (population) => isPublic(context, population),
      setPublic: async (options) => setPublic(context, options),
      createDataset: async (options) => createDataset(context, options),
      addVersion: async (options) => addVersion(context, options),
      datasetAt: async (id, version) => datasetAt(context, id, version),
      versions: async (id) => versions(context, id),
      dataset: async (idOrName) => dataset(context, idOrName),
      datasets: async () => datasets(context),
      sources: async () => sources(context),
      datasetsOf: async (population) => datasets(context, population),
      names: async () => names(context),
    },
    ledgers: {
      open: async (options) => openLedger(context, options),
      preview: async (options) => previewLedger(context, options),
      import: async (options) => importLedger(context, options),
      ledger: async (id) => ledger(context, id),
      ledgerOf: async (population) => ledgerOf(context, population),
      ledgers: async () => ledgers(context),
      previewSwitch: async (id) => previewSwitch(context, id),
      switchRule: async (options) => switchRule(context, options),
      freezeLedger: async (options) => freezeLedger(context, options),
      reopenLedger: async (options) => reopenLedger(context, options),
      openAccount: async (options) => openAccount(context, options),
      account: async (id) => toAccount(await accountRow({ db }, id)),
      accounts: async (id) => accounts(context, id),
      held: async (holders, ledger) => ledgersHeld(context, holders, ledger),
      accountsOf: async (principal) => accountsOf(context, principal),
      namesOfAccounts: async (principal) => namesOfAccounts(context, principal),
      allocate: async (options) => allocate(context, options),
      withdraw: async (options) => withdraw(context, options),
      free: async (node) => freeQuota(context, node),
      freeze: async (options) => setStatus(context, { ...options, status: "frozen" }),
      unfreeze: async (options) => setStatus(context, { ...options, status: "active" }),
      close: async (options) => closeAccount(context, options),
      transfer: async (options) => transfer(context, options),
      recall: async (options) => recall(context, options),
      expireDue: async () => expireDue(context),
      setAccount: async (options) => setAccount(context, options),
      setLedger: async (options) => setLedger(context, options),
      unreadUnderCaps: async (options) => unreadUnderCaps(context, options),
      readUnderCaps: async (options) => readUnderCaps(context, options),
      refuseUnreadable: async (options) => refuseUnreadable(context, options),
      previewAmendment: async (options) => previewAmendment(context, options),
      proposeAmendment: async (options) => proposeAmendment(context, options),
      secondAmendment: async (options) => secondAmendment(context, options),
      rejectAmendment: async (options) => rejectAmendment(context, options),
      withdrawAmendment: async (options) => withdrawAmendment(context, options),
      amendment: async (id) => amendment(context, id),
      amendments: async (ledger) => amendments(context, ledger),
      versions: async (ledger) => guaranteeVersions(context, ledger),
      seconds: async (ledger) => (await seconds({ db }, ledger)) as readonly PrincipalId[],
      maySpend: async (options) => maySpend(context, options),
      balances: async (account) => balances(context, account),
      balance: async (node) => balance(context, node),
      quote: async (options) => quote(context, options),
      charge: async (request) => postPriced(context, post, checkRequest(context, request)),
      entries: async (options) => entries(context, options),
    },
    releases: {
      charge: async (id) => chargeWithEntry(db, id),
      chargeByKey: async (options) => chargeByKey(context, options),
      pending: async () => pendingCharges(context),
      complete,
      claim: async (options) => claim(context, options),
      renew: async (options) => renew(context, options),
      recover: async (options) => recover(context, options),
      release: async (id) => release(context, id),
      releaseOf: async (charge) => releaseOf(context, charge),
      releases: async (options) => releases(context, options),
    },
    reuse: {
      find: async (options) => findStatistics(context, options),
      rows: async (origins) => statisticRows(context, origins),
      horizon: async () => lastStatistic(context),
      newest: async (options) => newestStatistics(context, options),
      library: async (options) => library(context, options),
      policy: async (dataset) => reusePolicy(context, dataset),
      setPolicy: async (options) => setReusePolicy(context, options),
      savings: async (dataset) => savings(context, dataset),
    },
    requests: {
      make: async (options) => makeRequest(context, options),
      request: async (id) => request(context, id),
      requests: async (options = {}) => requests(context, options),
      approve: async (options) => approve(context, options),
      reject: async (options) => reject(context, options),
      counter: async (options) => counter(context, options),
      accept: async (options) => accept(context, options),
      decline: async (options) => decline(context, options),
      withdraw: async (options) => withdrawRequest(context, options),
      ask: async (options) => askBack(context, options),
      answer: async (options) => answerBack(context, options),
      escalate: async (options) => escalate(context, options),
      createStanding: async (options) => createStanding(context, options),
      endStanding: async (options) => endStanding(context, options),
      standing: async (id) => standing(context, id),
      standings: async (ledger) => standings(context, ledger),
      expireDue: async () => expireRequests(context),
      selfApproval,
    },
    outbox: {
      notifications: async (options) => notifications(context, options),
      unread: async (principal) => unread(context, principal),
      markRead: async (options) => markRead(context, options),
      preferences: async (principal) => preferences(context, principal),
      setPreference: async (options) => setPreference(context, options),
      webhook: async (principal) => webhook(context, principal),
      setWebhook: async (options) => setWebhook(context, options),
      takeDue: async (options) => takeDue(context, options),
      endDelivery: async (options) => endDelivery(context, options),
      putMail: async (options) => putMail(context, options),
      nextDue: async () => nextDue(context),
    },
    reports: {
      history: async (options) => spendHistory(context, trailOf, options),
    },
    audit: {
      lines: async (options) => auditLines(context, options),
      export: async (options) => exportLedger(context, options),
      checkpoint: async (known) => checkpoint(context, known),
      confront: async (kept) => confront(context, kept, systemPrincipal),
      verify: async () => verify(context),
    },
    shared: {
      take: async (rate) => takeShared(context, rate),
      key: async (options) => houseKey(context, options),
    },
    close: () => store.close(),
  };
}
