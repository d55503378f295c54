// Plain arithmetic on bigints loses the unit of an amount. These keep it, so ε is never added to δ.

export const plus = <A extends bigint>(a: A, b: A): A => ((a as bigint) + (b as bigint)) as A;
export const minus = <A extends bigint>(a: A, b: A): A => ((a as bigint) - (b as bigint)) as A;
export const least = <A extends bigint>(a: A, b: A): A => (a < b ? a : b);
/** Differences below 0 become 0. */
export const atLeastZero = <A extends bigint>(units: A): A => (units > 0n ? units : (0n as A));
