import { epsilonAmount, VERSION } from "@dosimeter/core";
import { WireError } from "./sqlstate.ts";

/** What SET sets in a session, and SHOW shows. */
export interface Variables {
  readonly show: (name: string) => string;
  readonly set: (name: string, value: string | null) => void;
  /** The value of one of ours, or undefined where it is not set. */
  readonly get: (name: Own) => string | undefined;
  readonly reset: () => void;
  /** From now on its limit can only be lowered, and what is for one query can be set. */
  readonly started: () => void;
  /** What was bought for one query is used up, whether it is answered or not. */
  readonly take: () => { readonly epsilon: string | undefined; readonly key: string | undefined };
}

/** ε that a session may spend unless it says less, or said more when it began. */
const SESSION_EPSILON = "1";

const AMOUNT = /^(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?$/i;
const amount = { pattern: AMOUNT, want: "a number, such as 0.1" };

/** Ours: `SET dosimeter.epsilon = 0.1`. */
const own = {
  "dosimeter.epsilon": { ...amount, isOnce: true },
  "dosimeter.key": {
    pattern: /^[\x21-\x7e]{1,200}$/,
    want: "1 to 200 characters of ASCII without spaces",
    isOnce: true,
  },
  "dosimeter.delta": { ...amount, isOnce: false },
  "dosimeter.account": { pattern: /^[^\0]{1,400}$/, want: "the id of an account, or its path", isOnce: false },
  "dosimeter.session_epsilon": { ...amount, isOnce: false },
  "dosimeter.exact": { pattern: /^(?:on|off)$/, want: "on for all digits that were released, or off", isOnce: false },
} as const;
type Own = keyof typeof own;
const isOwn = (name: string): name is Own => Object.hasOwn(own, name);

/** Those that a client expects to be there. They change nothing, but for what must stay as it is. */
const others: Readonly<Record<string, { readonly usual: string; readonly only?: RegExp }>> = {
  application_name: { usual: "" },
  bytea_output: { usual: "hex" },
  client_encoding: { usual: "UTF8", only: /^(?:utf-?8|unicode)$/i },
  client_min_messages: { usual: "notice" },
  datestyle: { usual: "ISO, MDY", only: /^iso\b/i },
  default_transaction_isolation: { usual: "read committed" },
  default_transaction_read_only: { usual: "on" },
  extra_float_digits: { usual: "1" },
  idle_in_transaction_session_timeout: { usual: "0" },
  integer_datetimes: { usual: "on" },
  intervalstyle: { usual: "postgres" },
  is_superuser: { usual: "off" },
  lock_timeout: { usual: "0" },
  row_security: { usual: "on" },
  search_path: { usual: '"$user", public' },
  server_encoding: { usual: "UTF8", only: /^UTF8$/ },
  server_version: { usual: `14.0 (Dosimeter ${VERSION})`, only: /^$/ },
  server_version_num: { usual: "140000", only: /^$/ },
  session_authorization: { usual: "" },
  standard_conforming_strings: { usual: "on", only: /^on$/i },
  statement_timeout: { usual: "0" },
  synchronous_commit: { usual: "on" },
  timezone: { usual: "UTC" },
  transaction_isolation: { usual: "read committed" },
  transaction_read_only: { usual: "on" },
};

/** Those that are sent to a client when it has signed in. */
export const reported = [
  "server_version",
  "server_encoding",
  "client_encoding",
  "application_name",
  "DateStyle",
  "TimeZone",
  "IntervalStyle",
  "integer_datetimes",
  "is_superuser",
  "session_authorization",
  "standard_conforming_strings",
] as const;

export function openVariables(): Variables {
  const values = new Map<string, string>();
  let isStarting = true;
  const usualOf = (name: string): string | undefined => {
    if (name === "dosimeter.session_epsilon") return SESSION_EPSILON;
    return isOwn(name) ? "" : others[name]?.usual;
  };
  const unknown = (name: string): never => {
    throw new WireError(
      { code: "42704", hint: `There are ${Object.keys(own).join(", ")}.` },
      `there is no setting ${JSON.stringify(name.slice(0, 80))}`,
    );
  };
  /** A session that could raise its own limit had none. */
  const refuseRaise = (value: string | null): void => {
    const now = values.get("dosimeter.session_epsilon") ?? SESSION_EPSILON;
    if (isStarting || epsilonAmount(value ?? SESSION_EPSILON, "down") <= epsilonAmount(now, "down")) return;
    throw new WireError(
      { code: "42501", hint: "A new session may begin with more: options='-c dosimeter.session_epsilon=2'." },
      `dosimeter.session_epsilon is ${now} in this session, and can only be lowered`,
    );
  };
  const check = (name: string, value: string): void => {
    const { pattern, want } = isOwn(name) ? own[name] : { pattern: others[name]?.only, want: usualOf(name) };
    if (pattern !== undefined && !pattern.test(value))
      throw new WireError({ code: "22023" }, `${name} is ${JSON.stringify(value.slice(0, 80))}, must be ${want}`);
  };
  return {
    get: (name) => values.get(name),
    show(given) {
      const name = given.toLowerCase();
      return values.get(name) ?? usualOf(name) ?? unknown(given);
    },
    set(given, value) {
      const name = given.toLowerCase();
      if (usualOf(name) === undefined) return unknown(given);
      if (isStarting && isOwn(name) && own[name].isOnce)
        throw new WireError(
          { severity: "FATAL", code: "22023" },
          `${name} is for one query, and cannot be set for a whole session`,
        );
      if (value !== null) check(name, value);
      if (name === "dosimeter.session_epsilon") refuseRaise(value);
      if (value === null) values.delete(name);
      else values.set(name, value);
    },
    reset() {
      // Its limit stays, or it could be raised by forgetting it.
      for (const name of values.keys()) if (name !== "dosimeter.session_epsilon") values.delete(name);
    },
    started() {
      isStarting = false;
    },
    take() {
      const taken = { epsilon: values.get("dosimeter.epsilon"), key: values.get("dosimeter.key") };
      for (const [name, { isOnce }] of Object.entries(own)) if (isOnce) values.delete(name);
      return taken;
    },
  };
}
