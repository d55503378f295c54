import type { RouteTable } from "../route.ts";

export const secondFactorRoutes = {
  showSecondFactor: {
    method: "GET",
    path: "/v1/me/second-factor",
    who: "signedIn",
    scope: "admin",
    status: 200,
    summary: "Whether my password needs a second factor",
  },
  beginSecondFactor: {
    method: "POST",
    path: "/v1/me/second-factor",
    who: "signedIn",
    scope: "admin",
    status: 201,
    errors: ["CONFLICT"],
    summary: "A secret for my authenticator app, shown this once; it counts from confirmSecondFactor on",
  },
  confirmSecondFactor: {
    method: "POST",
    path: "/v1/me/second-factor/confirm",
    who: "signedIn",
    scope: "admin",
    status: 200,
    errors: ["CONFLICT"],
    summary:
      "Show that my app has the secret: from now on my password needs its code; every other browser is signed out",
  },
  endSecondFactor: {
    method: "POST",
    path: "/v1/me/second-factor/end",
    who: "signedIn",
    scope: "admin",
    status: 204,
    summary: "Give up my second factor, with one of its codes",
  },
  startSecondFactor: {
    method: "POST",
    path: "/v1/session/second-factor",
    who: "anyone",
    scope: null,
    status: 201,
    errors: ["CONFLICT", "SECOND_FACTOR"],
    summary:
      "Where the server asks for a second factor of people who have none: begin one while signing in by password",
  },
  removeSecondFactor: {
    method: "POST",
    path: "/v1/people/{person}/second-factor/end",
    who: "platformAdmin",
    scope: "admin",
    status: 204,
    summary: "End the second factor of a person who lost their phone and their recovery codes",
  },
} as const satisfies RouteTable;
