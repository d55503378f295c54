import { errorsOfRelease } from "../releases/routes.ts";
import { PAGE, type RouteTable } from "../route.ts";

export const agentsRoutes = {
  listAgents: {
    method: "GET",
    path: "/v1/agents",
    who: "signedIn",
    scope: "read",
    query: PAGE,
    status: 200,
    summary: "The AI agents that act for me: their limits, what waits for my click, and what they spent on what",
  },
  setAgentLimits: {
    method: "POST",
    path: "/v1/agents/{agent}/limits",
    who: "agentKeeper",
    scope: "admin",
    status: 200,
    errors: ["CONFLICT"],
    summary: "What an agent may spend by itself: by a platform admin, or by its person in a browser",
  },
  moveShare: {
    method: "POST",
    path: "/v1/agents/{agent}/shares",
    who: "agentKeeper",
    scope: "manage",
    status: 200,
    errors: ["QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED", "CONFLICT"],
    summary:
      "Give my agent of the quota of my own account, or take back what I gave: between accounts next to each other",
  },
  removeAgent: {
    method: "DELETE",
    path: "/v1/agents/{agent}",
    who: "agentKeeper",
    scope: "admin",
    status: 204,
    errors: ["CONFLICT"],
    summary: "Remove an agent: its tokens and accounts stop, what it spent stays spent",
  },
  showConfirmation: {
    method: "GET",
    path: "/v1/confirmations/{confirmation}",
    who: "confirmationReader",
    scope: "read",
    query: ["wait"],
    status: 200,
    summary: "A release that waits for the click of a person: what was decided, and the release once it is charged",
  },
  decideConfirmation: {
    method: "POST",
    path: "/v1/confirmations/{confirmation}/decision",
    who: "confirmationDecider",
    scope: "admin",
    status: 200,
    errors: errorsOfRelease,
    summary: "Confirm a release of my agent, which charges it, or refuse it: in a browser only, never with a token",
  },
} as const satisfies RouteTable;
