/** What every surface calls the published numbers. */
export const RISK_NAME = "Privacy at risk (published model, Dandekar et al. 2021)";

/** Stands, in full, wherever a number of the published model is shown. */
export const RISK_SENTENCE =
  "Privacy at risk is a probabilistic reading of a mechanism that is still ε0-DP. The release is charged ε0. This figure is a modelling aid; it is not a guarantee, does not compose, does not survive post-processing, and is never used to admit a query.";

/** Stands next to every amount of money. */
export const COST_SENTENCE =
  "The cost function and its amounts are chosen by the operator; they are not an estimate of liability and not legal advice.";
