/**
 * The owner of a lease that never ends: a lost state of the database may have given the charge's answer, and a second measurement would
 * be a second answer that nothing counts. Stored: an older program that shares the database leaves such a charge alone too.
 */
export const LOST = "lost";
export const FOREVER = "9999-12-31T23:59:59.999Z";
