import { type DpEvent, invalid } from "@dosimeter/core";
import {
  type AgentSpend,
  accountants,
  agentReport,
  amplifyBySampling,
  type CalibrationTarget,
  calibrate,
  functioningLoss,
  groupPrivacy,
  howManyMore,
  type Method,
  odometerEpsilon,
  planPrice,
  type Question,
  readSpends,
  type TotalLoss,
  tightestLoss,
  totalLoss,
} from "@dosimeter/core/accounting";
import { type CalcFunction, calcFunction, optional, required } from "./function.ts";
import { array, decimal, epsilonNumber, event, events, number, oneOf, parsed, recordAt } from "./readers.ts";

const methods: readonly Method[] = accountants.map(({ method }) => method);
const method = oneOf(methods);
const delta = number({ min: 0, below: 1 });
const adjacency = optional(
  oneOf(["addRemove", "replace"]),
  "the neighbour relation, checked against the events; without it a list that could be of either is totalled for replace",
);
const list = required(events, "the fixed list that is totalled");
const question = {
  delta: optional(delta, "asks for the epsilon at this delta"),
  epsilon: optional(epsilonNumber, "asks for the delta at this epsilon"),
};

/** `total.*`, `calibrate`, `sample.*`, `group`, `plan.price`: composition and its inverse. */
export const accountingFunctions: readonly CalcFunction[] = [
  calcFunction(
    "total.loss",
    "the total of a fixed list by one method: an upper bound that names what it assumes",
    { events: list, ...question, method: required(method, "how it is totalled"), adjacency },
    (args, work) => {
      const asked = questionOf(args);
      const found = totalLoss(args.events, asked, args.method, { ...options(args.adjacency), work });
      return args.method === "basic" ? withSums(args.events, found) : found;
    },
  ),
  calcFunction(
    "total.best",
    "the least valid total of a fixed list, with its method, and all the others",
    { events: list, ...question, adjacency },
    (args, work) => tightestLoss(args.events, questionOf(args), { ...options(args.adjacency), work }),
  ),
  calcFunction(
    "total.curve",
    "totals at many deltas, or at many epsilons, by one method",
    {
      events: list,
      deltas: optional(array(delta), "asks for the epsilon at each"),
      epsilons: optional(array(epsilonNumber), "asks for the delta at each"),
      method: required(method, "how it is totalled"),
      adjacency,
    },
    (args, work) => {
      const asked: readonly Question[] = [
        ...(args.deltas ?? []).map((x) => ({ delta: x })),
        ...(args.epsilons ?? []).map((x) => ({ epsilon: x })),
      ];
      return asked.map((x) => {
        const {
          epsilon,
          delta: at,
          lower,
        } = totalLoss(args.events, x, args.method, { ...options(args.adjacency), work });
        return { epsilon, delta: at, ...(lower === undefined ? {} : { lower }) };
      });
    },
  ),
  calcFunction(
    "total.agent",
    "what AGENT's accountant reports, to the letter, with where it is wrong and by how much",
    {
      spends: required(
        array(parsed("[epsilon, delta, count?] or {epsilon, delta, count?, gaussian?, rho?} or {rho, count?}", spend)),
        "one row for each query",
      ),
      budget: required(
        parsed("[epsilon, delta] or {epsilon?, delta}", budget),
        "the lifetime budget; its delta is the slack",
      ),
      threshold: optional(
        number({ min: 0, infinite: true }),
        "epsilon above which basic composition is used; 1 where left out",
      ),
    },
    ({ spends, budget: limit, threshold }) => agentReport(spends, limit, threshold),
  ),
  calcFunction(
    "total.odometer",
    "an epsilon at delta that holds however the queries were chosen after earlier answers",
    { events: list, delta: required(delta, "probability that it may fail"), adjacency },
    (args, work) => ({
      epsilon: odometerEpsilon(readSpends(args.events, args.adjacency, "events", work), args.delta),
      delta: args.delta,
    }),
  ),
  calcFunction(
    "total.count",
    "how many more of one event a report at (epsilon, delta) has room for",
    {
      event: required(event, "the event that is repeated"),
      events: optional(events, "what is on the list already"),
      epsilon: required(epsilonNumber, "largest total"),
      delta: required(delta, "at this delta"),
      method: required(method, "how it is totalled"),
      adjacency,
    },
    (args, work) => ({ count: howManyMore(args.events ?? [], args.event, { ...args, work }) }),
  ),
  calcFunction(
    "calibrate",
    "the least noise, or the largest loss, of a mechanism that meets a target; holds at exactly the double returned",
    {
      mechanism: required(
        parsed("an event whose one leaf lacks its noise, or {kind, count?, rate?, sensitivity?}", template),
        "what is run",
      ),
      target: required(
        parsed("{epsilon, delta} | {rho} | {mu} | {advantage} | {truePositiveRate, falsePositiveRate}", target),
        "what all of it may lose",
      ),
    },
    ({ mechanism, target: limit }, work) => {
      const found = calibrate(mechanism.event, limit, work);
      return {
        ...found,
        [found.parameter]: found.value,
        ...scaled(found.parameter, found.value, mechanism.sensitivity),
      };
    },
  ),
  calcFunction(
    "sample.functioning",
    "what answers from a secret sample may spend so that the population is promised (epsilon, delta)",
    sample("promised to the population"),
    (args) =>
      functioningLoss({ epsilon: args.epsilon, delta: args.delta ?? 0 }, { size: args.n, population: args.population }),
  ),
  calcFunction(
    "sample.amplified",
    "what answers of (epsilon, delta) from a secret sample promise to the population",
    sample("spent on the sample"),
    (args) =>
      amplifyBySampling(
        { epsilon: args.epsilon, delta: args.delta ?? 0 },
        { size: args.n, population: args.population },
      ),
  ),
  calcFunction(
    "group",
    "the loss against several people at once",
    {
      epsilon: required(epsilonNumber, "against one"),
      delta: optional(number({ min: 0, max: 1 }), "against one; 0 where left out"),
      size: required(number({ min: 1, integer: true }), "how many people"),
    },
    ({ epsilon, delta: one, size }) => groupPrivacy({ epsilon, delta: one ?? 0 }, size),
  ),
  calcFunction(
    "plan.price",
    "what a plan fixed in advance costs a tight ledger: mu squared from what remains of it, and eta of delta",
    {
      events: required(events, "the plan"),
      mu2: required(number({ min: 0 }), "mu squared that is left"),
      eta: required(number({ min: 0, below: 1 }), "delta that the price may use"),
      adjacency,
    },
    ({ events: plan, mu2, eta, adjacency: kind }, work) => planPrice(plan, { mu2, eta, ...options(kind), work }),
  ),
];

function sample(what: string) {
  return {
    epsilon: required(epsilonNumber, what),
    delta: optional(number({ min: 0, max: 1 }), `${what}; 0 where left out`),
    n: required(number({ min: 1, integer: true }), "people in the sample"),
    population: required(number({ min: 1, integer: true }), "people the sample was drawn from"),
  };
}

const options = (kind: "addRemove" | "replace" | undefined) => (kind === undefined ? {} : { adjacency: kind });

function questionOf(args: { readonly delta: number | undefined; readonly epsilon: number | undefined }): Question {
  if ((args.delta === undefined) === (args.epsilon === undefined)) {
    invalid("delta", args.delta, "given, or else epsilon, and not both");
  }
  return args.delta === undefined ? { epsilon: args.epsilon as number } : { delta: args.delta };
}

/** Basic composition has a δ of its own, as the plain sum and as the product that is also true. */
function withSums(list: readonly DpEvent[], found: TotalLoss) {
  const { deltaSum, deltaMass } = readSpends(list);
  return { ...found, deltaSum, deltaProduct: deltaMass };
}

function spend(value: unknown, path: string): AgentSpend {
  const given = Array.isArray(value)
    ? { epsilon: value[0], delta: value[1] ?? 0, ...(value[2] === undefined ? {} : { count: value[2] }) }
    : recordAt(value, path, "[epsilon, delta, count?] or an object");
  const {
    epsilon,
    delta: lost = 0,
    count,
    gaussian,
    rho,
    noise,
    mechanism,
  } = given as Readonly<Record<string, unknown>>;
  if (epsilon === undefined && rho === undefined) invalid(`${path}.epsilon`, epsilon, "given, or else rho");
  const isGaussian = gaussian === true || noise === "gaussian" || mechanism === "gaussian";
  return {
    ...(epsilon === undefined ? {} : { epsilon: amount(epsilon, `${path}.epsilon`) }),
    delta: amount(lost, `${path}.delta`),
    ...(count === undefined ? {} : { count: number({ min: 0, integer: true }).read(count, `${path}.count`) }),
    ...(isGaussian ? { gaussian: true } : {}),
    ...(rho === undefined ? {} : { rho: amount(rho, `${path}.rho`) }),
  };
}

function amount(value: unknown, path: string): number | string {
  const x = decimal.read(value, path);
  if (typeof x === "number") return number({ min: 0 }).read(x, path);
  if (/^-/.test(x)) invalid(path, x, ">= 0");
  return x;
}

function budget(value: unknown, path: string): { readonly epsilon: number | string; readonly delta: number | string } {
  const given = Array.isArray(value)
    ? { epsilon: value[0], delta: value[1] }
    : recordAt(value, path, "[epsilon, delta] or an object");
  const { epsilon = 0, delta: whole } = given as Readonly<Record<string, unknown>>;
  return { epsilon: amount(epsilon, `${path}.epsilon`), delta: amount(whole, `${path}.delta`) };
}

/** An event tree that lacks its noise, or the flat form {kind, count, rate, sensitivity}. */
function template(value: unknown, path: string): { readonly event: unknown; readonly sensitivity: number } {
  if (typeof value === "string") return { event: { kind: value }, sensitivity: 1 };
  const { count, rate, sensitivity, ...rest } = recordAt(value, path, "an event that lacks its noise");
  if (rest.event !== undefined || rest.events !== undefined) return { event: value, sensitivity: 1 };
  const isOwn = rest.kind === "discreteLaplace" || rest.kind === "discreteGaussian";
  const size = sensitivity === undefined ? 1 : number({ above: 0 }).read(sensitivity, `${path}.sensitivity`);
  let built: unknown = isOwn ? { ...rest, sensitivity: size } : rest;
  if (rate !== undefined) built = { kind: "poissonSampled", rate, event: built };
  if (count !== undefined) built = { kind: "repeated", count, event: built };
  return { event: built, sensitivity: isOwn ? 1 : size };
}

/** The noise in the unit of the answer: σ or b for the sensitivity given. */
function scaled(parameter: string, value: number, sensitivity: number): Readonly<Record<string, number>> {
  return parameter === "noiseMultiplier" ? { scale: value * sensitivity, sigma: value * sensitivity } : {};
}

function target(value: unknown, path: string): CalibrationTarget {
  const given = recordAt(value, path, "an object");
  const read = (name: string): number => number({ min: 0 }).read(given[name], `${path}.${name}`);
  if (given.rho !== undefined) return { rho: read("rho") };
  if (given.mu !== undefined) return { mu: read("mu") };
  if (given.advantage !== undefined) return { advantage: read("advantage") };
  if (given.truePositiveRate !== undefined || given.tpr !== undefined) {
    const name = given.truePositiveRate === undefined ? "tpr" : "truePositiveRate";
    const other = given.falsePositiveRate === undefined ? "fpr" : "falsePositiveRate";
    return { truePositiveRate: read(name), falsePositiveRate: read(other) };
  }
  return { epsilon: read("epsilon"), delta: given.delta === undefined ? 0 : read("delta") };
}
