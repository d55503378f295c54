import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { isOver, OPEN } from "../guarantee/request-limits.ts";
import type { RequestId } from "../values/id.ts";
import { expiry, requestRow, writeStep } from "./request.ts";

/** Ends every request past its date by the store's clock and notifies the requester; running it twice changes nothing more. */
export async function expireRequests(context: Context): Promise<readonly RequestId[]> {
  const due = await context.store.read
    .selectFrom("request")
    .select("id")
    .where("status", "in", OPEN)
    .where("expires_at", "<=", context.store.now())
    .orderBy("expires_at")
    .execute();
  const ended: RequestId[] = [];
  for (const { id } of due) {
    await change(context, async (tx, chain) => {
      const row = await requestRow(tx, id);
      if (!isOver(row, context.store.now())) return;
      await writeStep(context, { tx, chain }, expiry(row));
      ended.push(id);
    });
  }
  return ended;
}
