import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import type { PrincipalId } from "../values/id.ts";
import {
  createCredential,
  createCredentialIn,
  endIn,
  live,
  type MadeCredential,
  madeWith,
  makerOf,
  type NewCredential,
  purposeOf,
  TO_FETCH_TOKEN,
  TO_REFRESH,
  unauthenticated,
} from "./credential.ts";

const CODE_MS = 60_000;
const TOKEN_MS = 3_600_000;
/** A program may lose an answer, or ask twice at once: so long a refresh token works again. */
const AGAIN_MS = 20_000;

/** What a code stands for: tokens of this name and scopes, the last of which ends then. */
interface NewCode extends Omit<NewCredential, "kind" | "address"> {
  /** A hash of what who fetches the token must show. */
  readonly bound: string;
}

/** What a program that is let in gets: a token of an hour, and one with which it fetches the next pair, once. */
interface LetIn {
  readonly token: MadeCredential;
  readonly refresh: MadeCredential;
}

/** A code with which a program fetches its tokens once, within a minute. */
export const createCode = (
  context: Context,
  { bound, scopes = [], expiresAt, ...given }: NewCode,
): Promise<MadeCredential> =>
  createCredential(context, {
    ...given,
    kind: "link",
    scopes: [TO_FETCH_TOKEN, bound, expiresAt, ...scopes],
    expiresAt: new Date(Date.parse(context.store.now()) + CODE_MS).toISOString(),
  });

/**
 * The tokens of a code. The first try uses the code up, right or wrong. Who shows it again, or who did before, has stolen it: all that it gave
 * ends. `program` is a hash of who may refresh them. UNAUTHENTICATED for every reason alike.
 */
export function useCode(
  context: Context,
  { secret, bound, program }: { readonly secret: string; readonly bound: string; readonly program: string },
): Promise<LetIn> {
  return used(context, { secret, purpose: "code" }, async (row, writing) => {
    if (row.ended_at !== null) return endAllOf(context, writing, row.id);
    await endIn(context, writing, { row, by: row.principal_id as PrincipalId, action: "code.use" });
    const [, isBoundTo, expiresAt = "", ...scopes] = JSON.parse(row.scopes) as string[];
    if (isBoundTo !== bound || !live(row, context.store.now())) return null;
    return letIn(context, writing, { row, maker: row.id, program, expiresAt, scopes });
  });
}

/**
 * The next tokens of a program. Who shows a refresh token that was used a while ago, or that is another program's, has stolen it, or was stolen
 * from: all tokens of that code end. UNAUTHENTICATED for every reason alike.
 */
export function useRefresh(
  context: Context,
  { secret, program }: { readonly secret: string; readonly program: string },
): Promise<LetIn> {
  return used(context, { secret, purpose: "refresh" }, async (row, writing) => {
    const now = context.store.now();
    const maker = (await makerOf(writing.tx, row.id))?.id ?? "";
    const [, isOf, ...scopes] = JSON.parse(row.scopes) as string[];
    const isOld = row.ended_at !== null && Date.parse(row.ended_at) + AGAIN_MS < Date.parse(now);
    if (isOld || isOf !== program) return endAllOf(context, writing, maker);
    if (row.ended_at === null) {
      if (!live(row, now)) return null;
      await endIn(context, writing, { row, by: row.principal_id as PrincipalId, action: "refresh.use" });
    } else if (!(await madeWith(writing.tx, maker)).some((one) => purposeOf(one) === "refresh" && live(one, now)))
      return null;
    return letIn(context, writing, { row, maker, program, expiresAt: row.expires_at, scopes });
  });
}

type Row = Tables["credential"];

async function used(
  context: Context,
  { secret, purpose }: { readonly secret: string; readonly purpose: ReturnType<typeof purposeOf> },
  use: (row: Row, writing: Writing) => Promise<LetIn | null>,
): Promise<LetIn> {
  const made = await change(context, async (tx, chain) => {
    const row = await rowWith(tx.db, "credential", { secret_hash: context.store.sha256(secret) });
    return row === undefined || purposeOf(row) !== purpose ? null : use(row, { tx, chain });
  });
  if (made === null) throw unauthenticated();
  return made;
}

async function endAllOf(context: Context, writing: Writing, code: string): Promise<null> {
  for (const row of await madeWith(writing.tx, code))
    if (row.ended_at === null) await endIn(context, writing, { row, by: row.principal_id as PrincipalId });
  return null;
}

async function letIn(
  context: Context,
  writing: Writing,
  {
    row,
    maker,
    program,
    expiresAt,
    scopes,
  }: Pick<NewCode, "expiresAt"> & Record<"maker" | "program", string> & { row: Row; scopes: readonly string[] },
): Promise<LetIn> {
  const principal = row.principal_id as PrincipalId;
  const given = { principal, name: row.name, maker, by: principal };
  const soon = new Date(Date.parse(context.store.now()) + TOKEN_MS).toISOString();
  const ends = soon < expiresAt ? soon : expiresAt;
  const next = { ...given, kind: "link", scopes: [TO_REFRESH, program, ...scopes], expiresAt } as const;
  return {
    token: await createCredentialIn(context, writing, { ...given, kind: "token", scopes, expiresAt: ends }),
    refresh: await createCredentialIn(context, writing, next),
  };
}
