/** Plain JSON: stored and given back, never interpreted here. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
