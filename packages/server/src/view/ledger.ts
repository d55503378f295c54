import type { Entry as EntryView, Ledger as LedgerView, PublicGuarantee } from "@dosimeter/client";
import { FITTED, formatDelta, formatEpsilon, formatMu2 } from "@dosimeter/core";
import type { Declared, Entry, Ledger, OutsideSpend } from "@dosimeter/ledger";
import { type Actor, type Facts, holds, readable } from "../access/authority.ts";
import { balanceView, epsilonOrNull, promiseView, quotaView, roomView } from "./balance.ts";
import { shownBlocks } from "./blocks.ts";
import { type Directory, directory } from "./directory.ts";

const toolText = (tool: Declared["tool"] | null): string | null =>
  tool == null ? null : `${tool.name} ${tool.version}`;

const publishedText = (published: Declared["published"] | null): string | null =>
  published == null ? null : `${published.on}, ${published.where}`;

export const outsideView = (
  { charges, epsilon, delta, mu2, programs }: OutsideSpend,
  { nameOf }: Pick<Directory, "nameOf">,
): LedgerView["outside"] => ({
  charges,
  epsilon: epsilonOrNull(epsilon),
  delta: formatDelta(delta),
  mu2: mu2 === null ? null : formatMu2(mu2),
  programs: programs.map(({ tool, published, isImported: _, ...program }) => ({
    ...program,
    personName: nameOf(program.person),
    tool: toolText(tool),
    published: publishedText(published),
  })),
});

/** The ledger with its sentence, caps and balance; public to everyone who may see the dataset. */
export async function ledgerView(ledger: Ledger, actor: Actor, facts: Facts): Promise<LedgerView> {
  const { database } = facts;
  const population = await database.catalog.population(ledger.population);
  const datasets = await readable(actor, await database.catalog.datasetsOf(ledger.population), facts);
  const subject = { ledger: ledger.id };
  const manages = await holds("ledgerAdmin", actor, subject, facts);
  const mayAudit = await holds("ledgerAuditor", actor, subject, facts);
  const [frozen] = await database.ledgers.frozen(ledger.id);
  const threshold = await database.ledgers.reportThreshold(ledger.id);
  const outside = await database.reports.outside({ ledger: ledger.id });
  return {
    id: ledger.id,
    population: ledger.population,
    ...shownBlocks(ledger),
    datasets: datasets.map(({ id, name }) => ({ id, name })),
    privacyUnit: population.privacyUnit,
    adjacency: population.adjacency,
    rule: ledger.rule,
    activeRule: ledger.activeRule,
    policy: ledger.policy,
    guarantee: {
      version: ledger.version,
      sentence: ledger.sentence,
      fitted: await fittedSentence(ledger, database),
      ...promiseView({ ...ledger.terms, mu2: ledger.caps.mu2 }),
    },
    outside: outsideView(outside, await namesFor(outside, database)),
    balance: balanceView(ledger),
    quota: quotaView(ledger.quota),
    allocated: quotaView(ledger.allocated),
    ...roomView(ledger, await database.ledgers.free(ledger.id)),
    ceiling: quotaView(ledger.ceiling),
    status: ledger.status,
    over: ledger.over,
    ...(frozen === undefined ? {} : { frozen: { since: frozen.since, reason: mayAudit ? frozen.reason : null } }),
    mode: ledger.mode,
    ...(threshold === null ? {} : { threshold: formatEpsilon(threshold) }),
    head: { number: ledger.entries, hash: ledger.head },
    openedAt: ledger.openedAt,
    openedBy: ledger.openedBy,
    isPublic: await database.catalog.isPublic(ledger.population),
    mine: { mayGrant: manages, mayManage: manages, mayAudit },
  };
}

/**
 * What anyone may read: the promise and its history, with the number and hash of the newest line. No reasons, which are
 * internal, and no spending; but the number grows by one with every charge. Of programs outside what an admin of the ledger typed: anyone who
 * holds an account types the others.
 */
export async function publicView(ledger: Ledger, { database }: Pick<Facts, "database">): Promise<PublicGuarantee> {
  const { name, privacyUnit, adjacency } = await database.catalog.population(ledger.population);
  const versions = await database.ledgers.versions(ledger.id);
  const { programs } = await database.reports.outside({ ledger: ledger.id });
  return {
    programs: programs.map(({ tool, published, isImported }) =>
      isImported
        ? { tool: toolText(tool), published: publishedText(published) }
        : { tool: null, published: published?.on ?? null },
    ),
    population: ledger.population,
    ...shownBlocks(ledger),
    name,
    privacyUnit,
    adjacency,
    rule: ledger.rule,
    sentence: ledger.sentence,
    fitted: await fittedSentence(ledger, database),
    ...quotaView(ledger.quota),
    ceiling: quotaView(ledger.ceiling),
    status: ledger.status,
    openedAt: ledger.openedAt,
    versions: versions
      .map(({ version, sentence, lifetime, at }) => ({ version, sentence, ...quotaView(lifetime), at }))
      .toSorted((a, b) => a.version - b.version),
    head: { number: ledger.entries, hash: ledger.head },
  };
}

/** Of tables that stay unnamed: not everyone who reads a promise sees each of them. */
export async function fittedSentence(
  { population }: Pick<Ledger, "population">,
  { catalog }: Facts["database"],
): Promise<string | null> {
  return (await catalog.isFitted(population)) ? FITTED : null;
}

/** One line; `open` says whether the actor may see whose charge it is and what was asked. */
export function entryView(entry: Entry, open: boolean, names: Directory): EntryView {
  return {
    number: entry.number,
    kind: entry.kind,
    at: entry.at,
    person: open ? entry.principal : null,
    personName: open ? names.nameOf(entry.principal) : null,
    account: open ? entry.account : null,
    dataset: entry.dataset,
    release: open && entry.declared === null ? entry.charge : null,
    activeRule: entry.activeRule,
    events: open ? entry.events : null,
    cost:
      entry.kind === "charge" || entry.declared !== null
        ? {
            epsilon: epsilonOrNull(entry.epsilon),
            delta: formatDelta(entry.delta + entry.slack),
            mu2: entry.mu2Spent === null ? null : formatMu2(entry.mu2Spent),
          }
        : null,
    outside: open && entry.declared !== null ? declaredView(entry) : null,
    remainingMu2Before: entry.mu2Before === null ? null : formatMu2(entry.mu2Before),
    remainingMu2After: entry.mu2After === null ? null : formatMu2(entry.mu2After),
    hash: entry.hash,
  };
}

function declaredView({ declared, key }: Entry): EntryView["outside"] {
  if (declared === null) return null;
  const { purpose, relation, tool, published } = declared;
  return { key, purpose, relation, tool: toolText(tool ?? null), published: publishedText(published ?? null) };
}

/** Most ledgers have no program outside, and need no names. */
const namesFor = ({ programs }: OutsideSpend, database: Facts["database"]): Promise<Pick<Directory, "nameOf">> =>
  programs.length === 0 ? Promise.resolve({ nameOf: (id) => id }) : directory(database);
