import {
  admitWindow,
  type BlockPath,
  type BlockRange,
  type Blocks,
  blockEnds,
  blockName,
  blockNamed,
  calendarBlocks,
  cohortBlocks,
  deltaAmount,
  epsilonAmount,
  epsilonDecimal,
  invalid,
  ledgerCaps,
  lossAcrossBlocks,
  MAX_BLOCKS,
  openBlocks,
  openTerms,
  resolveWindow,
  ruleNames,
  type WindowRequest,
} from "@dosimeter/core";
import { numbersOf } from "./admission.ts";
import { type CalcFunction, calcFunction, optional, required } from "./function.ts";
import { array, decimal, events, number, oneOf, recordAt, text } from "./readers.ts";

const calendar = {
  type: '{"unit": "month", "zone": "UTC", "first": "2024-01", "last": "2024-12"} or {"cohorts": [names]}',
  read(value: unknown, path: string): Blocks {
    const given = recordAt(value, path, this.type);
    if ("cohorts" in given) return cohortBlocks(array(text).read(given.cohorts, `${path}.cohorts`));
    const name = (key: string): string => text.read(given[key], `${path}.${key}`);
    return calendarBlocks({ unit: name("unit"), zone: name("zone"), first: name("first"), last: name("last") });
  },
};

const WINDOW = '{"latest": n}, {"from": name, "to": name}, {"blocks": [names]} or {"all": "closed"}';

function readWindow(value: unknown, path: string): WindowRequest {
  const given = recordAt(value, path, WINDOW);
  const keys = Object.keys(given).sort().join();
  const name = (key: string): string => text.read(given[key], `${path}.${key}`);
  if (keys === "latest") return { latest: number({ integer: true, min: 1 }).read(given.latest, `${path}.latest`) };
  if (keys === "from,to") return { from: name("from"), to: name("to") };
  if (keys === "blocks") return { blocks: array(text).read(given.blocks, `${path}.blocks`) };
  return keys === "all" && given.all === "closed" ? { all: "closed" } : invalid(path, value, WINDOW);
}

const charge = {
  type: '{"window": …, "events": […]}',
  read(value: unknown, path: string) {
    const given = recordAt(value, path, this.type);
    return {
      window: readWindow(given.window, `${path}.window`),
      events: events.read(given.events, `${path}.events`),
    };
  },
};

const blockLoss = {
  type: '{"epsilon": ε, "delta": δ, "blocks": n}',
  read(value: unknown, path: string) {
    const given = recordAt(value, path, this.type);
    const amount = (key: string) => decimal.read(given[key], `${path}.${key}`);
    const blocks = given.blocks ?? 1;
    return {
      loss: {
        epsilon: epsilonAmount(amount("epsilon"), "up", `${path}.epsilon`),
        delta: deltaAmount(amount("delta"), "up", `${path}.delta`),
      },
      blocks: number({ integer: true, min: 1, max: MAX_BLOCKS }).read(blocks, `${path}.blocks`),
    };
  },
};

/** `blocks.*`: budgets of periods or cohorts, each with the filter of a ledger. */
export const blockFunctions: readonly CalcFunction[] = [
  calcFunction(
    "blocks.admit",
    "which of the charges, offered in order, every block of their window admits; a refusal changes no block",
    {
      blocks: required(calendar, "how the population is divided; all blocks are open"),
      epsilon: required(decimal, "epsilon of each block"),
      delta: required(decimal, "delta of each block"),
      rule: required(oneOf(ruleNames), "which sum admits"),
      charges: required(array(charge), "each is one charge on every block of its window"),
      closed: optional(text, "the last block that is closed, with all before it; every block when absent"),
      deltaSelection: optional(decimal, "part of delta for the events' own deltas; a tenth when absent, 0 for none"),
      policy: optional(
        oneOf(["auto", "ask"]),
        "auto, when absent: a charge switches the blocks that need it; ask: none",
      ),
    },
    ({ blocks, charges, closed, policy = "auto", deltaSelection, ...opening }) => {
      const caps = ledgerCaps(openTerms({ ...opening, ...(deltaSelection === undefined ? {} : { deltaSelection }) }));
      const [from, to] = blockEnds(blocks);
      const times = {
        opened: [{ from, to }],
        closed: [{ from, to: closed === undefined ? to : blockNamed(blocks, closed, "closed") }],
      };
      let path: BlockPath = openBlocks({ rules: [], nodes: [] }, { from, to }, { rule: opening.rule, caps: [caps] });
      const decisions = charges.map((charge) => {
        const window = resolveWindow(blocks, charge.window, times);
        const decided = admitWindow({ rule: opening.rule, policy }, path, window, charge);
        const named = (ranges: readonly BlockRange[]) => ranges.map((range) => namesOf(blocks, range));
        if (!decided.admitted) {
          return {
            admitted: false,
            block: blockName(blocks, decided.block),
            fits: named(decided.fits),
            largestEpsilon: epsilonDecimal(decided.largestEpsilon, "down"),
          };
        }
        path = decided.path;
        return { admitted: true, window: named(window), switched: named(decided.switched) };
      });
      return { decisions, states: statesOf(blocks, path) };
    },
  ),
  calcFunction(
    "blocks.loss",
    "what holds for a person with rows in several blocks, each with a guarantee of its own",
    { losses: required(array(blockLoss), "what each block promises; `blocks` such blocks, 1 when absent") },
    ({ losses }) => {
      const count = losses.reduce((sum, { blocks }) => sum + blocks, 0);
      if (count > MAX_BLOCKS) invalid("losses", count, `at most ${MAX_BLOCKS} blocks`);
      const { epsilon, delta } = lossAcrossBlocks(
        losses.flatMap(({ loss, blocks }) => Array<typeof loss>(blocks).fill(loss)),
      );
      return { epsilon: epsilonDecimal(epsilon, "up"), delta };
    },
  ),
];

const namesOf = (blocks: Blocks, { from, to }: BlockRange): readonly [string, string] => [
  blockName(blocks, from),
  blockName(blocks, to),
];

/** The state of every block, equal neighbours together. */
const statesOf = (blocks: Blocks, { nodes }: BlockPath) =>
  (nodes[0] ?? []).map(({ from, to, value }) => ({
    blocks: namesOf(blocks, { from, to }),
    ...numbersOf(value.state),
  }));
