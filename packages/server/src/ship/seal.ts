import { createHmac, timingSafeEqual } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** The secret of a ledger database that ends each file of its place: age encrypts for a recipient, and proves nothing of who did. [M423] */
export const SHIP_SECRET = "ship";

const TAG = 32;

/** Null in a database that never shipped. */
export function sealIn(database: DatabaseSync): Buffer | null {
  const row = database.prepare("SELECT secret FROM instance_secret WHERE name = ?").get(SHIP_SECRET);
  return row === undefined ? null : Buffer.from(String(row.secret), "base64");
}

const tagOf = (key: Buffer, name: string) => createHmac("sha256", key).update(`${name}\0`);

/** Adds the tag of the name and the bytes. */
export function sealing(key: Buffer, name: string): TransformStream<Uint8Array, Uint8Array> {
  const tag = tagOf(key, name);
  return new TransformStream({
    transform(part, controller) {
      tag.update(part);
      controller.enqueue(part);
    },
    flush: (controller) => controller.enqueue(tag.digest()),
  });
}

/** Takes the tag off; fails at the end where it is another. */
export function unsealing(key: Buffer, name: string): TransformStream<Uint8Array, Uint8Array> {
  const tag = tagOf(key, name);
  let held = Buffer.alloc(0);
  return new TransformStream({
    transform(part, controller) {
      const all = Buffer.concat([held, part]);
      const end = Math.max(0, all.length - TAG);
      held = all.subarray(end);
      if (end === 0) return;
      tag.update(all.subarray(0, end));
      controller.enqueue(all.subarray(0, end));
    },
    flush() {
      if (held.length !== TAG || !timingSafeEqual(held, tag.digest())) throw new Error("another file was shipped");
    },
  });
}
