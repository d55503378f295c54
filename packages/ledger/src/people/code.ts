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
  toCredential,
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
 * The next tokens of a program. `next` is the next refresh token, the same whenever it is asked for: who asks twice at once gets no second line
 * of tokens. Who shows a refresh token that was used a while ago, or that is another program's, has stolen it, or was stolen from: all tokens
 * of that code end. UNAUTHENTICATED for every reason alike.
 */
export function useRefresh(
  context: Context,
  { secret, program, next }: Readonly<Record<"secret" | "program" | "next", string>>,
): Promise<LetIn> {
  return used(context, { secret, purpose: "refresh" }, async (row, writing) => {
    const now = context.store.now();
    const maker = (await makerOf(writing.tx, row.id))?.id ?? "";
    const [, isOf, ...scopes] = JSON.parse(row.scopes) as string[];
    const isOld = row.ended_at !== null && Date.parse(row.ended_at) + AGAIN_MS < Date.parse(now);
    if (isOld || isOf !== program) return endAllOf(context, writing, maker);
    const about = { row, maker, program, expiresAt: row.expires_at, scopes };
    if (row.ended_at === null) {
      if (!live(row, now)) return null;
      await endIn(context, writing, { row, by: row.principal_id as PrincipalId, action: "refresh.use" });
      return letIn(context, writing, about, next);
    }
    const made = await rowWith(writing.tx.db, "credential", { secret_hash: context.store.sha256(next) });
    const isOn = (await madeWith(writing.tx, maker)).some((one) => purposeOf(one) === "refresh" && live(one, now));
    if (made === undefined || !isOn) return null;
    const refresh = { credential: toCredential({ ...made, maker_id: maker }), secret: next };
    return { token: await tokenOf(context, writing, about), refresh };
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
    await endIn(context, writing, { row, by: row.principal_id as PrincipalId });
  return null;
}

interface About extends Pick<NewCode, "expiresAt"> {
  /** Whose secret was shown. */
  readonly row: Row;
  readonly maker: string;
  readonly program: string;
  readonly scopes: readonly string[];
}

async function letIn(context: Context, writing: Writing, about: About, secret?: string): Promise<LetIn> {
  const { program, scopes, expiresAt } = about;
  const kept = [TO_REFRESH, program, ...scopes];
  const next = { ...givenBy(about), kind: "link", scopes: kept, expiresAt, ...(secret && { secret }) } as const;
  return { token: await tokenOf(context, writing, about), refresh: await createCredentialIn(context, writing, next) };
}

function tokenOf(context: Context, writing: Writing, about: About): Promise<MadeCredential> {
  const soon = new Date(Date.parse(context.store.now()) + TOKEN_MS).toISOString();
  const expiresAt = soon < about.expiresAt ? soon : about.expiresAt;
  return createCredentialIn(context, writing, { ...givenBy(about), kind: "token", scopes: about.scopes, expiresAt });
}

function givenBy({ row, maker }: About) {
  const principal = row.principal_id as PrincipalId;
  return { principal, name: row.name, maker, by: principal };
}
