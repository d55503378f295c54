import { isIPv6 } from "node:net";
import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase } from "@dosimeter/ledger";

/** How often something may happen: `burst` at once, then `perMinute`. */
export interface Rate {
  readonly burst: number;
  readonly perMinute: number;
}

/** Per caller; lower for requests that cost much or that try secrets. */
export const usualRates = {
  /** Any request of someone signed in. */
  request: { burst: 600, perMinute: 3000 },
  /** Any request without a sign-in, by network address. */
  anonymous: { burst: 200, perMinute: 1200 },
  /** Quotes: one for each, and one more for each thousand cells. */
  quote: { burst: 600, perMinute: 600 },
  /** Secrets tried: by address, and by the name they are tried for. */
  signIn: { burst: 60, perMinute: 30 },
  password: { burst: 8, perMinute: 4 },
  /** Codes tried as a second factor, by whose they are: who tries has the password already. */
  secondFactor: { burst: 8, perMinute: 0.5 },
  /** What an admin tries out, providers of a sign-in and databases, and databases added: each is asked over the network. */
  test: { burst: 5, perMinute: 2 },
  /** Mail that anyone can cause. */
  mail: { burst: 3, perMinute: 0.2 },
  /** Mail to one address that one admin or provider causes: what anyone causes there does not count. */
  mailBy: { burst: 3, perMinute: 0.2 },
  invite: { burst: 30, perMinute: 2 },
  /** Programs that register, to be let in by a person. */
  register: { burst: 20, perMinute: 10 },
  upload: { burst: 200, perMinute: 30 },
  /** What is typed and not finished, as it is saved: one for each, and one more for each 20,000 characters. */
  typing: { burst: 300, perMinute: 300 },
  /** Charges that were refused: each leaves a line in the audit, which would otherwise grow at will. Releases measured again. */
  refusal: { burst: 60, perMinute: 20 },
  /** Audit lines of sign-ins that were refused: of one address, as one person, and of all that name no person who exists. */
  refusedSignIn: { burst: 20, perMinute: 4 },
  refusedSignInAs: { burst: 20, perMinute: 4 },
  refusedSignIns: { burst: 300, perMinute: 60 },
} as const satisfies Record<string, Rate>;

export type RateName = keyof typeof usualRates;

/** Counted by each process alone: a database write for each request would cost more than the limit saves. */
const ofOneProcess: ReadonlySet<RateName> = new Set([
  "request",
  "anonymous",
  "quote",
  "typing",
  "refusedSignIn",
  "refusedSignInAs",
  "refusedSignIns",
]);

/** Token buckets of this process, and of all processes that share the ledger database. */
export interface Rates {
  /** Takes a token, or as many as `weight` says, at most a burst. RATE_LIMITED, with the seconds to wait, when too few are left. */
  take(name: RateName, key: string, weight?: number): Promise<void>;
  /** Checks this process's bucket without taking a token. */
  check(name: RateName, key: string): void;
}

interface RatesOptions {
  /** Counts the rare requests of all processes; null where there is only one process. */
  readonly shared?: Pick<LedgerDatabase["shared"], "take"> | null;
  /** Milliseconds. */
  readonly now?: () => number;
}

/** The address of callers inside this process, such as the command line. */
export const LOCAL = "local";

/** When there are more buckets than this, the full ones are dropped. */
const MAX_KEYS = 20_000;

export function openRates(
  rates: Readonly<Record<RateName, Rate>> = usualRates,
  { shared = null, now = () => performance.now() }: RatesOptions = {},
): Rates {
  const buckets = new Map<string, { left: number; at: number }>();

  function bucketOf(name: RateName, key: string) {
    const { burst, perMinute } = rates[name];
    const id = `${name} ${key}`;
    const bucket = buckets.get(id) ?? { left: burst, at: now() };
    const at = now();
    const left = Math.min(burst, bucket.left + ((at - bucket.at) / 60_000) * perMinute);
    const fresh = { left, at };
    buckets.set(id, fresh);
    if (buckets.size > MAX_KEYS) forget();
    return fresh;
  }

  function forget(): void {
    for (const [id, { left, at }] of buckets) {
      const { burst, perMinute } = rates[id.slice(0, id.indexOf(" ")) as RateName];
      if (left + ((now() - at) / 60_000) * perMinute >= burst) buckets.delete(id);
    }
  }

  function check(name: RateName, key: string, weight = 1) {
    const bucket = bucketOf(name, key);
    if (bucket.left >= weight) return bucket;
    throw tooMany(Math.ceil(((weight - bucket.left) / rates[name].perMinute) * 60));
  }

  return {
    async take(name, key, weight = 1) {
      if (key === LOCAL) return;
      const tokens = Math.min(weight, rates[name].burst);
      const bucket = check(name, key, tokens);
      bucket.left -= tokens;
      if (shared === null || ofOneProcess.has(name)) return;
      const seconds = await shared.take({ id: `${name} ${key}`, ...rates[name] });
      if (seconds === null) return;
      // Until then `check` refuses in this process, without another database write.
      bucket.left = 1 - (seconds / 60) * rates[name].perMinute;
      throw tooMany(seconds);
    },
    check(name, key) {
      check(name, key);
    },
  };
}

const tooMany = (seconds: number): PrivacyError =>
  new PrivacyError("RATE_LIMITED", { seconds }, `too many requests; try again in ${seconds} s`);

/** The address as one customer has it: of IPv6 the first 64 bits, since a customer is given all addresses that share them. */
export function counted(address: string): string {
  const bare = address.split("%")[0] ?? address;
  if (!isIPv6(bare)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = bare.split("::");
  const groups = (text: string | undefined) => (text === undefined || text === "" ? [] : text.split(":"));
  const [first, last] = [groups(head), groups(tail)];
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  const prefix = [...first, ...zeros, ...last].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/64`;
}
