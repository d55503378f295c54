import {
  blockAt,
  deltaAmount,
  epsilonAmount,
  formatDate,
  invalid,
  isZone,
  nextRule,
  PrivacyError,
  ruleRow,
} from "@dosimeter/core";
import { memoized } from "@dosimeter/core/internal";
import type { Account, Entry, Ledger, PrincipalId } from "@dosimeter/ledger";
import { lastDatedBlock } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { authorise, holds } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import { askedEpsilon } from "../http/amount.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { readLedgerCopy } from "../import/ledger-copy.ts";
import { fingerprint } from "../instance/signer.ts";
import { balanceView, promiseView, quotaView } from "../view/balance.ts";
import { blocksView, shownBlocks } from "../view/blocks.ts";
import { directory } from "../view/directory.ts";
import { entryView, ledgerView, publicView } from "../view/ledger.ts";
import { nodeName } from "../view/quote.ts";
import { deltaWarnings } from "../view/warnings.ts";
import { reportOn } from "./report.ts";

export const ledgers = {
  async openLedger({ deps, caller, input }) {
    const { catalog, ledgers } = deps.database;
    const dataset = await catalog.dataset(input.dataset);
    // Opening the ledger of a population needs the admins' right on all of its datasets.
    for (const { id } of await catalog.datasetsOf(dataset.population))
      await authorise("datasetAdmin", caller, { dataset: id }, deps);
    const ledger = await ledgers.open({
      ...termsOf(input),
      by: caller.principal.id,
      population: dataset.population,
      policy: input.policy,
      mode: input.mode,
    });
    const warnings = deltaWarnings(ledger.terms.delta, await catalog.datasetsOf(dataset.population));
    return { ...(await ledgerView(ledger, caller, deps)), warnings };
  },

  async importLedger({ deps, caller, input, exchange }) {
    const { catalog, ledgers } = deps.database;
    const dataset = await catalog.dataset(input.dataset);
    for (const { id } of await catalog.datasetsOf(dataset.population))
      await authorise("datasetAdmin", caller, { dataset: id }, deps);
    await deps.rates.take("upload", caller.principal.id);
    const copy = await readLedgerCopy(exchange.bytes, input.key ?? fingerprint(deps.signer), {
      importer: deps.importer,
      reader: caller.principal.id,
    });
    const ledger = await ledgers.import({
      by: caller.principal.id,
      population: dataset.population,
      copy,
    });
    return ledgerView(ledger, caller, deps);
  },

  async setPublication({ deps, caller, input }) {
    const { database } = deps;
    const ledger = await database.ledgers.ledger(input.ledger);
    const { population } = ledger;
    await database.catalog.setPublic({ by: caller.principal.id, population, isPublic: input.isPublic });
    return ledgerView(ledger, caller, deps);
  },

  async showPublicGuarantee({ deps, input }) {
    const { database } = deps;
    const { population } = input;
    const ledger = (await database.catalog.isPublic(population)) ? await database.ledgers.ledgerOf(population) : null;
    if (ledger === null) throw new PrivacyError("NOT_FOUND"); // the same for what is not public and what is not there
    return publicView(ledger, deps);
  },

  async previewLedger({ deps, input }) {
    const { population } = await deps.database.catalog.dataset(input.dataset);
    const { terms, ceiling, blocks, sentence } = await deps.database.ledgers.preview({ ...termsOf(input), population });
    return {
      sentence,
      ...shownBlocks({ blocks }),
      ...promiseView(terms),
      ceiling: quotaView(ceiling),
      warnings: deltaWarnings(terms.delta, await deps.database.catalog.datasetsOf(population)),
    };
  },

  async showLedger({ deps, caller, input }) {
    return ledgerView(await deps.database.ledgers.ledger(input.ledger), caller, deps);
  },

  async showBlocks({ deps, caller, input }) {
    const { database } = deps;
    const isSeen = ({ id }: Account) => holds("accountReader", caller, { account: id }, deps);
    return blocksView(await database.ledgers.ledger(input.ledger), isSeen, await directory(database), deps);
  },

  async listEntries({ deps, caller, input }) {
    const { database } = deps;
    const names = await directory(database);
    const { account, person } = input;
    // Filtering by account must not reveal whose charge a line is.
    if (account !== undefined) await authorise("accountReader", caller, { account }, deps);
    if (person !== undefined && person !== caller.principal.id)
      await authorise("ledgerAuditor", caller, { ledger: input.ledger }, deps);
    const { items, next } = await database.ledgers.entries({
      ledger: input.ledger,
      kind: input.kind,
      account,
      principal: person as PrincipalId | undefined,
      after: input.cursor,
      limit: input.limit ?? PAGE_SIZE,
    });
    const opens = await opener(input.ledger, caller, deps);
    return { items: await Promise.all(items.map(async (entry) => entryView(entry, await opens(entry), names))), next };
  },

  async reportLedger({ deps, input, exchange }) {
    return reportOn(
      await deps.database.ledgers.ledger(input.ledger),
      null,
      { ...input, signal: exchange.signal },
      deps,
    );
  },

  async setLedger({ deps, caller, input }) {
    const ledger = await deps.database.ledgers.setLedger({
      ...input,
      threshold: input.threshold === undefined ? undefined : askedEpsilon(input.threshold, "body.threshold"),
      by: caller.principal.id,
    });
    return ledgerView(ledger, caller, deps);
  },

  async previewSwitch({ deps, caller, input }) {
    const { database } = deps;
    const ledger = await database.ledgers.ledger(input.ledger);
    const names = await directory(database);
    const { possible, nodes } = await database.ledgers.previewSwitch(ledger.id);
    const accounts = [];
    for (const { before, after } of nodes) {
      const isLedger = before.node === ledger.id;
      if (!isLedger && !(await holds("accountReader", caller, { account: before.node }, deps))) continue;
      accounts.push({
        ...(await nodeName(before.node, isLedger, names, database)),
        before: balanceView(before),
        after: after === null ? null : balanceView(after),
      });
    }
    return { possible, reason: possible ? null : whyNoSwitch(ledger), accounts };
  },

  async switchRule({ deps, caller, input }) {
    const ledger = await deps.database.ledgers.switchRule({
      by: caller.principal.id,
      ledger: input.ledger,
    });
    return ledgerView(ledger, caller, deps);
  },

  async freezeLedger({ deps, caller, input }) {
    const { ledger, reason } = input;
    const by = caller.principal.id;
    return ledgerView(await deps.database.ledgers.freezeLedger({ by, ledger, reason }), caller, deps);
  },

  async reopenLedger({ deps, caller, input }) {
    const ledger = await deps.database.ledgers.reopenLedger({
      by: caller.principal.id,
      ledger: input.ledger,
      epsilon: askedEpsilon(input.epsilon, "body.epsilon", "up"),
      delta: deltaAmount(input.delta, "up"),
      reason: input.reason,
      witness: await deps.witness(),
    });
    return ledgerView(ledger, caller, deps);
  },

  async migrateLedger({ deps, caller, input }) {
    await refuseUnsaidEnd(input, deps);
    const ledger = await deps.database.ledgers.migrateLedger({ ...input, by: caller.principal.id });
    return ledgerView(ledger, caller, deps);
  },
} satisfies HandlersOf<"ledgers">;

/** INVALID_PARAMETER where dates may lie ahead and the request does not say through which block rows may have been measured. [M168] */
async function refuseUnsaidEnd({ ledger, every, zone, through }: Call<"migrateLedger">["input"], { database }: Deps) {
  if (through !== undefined || !isZone(zone)) return;
  const begun = blockAt({ every, zone }, Date.now() / 1000);
  const { population } = await database.ledgers.ledger(ledger);
  for (const { id, name } of await database.catalog.datasetsOf(population))
    for (const { version, declaration } of await database.catalog.versions(id)) {
      const last = lastDatedBlock(checkDeclaration(declaration).columns, { every, zone });
      if (last !== null && last > begun) {
        const ahead = `version ${version} of ${name} declares dates through ${formatDate(last, every)}`;
        invalid("through", through, `the last ${every} of which rows may have been measured: ${ahead}`);
      }
    }
}

const termsOf = ({ epsilon, delta, rule, deltaSelection, ceiling }: Call<"previewLedger">["input"]) => ({
  epsilon: epsilonAmount(epsilon, "down", "body.epsilon"),
  delta: deltaAmount(delta, "down", "body.delta"),
  rule,
  deltaSelection: deltaSelection === undefined ? undefined : deltaAmount(deltaSelection, "down", "body.deltaSelection"),
  ceiling:
    ceiling === undefined
      ? undefined
      : {
          epsilon: epsilonAmount(ceiling.epsilon, "down", "body.ceiling.epsilon"),
          delta: deltaAmount(ceiling.delta, "down", "body.ceiling.delta"),
        },
});

function whyNoSwitch({ rule, activeRule }: Ledger): string {
  if (ruleRow(rule).switchesTo === null) return "this ledger was opened for one rule";
  if (nextRule(rule, activeRule) === null) return "the switch has been made";
  return "the tight rule could not have paid for all charges so far";
}

/** Whether the caller may see whose charge a line is: all of them with the audit right, else those of accounts they read. */
async function opener(ledger: string, caller: Caller, deps: Deps): Promise<(entry: Entry) => Promise<boolean>> {
  if (await holds("ledgerAuditor", caller, { ledger }, deps)) return async () => true;
  const reads = memoized((account: string) => holds("accountReader", caller, { account }, deps));
  return async ({ account }) => account === null || reads(account);
}
