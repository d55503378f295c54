import type { Plan, Request as RequestView } from "@dosimeter/client";
import type { Request } from "@dosimeter/ledger";
import { type Actor, type Facts, holds } from "../access/authority.ts";
import { quotaView } from "./balance.ts";
import { type Directory, holderView } from "./directory.ts";

/** Not decided, withdrawn or expired. */
const OPEN = ["submitted", "counterOffered", "infoRequested", "escalated"];

/** Those that wait for the one who decides, and not for the one who asked. */
const DECIDABLE = ["submitted", "escalated", "infoRequested"];

/** One request as this actor sees it: names instead of ids alone, and what they may do with it. */
export async function requestView(
  request: Request,
  actor: Actor,
  names: Directory,
  facts: Facts,
): Promise<RequestView> {
  const { database } = facts;
  const named = (id: string) => ({ id, name: names.nameOf(id) });
  const isMine = request.requester === actor.principal.id;
  const isOpen = OPEN.includes(request.status);
  const decides = DECIDABLE.includes(request.status) && (!isMine || database.selfApproval === "flag");
  /** Only someone who may ask for the paying team passes a request on; the dataset's admin has no one above. */
  const leads = async () => {
    const above = request.parent === null ? null : (await database.ledgers.account(request.parent)).holder;
    return above?.kind === "team" && actor.roles.teamAdminOf.includes(above.id);
  };
  const payer = request.parent === null ? null : (await database.ledgers.account(request.parent)).holder.id;
  const mayDecide = decides && (await holds("requestDecider", actor, { request: request.id }, facts));
  const { decider, decisionNote, selfDecided, ...said } = request;
  return {
    ...said,
    dataset: named(request.dataset),
    holder: { ...holderView(request.holder, names), kind: request.holder.kind === "team" ? "team" : "person" },
    from: names.nameOf(payer ?? request.dataset),
    requester: named(request.requester),
    asked: quotaView(request.asked),
    plan: request.plan as Plan | null,
    offered: request.offered === null ? null : quotaView(request.offered),
    granted: request.granted === null ? null : quotaView(request.granted),
    decision: decider === null ? null : { by: named(decider), note: decisionNote, self: selfDecided },
    mine: {
      mayDecide,
      mayEscalate: mayDecide && request.status === "submitted" && request.parent !== null && (await leads()),
      mayAnswer: isOpen && isMine,
    },
  };
}
