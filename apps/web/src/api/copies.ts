import { isRecord } from "@dosimeter/core/internal";

/** What was typed and is not at the server, in this browser: it goes once it was sent, and when its person signs out. */
export interface Copy {
  /** null: it was cleared. */
  readonly form: unknown;
  /** When the server last changed what it is a change of; null where it has none. */
  readonly seen: string | null;
  readonly name: string;
  /** Where it was typed. */
  readonly path: string;
  readonly at: string;
  /** What goes with the form and is not typed. */
  readonly beside?: unknown;
}

/** Whose it is, and of what. */
export interface CopyOf {
  readonly person: string;
  readonly of: string;
}

const PREFIX = "dosimeter/typed/";
const keyOf = ({ person, of }: CopyOf): string => `${PREFIX}${person}/${of}`;

/** Null too where the browser keeps nothing, or refuses to. */
export function withStorage<T>(act: (storage: Storage) => T, of: () => Storage = () => localStorage): T | null {
  try {
    return act(of());
  } catch {
    return null;
  }
}

/** What this tab keeps, and no other. */
export const withTab = <T>(act: (storage: Storage) => T): T | null => withStorage(act, () => sessionStorage);

function readCopy(text: string | null): Copy | null {
  const json: unknown = text === null ? null : JSON.parse(text);
  return isRecord(json) && typeof json.path === "string" ? (json as unknown as Copy) : null;
}

export const copyOf = (of: CopyOf): Copy | null => withStorage((storage) => readCopy(storage.getItem(keyOf(of))));

/** Gives the text as it is kept, by which it is dropped. */
export function keepCopy(of: CopyOf, copy: Pick<Copy, "form" | "seen" | "name" | "beside">): string {
  const { pathname, search } = location;
  const text = JSON.stringify({ ...copy, path: pathname + search, at: new Date().toISOString() } satisfies Copy);
  withStorage((storage) => storage.setItem(keyOf(of), text));
  return text;
}

/** With a text: unless something else was kept since, as by another tab. */
export function dropCopy(of: CopyOf, text?: string): void {
  withStorage((storage) => {
    if (text === undefined || storage.getItem(keyOf(of)) === text) storage.removeItem(keyOf(of));
  });
}

/** All of a person, newest first. */
export function copiesOf(person: string): readonly (Copy & CopyOf)[] {
  const start = keyOf({ person, of: "" });
  const all = withStorage((storage) =>
    Object.keys(storage).flatMap((key) => {
      const copy = key.startsWith(start) ? readCopy(storage.getItem(key)) : null;
      return copy === null ? [] : [{ ...copy, person, of: key.slice(start.length) }];
    }),
  );
  return (all ?? []).sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** What open pages have typed and not sent yet: a person who leaves sends it first. */
const unsent = new Set<() => Promise<void>>();

export function untilSent(send: () => Promise<void>): () => void {
  unsent.add(send);
  return () => void unsent.delete(send);
}

export const sendAll = (): Promise<unknown> => Promise.allSettled([...unsent].map((send) => send()));
