import { z } from "zod";
import { plan } from "../releases/plan.ts";
import { errorsOfRelease } from "../releases/routes.ts";
import type { RouteTable } from "../route.ts";
import { cursor, decimal, decimalInput, id, page, time, wait } from "../schema.ts";
import { scope, tokenDays } from "../tokens/routes.ts";

const purpose = z.string().nullable().meta({ description: "What the agent says that it is for; null: it did not say" });
const price = decimal.nullable().meta({ description: "By addition; null: no such price (Gaussian noise)" });

const confirmation = z
  .object({
    id,
    agent: id,
    agentName: z.string(),
    dataset: id,
    datasetName: z.string(),
    account: id,
    title: z.string().meta({ description: "What is asked, in a line" }),
    text: z.string().meta({
      description:
        "The plan as SQL, or as JSON where that cannot say it; characters that are not seen are written as escapes",
    }),
    plan,
    epsilon: price,
    purpose,
    status: z.enum(["pending", "confirmed", "refused", "expired"]),
    askedAt: time,
    expiresAt: time,
    release: id.nullable().meta({ description: "Once it is charged" }),
  })
  .meta({ id: "Confirmation" });

const limits = {
  hourEpsilon: decimal.nullable().meta({ description: "The most within any hour, by addition; null: no limit" }),
  confirmAbove: decimal
    .nullable()
    .meta({ description: "A release that costs more waits for a click of the person; null: none does" }),
};

const share = z
  .object({
    account: id,
    own: id.meta({ description: "My account, which stands next to the agent's" }),
    ledger: id,
    datasetNames: z.array(z.string()),
    given: decimal.meta({ description: "ε that I gave it and have not taken back" }),
    free: decimal.meta({ description: "ε of the agent's account that is not spent" }),
    ownFree: decimal.meta({ description: "ε of my account that I could give" }),
  })
  .meta({ id: "AgentShare" });

const agent = z
  .object({
    id,
    name: z.string(),
    removedAt: time.nullable(),
    ...limits,
    spentThisHour: decimal.nullable().meta({ description: "null: with what has no price in epsilon" }),
    shares: z.array(share).meta({ description: "Its accounts next to mine: budget that I can give it, and take back" }),
    waiting: z.array(confirmation),
    charges: z
      .array(
        z.object({
          release: id,
          dataset: id,
          datasetName: z.string(),
          title: z.string(),
          epsilon: price,
          purpose,
          at: time,
        }),
      )
      .meta({ description: "The newest twenty" }),
  })
  .meta({ id: "Agent" });

const agentLimits = z.object({ agent: id, ...limits }).meta({ id: "AgentLimits" });

const asked = z.string().min(1).max(4000).meta({
  description: "What the program asked at the authorization address: its query, in base64url",
});

const program = z
  .object({
    name: z.string().meta({ description: "What it calls itself" }),
    returnsTo: z.string().meta({ description: "The host that gets the code" }),
    isHere: z.boolean().meta({ description: "Whether that is the computer of the browser" }),
    scopes: z.array(scope.extract(["read", "release"])),
    refused: z.string().meta({ description: "Where the browser goes when the person refuses" }),
  })
  .meta({ id: "AskingMcpClient" });

export const agentsRoutes = {
  listAgents: {
    route: "GET /v1/agents",
    summary: "The AI agents that act for me: their limits, what waits for my click, and what they spent on what",
    who: "signedIn",
    scope: "read",
    query: cursor,
    response: page(agent),
  },
  setAgentLimits: {
    route: "POST /v1/agents/{agent}/limits",
    summary: "What an agent may spend by itself: by a platform admin, or by its person in a browser",
    who: "agentKeeper",
    scope: "admin",
    body: z.strictObject({
      hourEpsilon: decimalInput.nullable().optional().meta({ description: "null: no limit; what is absent stays" }),
      confirmAbove: decimalInput.nullable().optional().meta({ description: "null: none waits; what is absent stays" }),
    }),
    response: agentLimits,
    errors: ["CONFLICT"],
  },
  moveShare: {
    route: "POST /v1/agents/{agent}/shares",
    summary:
      "Give my agent of the quota of my own account, or take back what I gave: between accounts next to each other",
    who: "agentKeeper",
    scope: "manage",
    body: z.strictObject({
      from: id.meta({ description: "My account to give, the agent's to take back" }),
      to: id,
      epsilon: decimalInput,
    }),
    response: agent,
    errors: ["QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED", "CONFLICT"],
  },
  removeAgent: {
    route: "DELETE /v1/agents/{agent}",
    summary: "Remove an agent: its tokens and accounts stop, what it spent stays spent",
    who: "agentKeeper",
    scope: "admin",
    errors: ["CONFLICT"],
  },
  showMcpClient: {
    route: "GET /v1/agents/mcp-client",
    summary: "The program that asks to act as one of my agents, by OAuth",
    who: "signedIn",
    scope: "admin",
    query: z.strictObject({ asked }),
    response: program,
  },
  letMcpClientIn: {
    route: "POST /v1/agents/{agent}/mcp-client",
    summary: "Let a program act as an agent, with a token of it that ends: in a browser only, never with a token",
    who: "agentKeeper",
    scope: "admin",
    body: z.strictObject({ asked, days: tokenDays }),
    response: z.object({ url: z.string().meta({ description: "Where the browser goes now, with the code" }) }),
    status: 201,
  },
  showConfirmation: {
    route: "GET /v1/confirmations/{confirmation}",
    summary: "A release that waits for the click of a person: what was decided, and the release once it is charged",
    who: "confirmationReader",
    scope: "read",
    query: wait,
    response: confirmation,
  },
  decideConfirmation: {
    route: "POST /v1/confirmations/{confirmation}/decision",
    summary: "Confirm a release of my agent, which charges it, or refuse it: in a browser only, never with a token",
    who: "confirmationDecider",
    scope: "admin",
    body: z.strictObject({ verdict: z.enum(["confirm", "refuse"]) }),
    response: confirmation,
    errors: errorsOfRelease,
  },
} as const satisfies RouteTable;
