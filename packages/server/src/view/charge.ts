import { createHash } from "node:crypto";
import type { Cost, DeclaredCharge, MadeOutside } from "@dosimeter/client";
import { formatDate, formatMu2, PrivacyError } from "@dosimeter/core";
import { present, visible } from "@dosimeter/core/internal";
import {
  type Charge,
  type Declared,
  type DeclaredEntry,
  declaredIn,
  type LedgerDatabase,
  type Signer,
} from "@dosimeter/ledger";
import { PERMIT, type Permit, permitBody } from "@dosimeter/verify";
import type { Directory } from "./directory.ts";

/** A charge of a program outside with all that is known of it. */
export interface ShownCharge {
  readonly charge: Charge;
  readonly facts: DeclaredEntry;
  readonly from?: string;
  readonly to?: string;
}

export async function shownCharge(charge: Charge, { declared, ledgers }: LedgerDatabase): Promise<ShownCharge> {
  const facts = await declared.facts(charge.id);
  const [first, last] = [facts.blocks[0], facts.blocks.at(-1)];
  const every = first === undefined ? undefined : (await ledgers.ledger(charge.ledger)).blocks?.every;
  if (first === undefined || last === undefined || every === undefined) return { charge, facts };
  return { charge, facts, from: formatDate(first.from, every), to: formatDate(last.to, every) };
}

export const statedBy = ({ request }: Charge) => {
  const declared = declaredIn(request);
  if (declared === null) throw new PrivacyError("NOT_FOUND", { name: "charge" });
  return declared;
};

export const priceOf = ({ charge: { price }, facts: { mu2 } }: ShownCharge): Cost => ({
  ...price,
  mu2: mu2 === null ? null : formatMu2(mu2),
});

const toolText = ({ name, version }: NonNullable<Declared["tool"]>): string => ` with ${name} ${version}`;

/** How its result is cited. */
function citationOf({ charge, facts }: ShownCharge, { nameOf }: Pick<Directory, "nameOf">): string {
  const { purpose, tool } = statedBy(charge);
  const { sha256, address } = facts.evidence ?? {};
  const made = `Made outside${tool === undefined ? "" : toolText(tool)}, charged by ${nameOf(charge.principal)} as ${charge.key} (${charge.id}), line ${charge.entry} of the ledger, ${charge.entryHash}.`;
  const result = sha256 === undefined ? "" : ` SHA-256 of the result: ${sha256}.`;
  return `${visible(purpose)}. ${made}${result}${address === undefined ? "" : ` ${address}`}`;
}

/** A result of a program outside in a list of answers: to be cited. It has no question, so no answer is derived from it. */
export const outsideRow = (shown: ShownCharge, names: Pick<Directory, "nameOf">): MadeOutside => ({
  kind: "outside",
  charge: shown.charge.id,
  label: visible(statedBy(shown.charge).purpose),
  citation: citationOf(shown, names),
  by: names.nameOf(shown.charge.principal),
  at: shown.charge.at,
});

/** `readsReport`: whether it may be shown before it is published. */
export function chargeView(
  shown: ShownCharge,
  { nameOf }: Pick<Directory, "nameOf">,
  readsReport: boolean,
): DeclaredCharge {
  const { charge, facts, from, to } = shown;
  const { events, relation, purpose, rowsPerUnit = null, tool = null, published = null } = statedBy(charge);
  const { evidence, report, attachedAt, publishedAt, redeemed } = facts;
  return {
    id: charge.id,
    ledger: charge.ledger,
    account: charge.account,
    dataset: charge.dataset,
    person: charge.principal,
    personName: nameOf(charge.principal),
    key: charge.key,
    ...{ purpose, tool, relation, rowsPerUnit, published },
    ...present({ from, to }),
    events,
    charged: charge.events,
    price: priceOf(shown),
    entry: { number: charge.entry, hash: charge.entryHash },
    at: charge.at,
    evidence:
      evidence === null || attachedAt === null
        ? null
        : {
            ...present(evidence),
            report: readsReport || publishedAt !== null ? report : null,
            at: attachedAt,
            publishedAt,
          },
    redeemed: redeemed === null ? null : { at: redeemed.at, person: redeemed.by },
    citation: citationOf(shown, { nameOf }),
  };
}

/** How long a job may wait to begin. */
const PERMIT_DAYS = 30;

/** The permit of a charge: the same text for as long as the key of the server is. */
export function permitText(shown: ShownCharge, signer: Signer): string {
  const { charge, facts, from, to } = shown;
  const { events, relation, purpose, rowsPerUnit, tool, published } = statedBy(charge);
  const permit: Permit = {
    charge: charge.id,
    key: charge.key,
    ledger: charge.ledger,
    account: charge.account,
    person: charge.principal,
    dataset: charge.dataset,
    version: facts.version,
    purpose,
    relation,
    ...present({ rowsPerUnit, tool, published, from, to }),
    events,
    price: priceOf(shown),
    entry: { number: charge.entry, hash: charge.entryHash },
    at: charge.at,
    expiresAt: new Date(Date.parse(charge.at) + PERMIT_DAYS * 86_400_000).toISOString(),
  };
  const value = signer.sign(createHash("sha256").update(permitBody(permit)).digest());
  const { algorithm, publicKey } = signer;
  return JSON.stringify({ ...PERMIT, permit, signature: { algorithm, publicKey, value } });
}
