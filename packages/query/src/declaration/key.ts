/** A value that a group, a category or a predicate may name. */
export type Key = string | number | boolean;
