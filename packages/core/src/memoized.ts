interface Kept<K, V> {
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): unknown;
}

/** `find`, which is asked once for each key. What it gave is in `kept`: a WeakMap lets it go with its key. */
export function memoized<K, V>(find: (key: K) => V, kept: Kept<K, V> = new Map<K, V>()): (key: K) => V {
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined || kept.has(key)) return known as V;
    const value = find(key);
    kept.set(key, value);
    return value;
  };
}
