import { type Books, type ChargeId, CLAIM_SECONDS } from "@dosimeter/ledger";

const FIRST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 250;

/** Resolves when a charge of another request, perhaps of another process, is answered, or nobody waits for it any more. */
export async function answeredBy(id: ChargeId, { releases }: Books): Promise<void> {
  const started = performance.now();
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(LONGEST_LOOK_MS, 2 * wait)) {
    const { status } = await releases.charge(id);
    if (status === "released" || performance.now() - started > CLAIM_SECONDS * 1000) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
