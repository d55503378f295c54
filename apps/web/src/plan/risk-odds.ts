/** At most: the chance that someone with this prior gives a true statement about a person, after all that ε allows. */
export const suspicionAfter = (prior: number, epsilon: number): number =>
  prior / (prior + (1 - prior) * Math.exp(-epsilon));

/** At most: how often a guess from everything published, whether a person took part, is right. */
export const guessedRight = (epsilon: number): number => 1 / (1 + Math.exp(-epsilon));
