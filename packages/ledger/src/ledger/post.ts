import { admit, formatDelta, formatEpsilon, PrivacyError } from "@dosimeter/core";
import { type Chain, openChain } from "../audit/chain.ts";
import type { Context } from "../context.ts";
import { grouped } from "../group.ts";
import { newChargeId } from "../id.ts";
import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";
import { type ChargeOutcome, type CheckedRequest, leaseUntil, toCharge } from "./charge.ts";
import { checkPolicy, type Desk, type Fixed, openDesk } from "./desk.ts";
import { appendEntry } from "./entry.ts";
import { nodeOf, standingOf, stateColumns } from "./node.ts";
import { refusalOf } from "./refusal.ts";

const BY_KEY = "SELECT * FROM charge WHERE principal_id = ? AND key = ?";
const ENTRY = "SELECT number, hash, lane, events FROM entry WHERE seq = ?";
const LEASE = "INSERT INTO lease (entry_seq, status, owner, until_at, tries) VALUES (?, ?, ?, ?, ?)";

/** Charges, each decided after all before it in one serialisable transaction; those asked together share one commit. */
export function poster(context: Context): (request: CheckedRequest) => Promise<ChargeOutcome> {
  const { store, step } = context;
  const fixed: Fixed = new Map();
  return grouped({
    store,
    most: context.commitGroup,
    open: async (tx) => {
      const desk = await openDesk(context, tx, fixed);
      const chain = await openChain(context, tx);
      return {
        one: async (request: CheckedRequest) => {
          step("charge.begin");
          try {
            const before = await repeated(tx, request);
            if (before !== undefined) return before;
            const outcome = await post(context, { tx, desk, chain }, request);
            step("charge.written");
            return outcome;
          } catch (error) {
            if (error instanceof PrivacyError) await noteRefusal(chain, request, error);
            throw error;
          }
        },
        settle: async () => {
          await desk.settle();
          step("charge.settled");
        },
      };
    },
    committed: () => step("charge.committed"),
  });
}

async function repeated(tx: Tx, { principal, key, requestHash }: CheckedRequest): Promise<ChargeOutcome | undefined> {
  const row = (await tx.get(BY_KEY, [principal, key])) as Tables["charge"] | undefined;
  if (row === undefined) return undefined;
  if (row.request_hash !== requestHash) {
    throw new PrivacyError("IDEMPOTENCY_CONFLICT", {
      name: "key",
      got: key,
      want: "a key not used for another request",
    });
  }
  const entry = (await tx.get(ENTRY, [row.entry_seq])) as Tables["entry"];
  return { charge: toCharge(row, entry), repeated: true };
}

interface Posting {
  readonly tx: Tx;
  readonly desk: Desk;
  readonly chain: Chain;
}

async function post(context: Context, { tx, desk, chain }: Posting, request: CheckedRequest): Promise<ChargeOutcome> {
  const { store, step } = context;
  const { ledger, path, adjacency } = await checkPolicy(desk, request);
  const nodes = [ledger, ...path];
  const decision = admit(standingOf(ledger, adjacency), nodes.map(nodeOf), request.events);
  step("charge.decided");
  if (!decision.admitted) throw refusalOf(ledger, nodes, decision);
  const [ledgerState, ...accountStates] = decision.states;
  if (ledgerState === undefined) throw new PrivacyError("INTERNAL");

  const at = store.now();
  const seq = desk.nextSeq();
  const charge: Tables["charge"] = {
    id: newChargeId(seq),
    entry_seq: seq,
    ledger_id: ledger.id,
    account_id: request.account,
    principal_id: request.principal,
    dataset_id: request.dataset,
    key: request.key,
    request_hash: request.requestHash,
    request: request.requestText,
    status: "charged",
    lease_owner: request.lease.owner,
    lease_until: leaseUntil(at, request.lease),
    tries: 1n,
    at,
  };
  const { epsilon, delta } = decision.price;
  const entry = await appendEntry(context, tx, {
    seq,
    ledger_id: ledger.id,
    number: ledger.entries + 1n,
    kind: "charge",
    charge_id: charge.id,
    account_id: charge.account_id,
    principal_id: charge.principal_id,
    dataset_id: charge.dataset_id,
    lane: decision.lane,
    events: request.eventsText,
    price_epsilon: epsilon,
    price_delta: delta,
    residue_before: ledger.state_residue,
    residue_after: ledgerState.residue,
    key: charge.key,
    request: charge.request,
    request_hash: charge.request_hash,
    at,
    prev_hash: ledger.head_hash,
  });
  step("charge.entry");
  await tx.run(LEASE, [seq, charge.status, charge.lease_owner, charge.lease_until, charge.tries]);
  await chain.append({
    actor: request.principal,
    action: "charge.create",
    subject: charge.id,
    ledger: ledger.id,
    detail: {
      entry: Number(entry.number),
      entryHash: entry.hash,
      account: charge.account_id,
      epsilon: epsilon === null ? null : formatEpsilon(epsilon),
      delta: formatDelta(delta),
      ...(decision.switched ? { switched: decision.lane } : {}),
    },
  });
  desk.putLedger({
    ...ledger,
    ...stateColumns(ledgerState),
    lane: decision.lane,
    entries: entry.number,
    head_hash: entry.hash,
  });
  path.forEach((account, index) => {
    const state = accountStates[index];
    if (state !== undefined) desk.putAccount({ ...account, ...stateColumns(state) });
  });
  return { charge: toCharge(charge, entry, request), repeated: false };
}

/** The only trace of a charge that was refused. */
async function noteRefusal(chain: Chain, request: CheckedRequest, { code, details }: PrivacyError): Promise<void> {
  await chain.append({
    actor: request.principal,
    action: "charge.refuse",
    subject: request.account.slice(0, 100),
    detail: { code, refusals: details.refusals ?? [], dataset: request.dataset.slice(0, 100) },
  });
}
