import { type DeltaAmount, deltaAmount, formatEpsilon, invalid, PrivacyError } from "@dosimeter/core";
import type { DatasetId, Json, NewRequest, PreApproval, Request, RequestId } from "@dosimeter/ledger";
import { holds } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import { askedEpsilon } from "../http/amount.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { pageOf } from "../http/page.ts";
import { type Directory, directory } from "../view/directory.ts";
import { requestView } from "../view/request.ts";

export const requests = {
  async listRequests({ deps, caller, input }) {
    const { items, next } = pageOf(await boxed(input.box, caller, deps), input);
    const names = await directory(deps.database);
    return { items: await Promise.all(items.map((item) => requestView(item, caller, names, deps))), next };
  },
  async createRequest({ deps, caller, input }) {
    const { epsilon, delta, note = "", plan, supersede, days } = input;
    const made = await deps.database.requests.make({
      by: caller.principal.id,
      dataset: await datasetOf(input.dataset, deps),
      target: await targetOf(input, caller, deps),
      epsilon: askedEpsilon(epsilon),
      delta: deltaOf(delta),
      note,
      plan: plan as Json | undefined,
      supersede,
      days,
    });
    return changed(made, caller, deps);
  },
  async showRequest({ deps, caller, input }) {
    return requestView(
      await deps.database.requests.request(input.request),
      caller,
      await directory(deps.database),
      deps,
    );
  },
  async approveRequest({ deps, caller, input }) {
    const { epsilon, delta, note } = input;
    const approved = await deps.database.requests.approve({
      ...answering(input, caller),
      epsilon: epsilon === undefined ? undefined : askedEpsilon(epsilon),
      delta: deltaOf(delta),
      note,
    });
    return changed(approved, caller, deps);
  },
  rejectRequest: noted("reject"),
  async offerRequest({ deps, caller, input }) {
    const { epsilon, delta, note } = input;
    const offered = await deps.database.requests.counter({
      ...answering(input, caller),
      epsilon: askedEpsilon(epsilon),
      delta: deltaOf(delta),
      note,
    });
    return changed(offered, caller, deps);
  },
  acceptOffer: plain("accept"),
  declineOffer: plain("decline"),
  withdrawRequest: plain("withdraw"),
  askRequest: noted("ask"),
  answerRequest: noted("answer"),
  async escalateRequest({ deps, caller, input }) {
    const { epsilon, note } = input;
    const escalated = await deps.database.requests.escalate({
      ...answering(input, caller),
      epsilon: epsilon === undefined ? undefined : askedEpsilon(epsilon),
      note,
    });
    return changed(escalated, caller, deps);
  },
  async listStandingApprovals({ deps, caller, input }) {
    const names = await directory(deps.database);
    const visible: PreApproval[] = [];
    for (const one of await deps.database.requests.preApprovals(input.ledger))
      if (await holds("approvalReader", caller, { approval: one.id }, deps)) visible.push(one);
    const { items, next } = pageOf(visible, input);
    return { items: items.map((one) => preApprovalView(one, names)), next };
  },
  async createStandingApproval({ deps, caller, input }) {
    const made = await deps.database.requests.createPreApproval({
      by: caller.principal.id,
      ledger: input.ledger,
      parent: input.parent ?? null,
      most: askedEpsilon(input.most, "body.most"),
      room: askedEpsilon(input.room, "body.room"),
    });
    return preApprovalView(made, await directory(deps.database));
  },
  async endStandingApproval({ deps, caller, input }) {
    await deps.database.requests.endPreApproval({ by: caller.principal.id, approval: input.approval });
    return undefined;
  },
} satisfies HandlersOf<"requests">;

const preApprovalView = (
  { id, ledger, parent, most, room, by, createdAt, endedAt }: PreApproval,
  { nameOf }: Directory,
) => ({
  id,
  ledger,
  parent,
  most: formatEpsilon(most),
  room: formatEpsilon(room),
  by: nameOf(by),
  createdAt,
  endedAt,
});

/** A step that only the version of a request has to do with. */
function plain(step: "accept" | "decline" | "withdraw") {
  return async ({ deps, caller, input }: Call<"acceptOffer">) =>
    changed(await deps.database.requests[step](answering(input, caller)), caller, deps);
}

function noted(step: "reject" | "ask" | "answer") {
  return async ({ deps, caller, input }: Call<"rejectRequest">) =>
    changed(await deps.database.requests[step]({ ...answering(input, caller), note: input.note }), caller, deps);
}

const answering = ({ request, version }: { request: RequestId; version: number }, { principal }: Caller) => ({
  by: principal.id,
  request,
  version,
});

const deltaOf = (delta: string | number | undefined): DeltaAmount | undefined =>
  delta === undefined ? undefined : deltaAmount(delta, "down", "body.delta");

async function boxed(box: "received" | "submitted", caller: Caller, deps: Deps): Promise<readonly Request[]> {
  const { requests: operations } = deps.database;
  if (box === "submitted") return operations.requests({ requester: caller.principal.id });
  const { datasetAdminOf, teamAdminOf } = caller.roles;
  if (datasetAdminOf.length + teamAdminOf.length === 0) return [];
  const received: Request[] = [];
  // The payer determines who decides, so one check for each payer is enough.
  const known = new Map<string, Promise<boolean>>();
  for (const request of await operations.requests()) {
    if (request.requester === caller.principal.id && deps.database.selfApproval !== "flag") continue;
    const payer = request.parent ?? request.ledger;
    const decides = known.get(payer) ?? holds("requestDecider", caller, { request: request.id }, deps);
    known.set(payer, decides);
    if (await decides) received.push(request);
  }
  return received;
}

/** A hidden dataset can be requested by its id, which is random, but not by its name, which can be guessed. */
async function datasetOf(id: string, { database }: Deps): Promise<DatasetId> {
  const dataset = await database.catalog.dataset(id).catch((error: unknown) => {
    throw error instanceof PrivacyError && error.code === "NOT_FOUND" ? unseen("dataset", id) : error;
  });
  return dataset.id;
}

async function targetOf(
  { account, team, parent }: Call<"createRequest">["input"],
  caller: Caller,
  deps: Deps,
): Promise<NewRequest["target"]> {
  if (account !== undefined) {
    if (team !== undefined || parent !== undefined)
      invalid("body.account", undefined, "alone, without team and parent");
    if (!(await holds("accountReader", caller, { account }, deps))) throw unseen("account", account);
    return { account };
  }
  if (parent !== undefined && !(await holds("accountReader", caller, { account: parent }, deps)))
    throw unseen("parent", parent);
  const above = parent ?? null;
  if (team === undefined) return { holder: { kind: "principal", id: caller.principal.id }, parent: above };
  if (!(await holds("teamReader", caller, { team }, deps))) throw unseen("team", team);
  return { holder: { kind: "team", id: (await deps.database.people.team(team)).id }, parent: above };
}

async function changed(request: Request, caller: Caller, deps: Deps) {
  deps.sender?.wake();
  return requestView(request, caller, await directory(deps.database), deps);
}

const unseen = (name: string, got: string): PrivacyError =>
  new PrivacyError("NOT_FOUND", { name, got, want: "the id of something you may see" });
