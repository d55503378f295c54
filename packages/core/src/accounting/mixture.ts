/** ln(1 − rate + rate·e^l): the loss of a mechanism that runs with this probability, to a few roundings at every rate. */
export const mixedLoss = (rate: number, l: number): number => {
  if (l > 700) return l + Math.log(rate);
  // 1 − rate is exact for a rate of a half and more, and is all that is left of the sum where l is far below 0.
  return l < -0.5 && rate > 0.5 ? Math.log(1 - rate + rate * Math.exp(l)) : Math.log1p(rate * Math.expm1(l));
};

/** The l whose mixed loss this is; −∞ at and below the least one, ln(1 − rate). */
export const unmixedLoss = (rate: number, loss: number): number =>
  loss > FAR
    ? loss - Math.log(rate) + Math.log1p((rate - 1) * Math.exp(-loss))
    : Math.log1p(Math.max(-1, Math.expm1(loss) / rate));

/** Beyond this loss a logarithm costs no digits, and nothing overflows. */
const FAR = 30;

/** ln(rate + (1 − rate)·e^−l): the mixed loss less l. */
export const unmixedShare = (rate: number, l: number): number => {
  if (l < -700) return Math.log1p(-rate) - l;
  return l > 0.5 ? Math.log(rate + (1 - rate) * Math.exp(-l)) : Math.log1p((1 - rate) * Math.expm1(-l));
};
