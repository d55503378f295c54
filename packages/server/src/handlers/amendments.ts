import type { Output } from "@dosimeter/client";
import { deltaAmount, epsilonAmount, formatDelta, formatEpsilon } from "@dosimeter/core";
import type { Amendment } from "@dosimeter/ledger";
import { holds } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { promiseView, quotaView } from "../view/balance.ts";
import { type Directory, directory } from "../view/directory.ts";

export const amendments = {
  async listAmendments({ deps, caller, input }) {
    const { database } = deps;
    const names = await directory(database);
    const { ledger } = input;
    const [items, versions] = await Promise.all([
      database.ledgers.amendments(ledger),
      database.ledgers.versions(ledger),
    ]);
    return {
      items: await Promise.all(items.map((item) => view(item, caller, names, deps))),
      versions: versions.map(({ version, sentence, lifetime, reason, decidedBy, secondedBy, at }) => ({
        version,
        sentence,
        ...quotaView(lifetime),
        reason,
        decidedByName: names.nameOf(decidedBy),
        secondedByName: secondedBy === null ? null : names.nameOf(secondedBy),
        at,
      })),
    };
  },
  async previewAmendment({ deps, caller, input }) {
    const { ledgers } = deps.database;
    const { sentence, isUnconditional, answersSeen, terms } = await ledgers.previewAmendment({
      ledger: input.ledger,
      ...raiseOf(input),
    });
    const others = (await ledgers.peopleWhoMaySecond(input.ledger)).filter((person) => person !== caller.principal.id);
    return {
      sentence,
      isUnconditional,
      answersSeen,
      needsSecond: others.length > 0,
      ...promiseView(terms),
      ceiling: quotaView((await ledgers.ledger(input.ledger)).ceiling),
    };
  },
  async proposeAmendment({ deps, caller, input }) {
    const proposed = await deps.database.ledgers.proposeAmendment({
      by: caller.principal.id,
      ledger: input.ledger,
      ...raiseOf(input),
      reason: input.reason,
    });
    return show(proposed, caller, deps);
  },
  secondAmendment: decided("secondAmendment"),
  rejectAmendment: decided("rejectAmendment"),
  withdrawAmendment: decided("withdrawAmendment"),
} satisfies HandlersOf<"amendments">;

type Decimal = string | number;

/** A cap rounds down. */
const raiseOf = (input: { epsilon: Decimal; delta: Decimal; deltaSelection?: Decimal | undefined }) => ({
  epsilon: epsilonAmount(input.epsilon, "down", "body.epsilon"),
  delta: deltaAmount(input.delta, "down", "body.delta"),
  deltaSelection:
    input.deltaSelection === undefined ? undefined : deltaAmount(input.deltaSelection, "down", "body.deltaSelection"),
});

function decided(step: "secondAmendment" | "rejectAmendment" | "withdrawAmendment") {
  return async ({ deps, caller, input }: Call<typeof step>) => {
    const { amendment, note } = input;
    return show(await deps.database.ledgers[step]({ by: caller.principal.id, amendment, note }), caller, deps);
  };
}

const show = async (amendment: Amendment, caller: Caller, deps: Deps) =>
  view(amendment, caller, await directory(deps.database), deps);

async function view(
  amendment: Amendment,
  caller: Caller,
  { nameOf }: Directory,
  deps: Deps,
): Promise<Output<"proposeAmendment">> {
  const { epsilon, delta, deltaSelection, proposedBy, decidedBy, status } = amendment;
  const isOpen = status === "proposed";
  const isMine = proposedBy === caller.principal.id;
  return {
    ...amendment,
    epsilon: formatEpsilon(epsilon),
    delta: formatDelta(delta),
    deltaSelection: formatDelta(deltaSelection),
    proposedByName: nameOf(proposedBy),
    decidedByName: decidedBy === null ? null : nameOf(decidedBy),
    mine: {
      mayDecide: isOpen && !isMine && (await holds("amendmentDecider", caller, { amendment: amendment.id }, deps)),
      mayWithdraw: isOpen && isMine,
    },
  };
}
