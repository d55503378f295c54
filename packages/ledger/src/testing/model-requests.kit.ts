import { quotaDelta } from "@dosimeter/core";
import fc from "fast-check";
import { expect } from "vitest";
import type { Request } from "../requests/request.ts";
import { usualRequestLimits } from "../requests/request-limits.ts";
import type { PrincipalId } from "../values/id.ts";
import { foretellOpening, settleIn } from "./model-commands.kit.ts";
import {
  accountOf,
  answers,
  type Command,
  command,
  type Person,
  quota,
  teamOf,
  type World,
} from "./model-fixture.kit.ts";
import { type Amount, allocate, canFund, isOpen, type Node } from "./model-reference.kit.ts";

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

/** Of a person's account below the team; null while they have none. */
const accountBelow = (world: World, principal: PrincipalId): Node | null =>
  teamOf(world).children.find((node) => isOpen(node) && node.holder === "principal" && node.of === principal) ?? null;

const ungranted = (world: World, who: PrincipalId): number => world.ungranted.get(who) ?? 0;

function count(world: World, who: PrincipalId, more: 1 | -1): void {
  world.ungranted.set(who, ungranted(world, who) + more);
}

const isTired = (world: World, who: PrincipalId): boolean =>
  world.rejected.has(who) || ungranted(world, who) >= usualRequestLimits.aDay;

function foretell(world: World, { principal, supersede }: { principal: PrincipalId; supersede: boolean }): string {
  const node = accountBelow(world, principal);
  if (node === null && world.gone.has(principal)) return "INVALID_PARAMETER";
  if ((node ?? teamOf(world)).status !== "active") return "ACCOUNT_CLOSED";
  if (world.away.has(principal)) return "FORBIDDEN";
  if (isTired(world, principal)) return "RATE_LIMITED";
  return world.asked.has(principal) && !supersede ? "CONFLICT" : "ok";
}

/** The quota that an approval moves: to the account, or into one that is opened with it. Why not, or "ok". */
function grant(
  world: World,
  principal: PrincipalId,
  amount: Amount,
): { foretold: string; settle: (id: string) => void } {
  const node = accountBelow(world, principal);
  if (node !== null) return { foretold: allocate(node, amount), settle: () => undefined };
  const making = { parent: teamOf(world), holder: { kind: "principal", id: principal } as const, ...amount };
  return { foretold: foretellOpening(world, making), settle: (id) => void settleIn(making, id) };
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
    async (world, { who, supersede, end, above, ...amount }) => {
      const { model, town, people } = world;
      if (model.switched) return;
      const principal = people[who];
      const node = accountBelow(world, principal);
      const target =
        node === null
          ? ({ holder: { kind: "principal", id: principal }, parent: accountOf(teamOf(world)) } as const)
          : { account: accountOf(node) };
      const days = end === "expire" ? 1e-6 : undefined;
      const asking = { by: principal, dataset: town.dataset.id, target, note: "", supersede, days, ...quota(amount) };
      const first = foretell(world, { principal, supersede });
      const atOnce = first === "ok" && isCovered(world, amount) ? grant(world, principal, amount) : null;
      const asked = town.books.requests.make(asking);
      if ((await answers(world, asked, atOnce?.foretold ?? first)) !== "ok") return;
      const made = await asked;
      world.asked.delete(principal);
      if (atOnce !== null && world.standing !== null) {
        expect(made.status).toBe("approved");
        world.standing.room -= amount.epsilon;
        expect((await town.books.requests.preApproval(world.standing.id)).room).toBe(world.standing.room);
        return atOnce.settle(made.account ?? "");
      }
      // A busy machine may answer only when the moment that this one has is over.
      expect(end === "expire" ? ["submitted", "expired"] : ["submitted"]).toContain(made.status);
      count(world, principal, 1);
      await settleRequest(world, made, { who, supersede, end, above, ...amount });
    },
  ),
  standing: command(
    2,
    { most: fc.bigInt({ min: 1n, max: 6n * 10n ** 11n }), more: fc.bigInt({ min: 0n, max: 10n ** 12n }) },
    async (world, { most, more }) => {
      const { requests } = world.town.books;
      if (world.standing !== null) {
        await requests.endPreApproval({ approval: world.standing.id, by: world.people.lead });
        world.standing = null;
        return;
      }
      const room = most + more;
      const amounts = {
        most: quota({ epsilon: most, delta: 0n }).epsilon,
        room: quota({ epsilon: room, delta: 0n }).epsilon,
      };
      const place = { ledger: world.town.ledger.id, parent: accountOf(teamOf(world)) };
      const { id } = await requests.createPreApproval({ ...place, ...amounts, by: world.people.lead });
      world.standing = { id, most, room };
    },
  ),
} as const satisfies Readonly<Record<string, Command>>;

/** Whether the lead approved it in advance, and the team can pay. */
function isCovered(world: World, amount: Amount): boolean {
  const { standing, model } = world;
  if (standing === null || amount.epsilon > standing.most || amount.epsilon > standing.room) return false;
  return amount.delta <= quotaDelta(model.terms, { epsilon: quota(amount).epsilon }) && canFund(teamOf(world), amount);
}

async function settleRequest(world: World, made: Request, { end, above, ...asked }: Asking): Promise<void> {
  const { town, people } = world;
  const { requests } = town.books;
  const principal = made.requester;
  const own = { request: made.id, version: made.version, by: principal };
  const lead = { ...own, by: people.lead };
  const half = { epsilon: asked.epsilon / 2n, delta: asked.delta / 2n };
  const part = end === "approveHalf" && half.epsilon > 0n ? half : asked;

  switch (end) {
    case "leaveOpen":
      return void world.asked.set(principal, own);
    case "withdraw":
      return void (await requests.withdraw(own));
    case "reject":
      await requests.reject({ ...lead, note: "no" });
      return void world.rejected.add(principal);
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
      return decided(world, { ...own, version }, part, requests.accept);
    }
    case "askBack": {
      const { version } = await requests.ask({ ...lead, note: "what for?" });
      const answered = await requests.answer({ ...own, version, note: "ages" });
      return decided(world, { ...own, version: answered.version }, part, (own) =>
        requests.approve({ ...own, by: people.lead }),
      );
    }
    case "escalate":
      return escalate(world, { own, asked, above });
    default:
      return decided(world, own, part, (own) => requests.approve({ ...own, by: people.lead, ...quota(part) }));
  }
}

interface Own {
  readonly request: Request["id"];
  readonly version: number;
  readonly by: PrincipalId;
}

/** Decision and quota together: where the quota cannot move the request stays as it was, and is taken back. */
async function decided(world: World, own: Own, amount: Amount, act: (own: Own) => Promise<Request>): Promise<void> {
  const { foretold, settle } = grant(world, own.by, amount);
  const moved = act(own);
  if ((await answers(world, moved, foretold)) !== "ok") return void (await world.town.books.requests.withdraw(own));
  count(world, own.by, -1);
  settle((await moved).account ?? "");
}

/** The lead asks above for what the team has too little of; the dataset's admin decides that. */
async function escalate(
  world: World,
  { own, asked, above: end }: { own: Own; asked: Amount; above: Asking["above"] },
): Promise<void> {
  const { lead, ada } = world.people;
  const { requests } = world.town.books;
  const team = teamOf(world);
  const foretold = team.status !== "active" ? "ACCOUNT_CLOSED" : isTired(world, lead) ? "RATE_LIMITED" : "ok";
  if ((await answers(world, requests.escalate({ ...own, by: lead }), foretold)) !== "ok")
    return void (await requests.withdraw(own));
  count(world, lead, 1);
  const above = (await requests.requests({ requester: lead })).find(({ origin }) => origin === own.request);
  if (above === undefined) throw new Error("nothing was asked above");
  const read = { request: above.id, version: above.version };
  if (end === "reject") {
    await requests.reject({ ...read, by: ada, note: "no" });
    world.rejected.add(lead);
  } else if (end === "withdraw") await requests.withdraw({ ...read, by: lead });
  else {
    const moved = requests.approve({ ...read, by: ada });
    if ((await answers(world, moved, allocate(team, above.asked))) === "ok") count(world, lead, -1);
    else await requests.withdraw({ ...read, by: lead });
  }
  const { status, version } = await requests.request(own.request);
  expect(status, "it waits for its decider again").toBe("submitted");
  await decided(world, { ...own, version }, asked, (again) => requests.approve({ ...again, by: lead }));
}
