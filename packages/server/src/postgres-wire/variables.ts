import { epsilonAmount } from "@dosimeter/core";
import { WireError } from "./sqlstate.ts";

/** Our own settings of a session: PostgreSQL keeps the others. */
export interface Variables {
  readonly show: (name: Own) => string;
  /** All of ours with their values, and how often they have changed. */
  readonly all: () => readonly (readonly [string, string])[];
  readonly changes: () => number;
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
  "dosimeter.intervals": { pattern: /^(?:on|off)$/, want: "on or off", isOnce: false },
} as const;
type Own = keyof typeof own;
/** Whether a setting is ours, or would be. */
export const isOurs = (name: string): boolean => /^dosimeter\./i.test(name);
const isOwn = (name: string): name is Own => Object.hasOwn(own, name);

/** Settings of PostgreSQL that must stay as they are here. */
const kept: Readonly<Record<string, { readonly pattern: RegExp; readonly want: string }>> = {
  client_encoding: { pattern: /^(?:utf-?8|unicode)$/i, want: "UTF8" },
  standard_conforming_strings: { pattern: /^(?:on|true|yes|1)$/i, want: "on" },
};

/** What a client reads when it has signed in, as the PostgreSQL behind would say it. */
export const reported: Readonly<Record<string, string>> = {
  server_version: "18.7",
  server_encoding: "UTF8",
  client_encoding: "UTF8",
  application_name: "",
  DateStyle: "ISO, MDY",
  TimeZone: "GMT",
  IntervalStyle: "postgres",
  integer_datetimes: "on",
  is_superuser: "off",
  standard_conforming_strings: "on",
  default_transaction_read_only: "on",
  in_hot_standby: "off",
  search_path: "public",
};

export function openVariables(): Variables {
  const values = new Map<string, string>();
  let isStarting = true;
  let changes = 0;
  const usualOf = (name: Own): string =>
    name === "dosimeter.session_epsilon" ? SESSION_EPSILON : name === "dosimeter.intervals" ? "off" : "";
  /** A session that could raise its own limit had none. */
  const refuseRaise = (value: string | null): void => {
    const now = values.get("dosimeter.session_epsilon") ?? SESSION_EPSILON;
    if (isStarting || epsilonAmount(value ?? SESSION_EPSILON, "down") <= epsilonAmount(now, "down")) return;
    throw new WireError(
      { code: "42501", hint: "A new session may begin with more: options='-c dosimeter.session_epsilon=2'." },
      `dosimeter.session_epsilon is ${now} in this session, and can only be lowered`,
    );
  };
  const show = (name: Own): string => values.get(name) ?? usualOf(name);
  return {
    show,
    get: (name) => values.get(name),
    all: () => Object.keys(own).map((name) => [name, show(name as Own)] as const),
    changes: () => changes,
    set(given, value) {
      const name = given.toLowerCase();
      const row = isOwn(name) ? own[name] : kept[name];
      if (row === undefined && !isOurs(name)) return;
      if (row === undefined)
        throw new WireError(
          { code: "42704", hint: `There are ${Object.keys(own).join(", ")}.` },
          `there is no setting ${JSON.stringify(given.slice(0, 80))}`,
        );
      if (isStarting && isOwn(name) && own[name].isOnce)
        throw new WireError(
          { severity: "FATAL", code: "22023" },
          `${name} is for one query, and cannot be set for a whole session`,
        );
      if (value !== null && !row.pattern.test(value))
        throw new WireError({ code: "22023" }, `${name} is ${JSON.stringify(value.slice(0, 80))}, must be ${row.want}`);
      if (!isOwn(name)) return;
      if (name === "dosimeter.session_epsilon") refuseRaise(value);
      changes += 1;
      if (value === null) values.delete(name);
      else values.set(name, value);
    },
    reset() {
      changes += 1;
      // Its limit stays, or it could be raised by forgetting it.
      for (const name of values.keys()) if (name !== "dosimeter.session_epsilon") values.delete(name);
    },
    started() {
      isStarting = false;
    },
    take() {
      changes += 1;
      const taken = { epsilon: values.get("dosimeter.epsilon"), key: values.get("dosimeter.key") };
      for (const [name, { isOnce }] of Object.entries(own)) if (isOnce) values.delete(name);
      return taken;
    },
  };
}
