import type { Plan } from "@dosimeter/client";
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  redirect,
} from "@tanstack/react-router";
import { explorePages } from "./explore/pages.ts";
import { mode } from "./mode.ts";
import { Loading } from "./parts/Pending.tsx";
import { Crash, NotFound } from "./shell/Crash.tsx";
import { Shell } from "./shell/Shell.tsx";

const root = createRootRoute({ component: Shell });

/** Pages that need no server. */
const open = { getParentRoute: () => root };

/** Pages that need a server: without one there is only Explore. */
const served = {
  ...open,
  beforeLoad: () => {
    if (mode === "static") throw redirect({ to: "/explore" });
  },
};

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Only the given keys, only texts; an absent one stays out of the address. */
const texts =
  <Key extends string>(...keys: readonly Key[]) =>
  (search: Record<string, unknown>): { readonly [K in Key]?: string } =>
    Object.fromEntries(keys.flatMap((key) => (text(search[key]) === undefined ? [] : [[key, text(search[key])]]))) as {
      readonly [K in Key]?: string;
    };

/** Every page of the product: its address, the texts it reads from the address, and the file that draws it. */
const pages = [
  createRoute({ ...served, path: "/", component: lazy(() => import("./home/Home.tsx"), "Home") }),
  createRoute({
    ...served,
    path: "/sign-in",
    validateSearch: texts("next", "link", "problem"),
    component: lazy(() => import("./sign-in/SignIn.tsx"), "SignIn"),
  }),
  createRoute({ ...served, path: "/datasets", component: lazy(() => import("./dataset/Datasets.tsx"), "Datasets") }),
  createRoute({
    ...served,
    path: "/datasets/new",
    component: lazy(() => import("./new-dataset/NewDataset.tsx"), "NewDataset"),
  }),
  createRoute({
    ...served,
    path: "/datasets/$dataset/open",
    component: lazy(() => import("./new-dataset/OpenLedgerPage.tsx"), "OpenLedgerPage"),
  }),
  createRoute({
    ...served,
    path: "/datasets/$dataset",
    validateSearch: texts("tab"),
    component: lazy(() => import("./dataset/DatasetPage.tsx"), "DatasetPage"),
  }),
  createRoute({
    ...served,
    path: "/datasets/$dataset/switch",
    component: lazy(() => import("./dataset/SwitchPage.tsx"), "SwitchPage"),
  }),
  createRoute({
    ...served,
    path: "/datasets/$dataset/released",
    component: lazy(() => import("./reuse/ReleasedPage.tsx"), "ReleasedPage"),
  }),
  createRoute({
    ...served,
    path: "/datasets/$dataset/plan",
    validateSearch: texts("account"),
    component: lazy(() => import("./plan/PlanPage.tsx"), "PlanPage"),
  }),
  createRoute({ ...served, path: "/releases", component: lazy(() => import("./release/Releases.tsx"), "Releases") }),
  createRoute({
    ...served,
    path: "/releases/$release",
    component: lazy(() => import("./release/ReleasePage.tsx"), "ReleasePage"),
  }),
  createRoute({
    ...served,
    path: "/requests",
    validateSearch: texts("box"),
    component: lazy(() => import("./requests/Requests.tsx"), "Requests"),
  }),
  createRoute({
    ...served,
    path: "/requests/new",
    validateSearch: texts("dataset", "account", "epsilon"),
    component: lazy(() => import("./requests/Ask.tsx"), "Ask"),
  }),
  createRoute({ ...served, path: "/teams", component: lazy(() => import("./teams/Teams.tsx"), "Teams") }),
  createRoute({ ...served, path: "/teams/$team", component: lazy(() => import("./teams/TeamPage.tsx"), "TeamPage") }),
  createRoute({ ...served, path: "/people", component: lazy(() => import("./people/People.tsx"), "People") }),
  createRoute({ ...served, path: "/settings", component: lazy(() => import("./settings/Settings.tsx"), "Settings") }),
  createRoute({
    ...served,
    path: "/notifications",
    component: lazy(() => import("./notifications/Notifications.tsx"), "Notifications"),
  }),
  createRoute({ ...served, path: "/activity", component: lazy(() => import("./audit/Activity.tsx"), "Activity") }),
  createRoute({
    ...served,
    path: "/audit",
    validateSearch: texts("actor", "action", "since", "until"),
    component: lazy(() => import("./audit/Audit.tsx"), "Audit"),
  }),
  createRoute({
    ...served,
    path: "/search",
    validateSearch: texts("text"),
    component: lazy(() => import("./search/Search.tsx"), "Search"),
  }),
  createRoute({ ...served, path: "/join", component: lazy(() => import("./sign-in/Join.tsx"), "Join") }),
  createRoute({
    ...served,
    path: "/public/$population",
    component: lazy(() => import("./public/PublicPage.tsx"), "PublicPage"),
  }),
  createRoute({ ...open, path: "/explore", component: lazy(() => import("./explore/Explore.tsx"), "Explore") }),
] as const;

const explored = explorePages.map((page) =>
  createRoute({ ...open, path: `/explore/${page.path}`, component: lazy(page.load, "page") }),
);

export const router = createRouter({
  routeTree: root.addChildren([...pages, ...explored]),
  ...(mode === "static" ? { history: createHashHistory() } : {}),
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: Crash,
  defaultNotFoundComponent: NotFound,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** The plan that a request for more quota would pay for. */
    readonly plan?: Plan;
    /** A released plan to make again, with what it cost. */
    readonly repeat?: { readonly plan: object; readonly release: string; readonly epsilon: string | null };
  }
}
