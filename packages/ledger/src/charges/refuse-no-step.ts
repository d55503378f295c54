import { type BlockStates, invalid, PrivacyError } from "@dosimeter/core";
import { blocksOfEntry } from "../blocks/runs.ts";
import { type CheckedRequest, chargeWithEntry } from "../release/charge.ts";
import { isWrittenOffSince } from "../restore/written-off-since.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { entryOf } from "../values/id.ts";
import { blocksOfTerms } from "../values/terms.ts";
import { horizonIn, readIn, readsWhatItPays, type StepFacts, stepsBefore, whyNoStep } from "./continual.ts";

interface On {
  readonly ledger: Tables["ledger"];
  readonly runs: (node: string) => BlockStates;
}

/**
 * Refuses a charge that reads other blocks than it pays for [M160], and a step of a running total unless all blocks that it reads are paid for:
 * by it the newest, the others by the steps that it names, whose answers are there, and no step was charged for its block before. [M209]
 */
export async function refuseNoStep(tx: Tx, { ledger, runs }: On, request: CheckedRequest): Promise<void> {
  const { account, dataset, events, window = [], schedule } = request;
  const blocks = blocksOfTerms(ledger.terms);
  const before = stepsBefore(request.request);
  if (before === null) {
    if (blocks !== null && !readsWhatItPays(request.request, window, blocks.every))
      invalid("request.window", readIn(request.request), "the blocks that the charge pays for");
    return;
  }
  if (blocks === null || blocks.protects !== undefined || schedule === undefined)
    return invalid(
      "plan.horizon",
      horizonIn((request.request as { readonly plan?: unknown }).plan),
      "absent: only a scheduled report goes on, on a ledger whose blocks are periods",
    );
  const steps: StepFacts[] = [];
  for (const id of before) steps.push(await factsOf(tx, id));
  const problem = whyNoStep(
    { account, dataset, request: request.request, events, blocks: window },
    steps,
    blocks.every,
  );
  if (problem !== null) throw new PrivacyError("CONFLICT", { name: "schedule" }, `the report ${problem}`);
  const [first] = before;
  if (first !== undefined && (await isWrittenOffSince(tx, ledger.id, first)))
    throw new PrivacyError(
      "CONFLICT",
      { name: "schedule" },
      "the ledger was reopened with a write-off since the first report, so that later ones may have been released before: end it, and begin another",
    );
  const isRepeated = runs(account).some(({ from, to }) => window.some((one) => from <= one.to && one.from <= to));
  if (isRepeated)
    throw new PrivacyError("CONFLICT", { name: "schedule" }, "the report of this block was charged before");
}

async function factsOf({ db }: Tx, id: string): Promise<StepFacts> {
  const { account, dataset, request, events, status } = await chargeWithEntry(db, id);
  if (status !== "released")
    throw new PrivacyError("CONFLICT", { name: "schedule" }, "a report before this one has no answers yet");
  const blocks = await blocksOfEntry({ db }, entryOf(id) ?? 0n);
  return { account, dataset, request, events, blocks };
}
