/** Plain JSON, stored and returned but never interpreted here. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
