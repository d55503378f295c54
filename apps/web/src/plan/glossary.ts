/** The cards that explain the words of the page, each with a worked number. */
interface Term {
  readonly title: string;
  readonly what: string;
  readonly formula: string;
  readonly worked: string;
}

export const glossary = {
  epsilon: {
    title: "ε, the privacy budget",
    what: "How much everything released may say about any one person. Small is private, large is accurate.",
    formula: "chance after ≤ p·e^ε ÷ (p·e^ε + 1 − p)",
    worked: "ε = 1: a suspicion of 10 in 100 becomes at most 24 in 100. ε = 0.2: at most 12 in 100.",
  },
  delta: {
    title: "δ, the chance of failure",
    what: "What an event may be more likely by, on top of e^ε times: at worst, the chance that everything is revealed. It must stay well below one over the number of people.",
    formula: "δ < 1/n",
    worked: "1,000 people: δ = 0.000001 is fine; δ = 0.001 would allow publishing one person whole, and is refused.",
  },
  definition: {
    title: "(ε, δ)-differential privacy",
    what: "For all tables S and S′ that differ in one person, and every event E of what is published. As a trade-off function: the smallest type II error β at each type I error α. δ = 0 is pure ε-differential privacy: there is no fixed disclosure risk.",
    formula: "P(M(S) ∈ E) ≤ e^ε·P(M(S′) ∈ E) + δ; f(α) = max{0, 1 − δ − e^ε·α, e^−ε(1 − δ − α)}",
    worked:
      "ε = 1, δ = 0: at α = 0.05 an attacker misses at least 86.4 in 100. δ = 0.01: one in 100 is found without any false accusation.",
  },
  share: {
    title: "Share of ε",
    what: "What a statistic takes of the budget. A bigger share makes a smaller error.",
    formula: "error of a mean = range × ln 20 ÷ (n × ε), at 95 %",
    worked: "Age 0 to 100 of 1,000 people with ε 0.2: ±1.5 years; with ε 0.4: ±0.75 years.",
  },
  error: {
    title: "Error ±",
    what: "How far noise alone may move the answer, with the stated confidence. Type the error you want, and its price is found. Where the number of people is public, an answer can be cut to it: no error of a count is above it.",
    formula: "95 of 100 answers fall within ±",
    worked: "A count of 1,000 with ±15: between 985 and 1,015 in 95 of 100 releases.",
  },
  target: {
    title: "Target ±",
    what: "The error that would be good enough. It changes nothing by itself; it grades the row and can guide the sharing.",
    formula: "grade = error ÷ target",
    worked: "Target 20, error 60: three times over. The smallest ε for all targets is shown below the table.",
  },
  hold: {
    title: "Hold",
    what: "Keeps a row as it is when others change: its share of ε, or its error. What you type stays until room is needed; a hold stays always.",
    formula: "free → share held → error held → free",
    worked: "Hold the error of age at ±0.5; widen its bounds, and its share grows so that ±0.5 remains.",
  },
  fitness: {
    title: "Fitness",
    what: "Whether the answer would be of use, before anything is paid: against your target, or against the answer itself where an earlier one tells it, else a twentieth of the declared range or the average group. What tighter bounds change counts too: while that is not known, nothing is called good.",
    formula: "good ≤ 10 %, fair ≤ 35 %, poor < 100 %, useless ≥ 100 % of the reference",
    worked: "Quantiles off by 467 of 1,000 ranks say nothing: coarser steps or a bigger share help.",
  },
  type: {
    title: "Type",
    what: "What values a variable has. The statistics that can read it follow. On a plan without a budget it can be changed: a row that no longer fits keeps its settings, and is back when the type is.",
    formula: "mean, sum, quantiles: numbers; histogram: numbers or listed values; count: any",
    worked: "Education 1 to 16 as an integer has a mean; as a category it has 16 bars and groups.",
  },
  bounds: {
    title: "Lower and upper bound",
    what: "Values outside are counted as the nearer bound. Choose them from what is known about the world, never from the data.",
    formula: "error grows with upper − lower",
    worked: "Income to 500,000 instead of 100,000: five times the error; to 100,000 the few above are cut off.",
  },
  granularity: {
    title: "Granularity",
    what: "The step values are rounded to before they are used. Quantiles choose among the steps: fewer steps, smaller error.",
    formula: "steps = (upper − lower) ÷ granularity + 1",
    worked: "Age 0 to 100 by 1: 101 values to choose from; by 5: 21.",
  },
  bins: {
    title: "Number of bins",
    what: "The bars of a histogram. Every bar gets the same noise, empty ones too.",
    formula: "error of one bar = ln 20 × 2 ÷ ε, where one person may be exchanged for another",
    worked: "ε 0.2: each bar ±30, whether it holds 10 people or 10,000.",
  },
  confidence: {
    title: "Confidence",
    what: "How often the stated errors hold: 1 − β, and β is the chance of a larger error. It changes what is said, not what is released.",
    formula: "error at 90 % = 0.77 × error at 95 %, for Laplace noise",
    worked: "±30 with 95 % is ±23 with 90 % and ±46 with 99 %.",
  },
  reserve: {
    title: "Reserve",
    what: "A part of the budget that this plan leaves alone, for later questions.",
    formula: "to divide = ε × (1 − reserve)",
    worked: "ε 1 with 25 % in reserve: 0.75 for this plan.",
  },
  accountant: {
    title: "How spending adds up",
    what: "Several ways to bound what many answers say together. All are right; the one with the least error is shown first.",
    formula: "addition: ε₁ + ε₂ + …; the others grow more slowly for many rows",
    worked: "ε 1 over 50 counts: ±150 each by addition, ±59 with Gaussian noise.",
  },
  sample: {
    title: "Secrecy of the sample",
    what: "If the table is a random sample and who is in it is secret, more may be spent for the same promise about the population.",
    formula: "functioning ε = ln(1 + (e^ε − 1) × N ÷ n)",
    worked: "1,000 of 10,000 people, ε 1: functioning ε 2.9. If it is not secret, 2.9 is the real promise.",
  },
} as const satisfies Record<string, Term>;

export type TermName = keyof typeof glossary;
