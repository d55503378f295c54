import fc from "fast-check";
import { expect, test } from "vitest";
import { openLedgerDatabase } from "../ledger-database.ts";
import type { Store } from "../stores/store.ts";
import { commands } from "./model-commands.kit.ts";
import type { Model } from "./model-reference.kit.ts";
import { requestCommands } from "./model-requests.kit.ts";
import { adopt, buildScenario, compare, type Scenario, type Step } from "./model-scenario.kit.ts";

const all = { ...commands, ...requestCommands };

const words = (lines: string): readonly string[] => lines.split(/\s+/);

/** Operations that only read, and `import` and `migrateLedger`, which make another ledger of it and have their own tests. */
const reading = words(
  `preview ledger ledgerOf ledgers previewSwitch account accounts accountsOf namesOfAccounts held free unreadUnderCaps refuseUnreadable previewAmendment
  amendment amendments versions peopleWhoMaySecond maySpend whyNotSpend balances balance blockBalances quote entries reportThreshold isReopenAsked frozen
  import isMigrationAsked migrateLedger`,
);
/** Operations whose step has a different name. */
const named: Readonly<Record<string, keyof typeof all>> = {
  open: "openAgain",
  switchRule: "switch",
  freezeLedger: "halt",
  reopenLedger: "resume",
  openAccount: "open",
  closeAccount: "close",
  expireDue: "expire",
  setAccount: "limit",
  setLedger: "promise",
  readUnderCaps: "read",
  proposeAmendment: "raise",
  secondAmendment: "decide",
  rejectAmendment: "decide",
  withdrawAmendment: "decide",
};
const requests = words(
  `request requests preApproval preApprovals
  make approve reject counter accept decline withdraw ask answer escalate expireDue createPreApproval endPreApproval`,
);

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(...Object.entries(all).map(([name, { weight, arbitrary }]) => ({ weight, arbitrary: arbitrary(name) }))),
  { minLength: 5, maxLength: 40, size: "max" },
);

async function follow(scenario: Scenario, script: readonly Step[]): Promise<void> {
  for (const step of script) {
    try {
      await step.run(scenario);
      if (scenario.model.switched) await adopt(scenario, null);
      await compare(scenario);
    } catch (error) {
      throw new Error(`after ${step.text}`, { cause: error });
    }
  }
  const { problems, entries } = await scenario.fixture.database.audit.verify();
  expect(problems).toEqual([]);
  expect(entries).toBe(scenario.charges.size + scenario.lines);
}

/** A script that failed before: closing left seven units more than the charge needs. */
const leavesJustEnough: readonly Step[] = [
  all.charge.step({ who: 1, size: 39, key: 0, other: 1 }),
  all.close.step({ who: 1 }),
];

/** A script that failed before: an account that was full after the switch blocked every raise. */
const fullAfterSwitch: readonly Step[] = [
  all.charge.step({ who: 4, size: 27, key: 0, other: 1 }),
  all.switch.step({}),
  all.raise.step({ more: 1, twice: false }),
];

const LIMIT_MS = Number(process.env.MODEL_MS ?? 500_000);

/** Random sequences of every operation, against the reference after each step; `runs` of them on each rule. */
export function modelKit(open: () => Promise<Store>, runs: number): void {
  test("the steps cover every operation of the ledger", async () => {
    const database = await openLedgerDatabase(await open());
    const left = Object.keys(database.ledgers).filter(
      (name) => !reading.includes(name) && !(name in named) && !(name in all),
    );
    expect(left).toEqual([]);
    expect(Object.keys(database.requests).filter((name) => !requests.includes(name))).toEqual([]);
    await database.close();
  });

  test.each<Model["rule"]>(["addition", "tight", "additionThenTight"])(
    "random operations do what the reference model does, under %s [I1, I2, I3, I4, I6, I8]",
    async (rule) => {
      await fc.assert(
        fc.asyncProperty(steps, async (script) => {
          const scenario = await buildScenario(await open(), rule);
          try {
            await follow(scenario, script);
          } finally {
            await scenario.fixture.database.close();
          }
        }),
        // A failure is reported unshrunk when shrinking takes too long.
        {
          numRuns: runs,
          examples: [[leavesJustEnough], [fullAfterSwitch]],
          interruptAfterTimeLimit: LIMIT_MS,
        },
      );
    },
  );
}
