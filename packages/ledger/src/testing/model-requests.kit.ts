import { quotaDelta } from "@dosimeter/core";
import fc from "fast-check";
import { expect } from "vitest";
import { usualRequestLimits } from "../guarantee/request-limits.ts";
import type { Request } from "../requests/request.ts";
import type { PrincipalId } from "../values/id.ts";
import { foretellOpening, settleIn } from "./model-commands.kit.ts";
import { type Amount, allocate, canFund, isOpen, type Node } from "./model-reference.kit.ts";
import {
  accountOf,
  answers,
  type Command,
  command,
  type Person,
  quota,
  type Scenario,
  teamOf,
} from "./model-scenario.kit.ts";

/** Every way a request ends. */
const ends = [
  "approve",
  "approveHalf",
  "offer",
  "decline",
  "askBack",
  "reject",
  "withdraw",
  "expire",
  "escalate",
  "leaveOpen",
] as const;

interface Asking extends Amount {
  readonly who: Person;
  readonly supersede: boolean;
  readonly end: (typeof ends)[number];
  readonly above: "approve" | "reject" | "withdraw";
}

/** The person's account below the team; null while they have none. */
const accountBelow = (scenario: Scenario, principal: PrincipalId): Node | null =>
  teamOf(scenario).children.find((node) => isOpen(node) && node.holder === "principal" && node.of === principal) ??
  null;

const ungranted = (scenario: Scenario, who: PrincipalId): number => scenario.ungranted.get(who) ?? 0;

function count(scenario: Scenario, who: PrincipalId, more: 1 | -1): void {
  scenario.ungranted.set(who, ungranted(scenario, who) + more);
}

const isTired = (scenario: Scenario, who: PrincipalId): boolean =>
  scenario.rejected.has(who) || ungranted(scenario, who) >= usualRequestLimits.aDay;

function foretell(
  scenario: Scenario,
  { principal, supersede }: { principal: PrincipalId; supersede: boolean },
): string {
  const node = accountBelow(scenario, principal);
  if (node === null && scenario.gone.has(principal)) return "INVALID_PARAMETER";
  if ((node ?? teamOf(scenario)).status !== "active") return "ACCOUNT_CLOSED";
  if (scenario.absent.has(principal)) return "FORBIDDEN";
  if (isTired(scenario, principal)) return "RATE_LIMITED";
  return scenario.asked.has(principal) && !supersede ? "CONFLICT" : "ok";
}

/** The quota that an approval moves: to the account, or into one that is opened with it. Returns its error, or "ok". */
function grant(
  scenario: Scenario,
  principal: PrincipalId,
  amount: Amount,
): { expected: string; settle: (id: string) => void } {
  const node = accountBelow(scenario, principal);
  if (node !== null) return { expected: allocate(node, amount), settle: () => undefined };
  const making = { parent: teamOf(scenario), holder: { kind: "principal", id: principal } as const, ...amount };
  return { expected: foretellOpening(scenario, making), settle: (id) => void settleIn(making, id) };
}

export const requestCommands = {
  request: command<Asking>(
    6,
    {
      who: fc.constantFrom<Person>("ada", "bob", "cleo"),
      epsilon: fc.bigInt({ min: 1n, max: 6n * 10n ** 11n }),
      delta: fc.bigInt({ min: 0n, max: 2n * 10n ** 11n }),
      supersede: fc.boolean(),
      end: fc.constantFrom(...ends),
      above: fc.constantFrom("approve", "reject", "withdraw"),
    },
    async (scenario, { who, supersede, end, above, ...amount }) => {
      const { model, fixture, people } = scenario;
      if (model.switched) return;
      const principal = people[who];
      const node = accountBelow(scenario, principal);
      const target =
        node === null
          ? ({ holder: { kind: "principal", id: principal }, parent: accountOf(teamOf(scenario)) } as const)
          : { account: accountOf(node) };
      const days = end === "expire" ? 1e-6 : undefined;
      const asking = {
        by: principal,
        dataset: fixture.dataset.id,
        target,
        note: "",
        supersede,
        days,
        ...quota(amount),
      };
      const first = foretell(scenario, { principal, supersede });
      const atOnce = first === "ok" && isCovered(scenario, amount) ? grant(scenario, principal, amount) : null;
      const asked = fixture.database.requests.make(asking);
      if ((await answers(scenario, asked, atOnce?.expected ?? first)) !== "ok") return;
      const made = await asked;
      scenario.asked.delete(principal);
      if (atOnce !== null && scenario.approvalInAdvance !== null) {
        expect(made.status).toBe("approved");
        scenario.approvalInAdvance.room -= amount.epsilon;
        expect((await fixture.database.requests.preApproval(scenario.approvalInAdvance.id)).room).toBe(
          scenario.approvalInAdvance.room,
        );
        return atOnce.settle(made.account ?? "");
      }
      // On a busy machine the request may expire before the answer.
      expect(end === "expire" ? ["submitted", "expired"] : ["submitted"]).toContain(made.status);
      count(scenario, principal, 1);
      await settleRequest(scenario, made, { who, supersede, end, above, ...amount });
    },
  ),
  approvalInAdvance: command(
    2,
    { most: fc.bigInt({ min: 1n, max: 6n * 10n ** 11n }), more: fc.bigInt({ min: 0n, max: 10n ** 12n }) },
    async (scenario, { most, more }) => {
      const { requests } = scenario.fixture.database;
      if (scenario.approvalInAdvance !== null) {
        await requests.endPreApproval({ approval: scenario.approvalInAdvance.id, by: scenario.people.lead });
        scenario.approvalInAdvance = null;
        return;
      }
      const room = most + more;
      const amounts = {
        most: quota({ epsilon: most, delta: 0n }).epsilon,
        room: quota({ epsilon: room, delta: 0n }).epsilon,
      };
      const place = { ledger: scenario.fixture.ledger.id, parent: accountOf(teamOf(scenario)) };
      const { id } = await requests.createPreApproval({ ...place, ...amounts, by: scenario.people.lead });
      scenario.approvalInAdvance = { id, most, room };
    },
  ),
} as const satisfies Readonly<Record<string, Command>>;

/** Whether the lead approved it in advance, and the team can pay. */
function isCovered(scenario: Scenario, amount: Amount): boolean {
  const { approvalInAdvance, model } = scenario;
  if (approvalInAdvance === null || amount.epsilon > approvalInAdvance.most || amount.epsilon > approvalInAdvance.room)
    return false;
  return (
    amount.delta <= quotaDelta(model.terms, { epsilon: quota(amount).epsilon }) && canFund(teamOf(scenario), amount)
  );
}

async function settleRequest(scenario: Scenario, made: Request, { end, above, ...asked }: Asking): Promise<void> {
  const { fixture, people } = scenario;
  const { requests } = fixture.database;
  const principal = made.requester;
  const own = { request: made.id, version: made.version, by: principal };
  const lead = { ...own, by: people.lead };
  const half = { epsilon: asked.epsilon / 2n, delta: asked.delta / 2n };
  const part = end === "approveHalf" && half.epsilon > 0n ? half : asked;

  switch (end) {
    case "leaveOpen":
      return void scenario.asked.set(principal, own);
    case "withdraw":
      return void (await requests.withdraw(own));
    case "reject":
      await requests.reject({ ...lead, note: "no" });
      return void scenario.rejected.add(principal);
    case "expire":
      await new Promise((resolve) => setTimeout(resolve, 100));
      return expect(await requests.expireDue()).toContain(made.id);
    case "decline":
      return void (await requests.decline({
        ...own,
        version: (await requests.counter({ ...lead, ...quota(asked) })).version,
      }));
    case "offer": {
      const { version } = await requests.counter({ ...lead, ...quota(part) });
      return decided(scenario, { ...own, version }, part, requests.accept);
    }
    case "askBack": {
      const { version } = await requests.ask({ ...lead, note: "what for?" });
      const answered = await requests.answer({ ...own, version, note: "ages" });
      return decided(scenario, { ...own, version: answered.version }, part, (own) =>
        requests.approve({ ...own, by: people.lead }),
      );
    }
    case "escalate":
      return escalate(scenario, { own, asked, above });
    default:
      return decided(scenario, own, part, (own) => requests.approve({ ...own, by: people.lead, ...quota(part) }));
  }
}

interface Own {
  readonly request: Request["id"];
  readonly version: number;
  readonly by: PrincipalId;
}

/** Decides and moves quota in one step: when the quota cannot move, the request stays as it was and is withdrawn. */
async function decided(
  scenario: Scenario,
  own: Own,
  amount: Amount,
  act: (own: Own) => Promise<Request>,
): Promise<void> {
  const { expected, settle } = grant(scenario, own.by, amount);
  const moved = act(own);
  if ((await answers(scenario, moved, expected)) !== "ok")
    return void (await scenario.fixture.database.requests.withdraw(own));
  count(scenario, own.by, -1);
  settle((await moved).account ?? "");
}

/** The lead requests the quota that the team lacks from the dataset's admin, who decides. */
async function escalate(
  scenario: Scenario,
  { own, asked, above: end }: { own: Own; asked: Amount; above: Asking["above"] },
): Promise<void> {
  const { lead, ada } = scenario.people;
  const { requests } = scenario.fixture.database;
  const team = teamOf(scenario);
  const expected = team.status !== "active" ? "ACCOUNT_CLOSED" : isTired(scenario, lead) ? "RATE_LIMITED" : "ok";
  if ((await answers(scenario, requests.escalate({ ...own, by: lead }), expected)) !== "ok")
    return void (await requests.withdraw(own));
  count(scenario, lead, 1);
  const above = (await requests.requests({ requester: lead })).find(({ origin }) => origin === own.request);
  if (above === undefined) throw new Error("nothing was asked above");
  const read = { request: above.id, version: above.version };
  if (end === "reject") {
    await requests.reject({ ...read, by: ada, note: "no" });
    scenario.rejected.add(lead);
  } else if (end === "withdraw") await requests.withdraw({ ...read, by: lead });
  else {
    const moved = requests.approve({ ...read, by: ada });
    if ((await answers(scenario, moved, allocate(team, above.asked))) === "ok") count(scenario, lead, -1);
    else await requests.withdraw({ ...read, by: lead });
  }
  const { status, version } = await requests.request(own.request);
  expect(status, "it waits for its decider again").toBe("submitted");
  await decided(scenario, { ...own, version }, asked, (again) => requests.approve({ ...again, by: lead }));
}
