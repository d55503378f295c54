import type { Plan } from "@dosimeter/client";
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { explorePages } from "./explore/pages.ts";
import { mode } from "./mode.ts";
import { Loading } from "./parts/Pending.tsx";
import { Crash, NotFound } from "./shell/Crash.tsx";
import { Shell } from "./shell/Shell.tsx";

const root = createRootRoute({ component: Shell });

/** A file host has nothing but Explore. */
function needsServer(): void {
  if (mode === "static") throw redirect({ to: "/explore" });
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Only the given keys, only texts; an absent one stays out of the address. */
const texts =
  <Key extends string>(...keys: readonly Key[]) =>
  (search: Record<string, unknown>): { readonly [K in Key]?: string } =>
    Object.fromEntries(keys.flatMap((key) => (text(search[key]) === undefined ? [] : [[key, text(search[key])]]))) as {
      readonly [K in Key]?: string;
    };

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./home/Home.tsx"), "Home"),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: texts("next", "link", "problem"),
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./sign-in/SignIn.tsx"), "SignIn"),
});

const datasets = createRoute({
  getParentRoute: () => root,
  path: "/datasets",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./dataset/Datasets.tsx"), "Datasets"),
});

const newDataset = createRoute({
  getParentRoute: () => root,
  path: "/datasets/new",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./new-dataset/NewDataset.tsx"), "NewDataset"),
});

const openLedger = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$dataset/open",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./new-dataset/OpenLedgerPage.tsx"), "OpenLedgerPage"),
});

const dataset = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$dataset",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./dataset/DatasetPage.tsx"), "DatasetPage"),
});

const switchRule = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$dataset/switch",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./dataset/SwitchPage.tsx"), "SwitchPage"),
});

const released = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$dataset/released",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./reuse/ReleasedPage.tsx"), "ReleasedPage"),
});

const plan = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$dataset/plan",
  validateSearch: texts("account"),
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./plan/PlanPage.tsx"), "PlanPage"),
});

const releases = createRoute({
  getParentRoute: () => root,
  path: "/releases",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./release/Releases.tsx"), "Releases"),
});

const release = createRoute({
  getParentRoute: () => root,
  path: "/releases/$release",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./release/ReleasePage.tsx"), "ReleasePage"),
});

const requests = createRoute({
  getParentRoute: () => root,
  path: "/requests",
  validateSearch: texts("box"),
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./requests/Requests.tsx"), "Requests"),
});

const ask = createRoute({
  getParentRoute: () => root,
  path: "/requests/new",
  validateSearch: texts("dataset", "account", "epsilon"),
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./requests/Ask.tsx"), "Ask"),
});

const teams = createRoute({
  getParentRoute: () => root,
  path: "/teams",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./teams/Teams.tsx"), "Teams"),
});

const team = createRoute({
  getParentRoute: () => root,
  path: "/teams/$team",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./teams/TeamPage.tsx"), "TeamPage"),
});

const people = createRoute({
  getParentRoute: () => root,
  path: "/people",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./people/People.tsx"), "People"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./settings/Settings.tsx"), "Settings"),
});

const notifications = createRoute({
  getParentRoute: () => root,
  path: "/notifications",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./notifications/Notifications.tsx"), "Notifications"),
});

const activity = createRoute({
  getParentRoute: () => root,
  path: "/activity",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./audit/Activity.tsx"), "Activity"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: texts("actor", "action", "since", "until"),
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./audit/Audit.tsx"), "Audit"),
});

const search = createRoute({
  getParentRoute: () => root,
  path: "/search",
  validateSearch: texts("text"),
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./search/Search.tsx"), "Search"),
});

const join = createRoute({
  getParentRoute: () => root,
  path: "/join",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./sign-in/Join.tsx"), "Join"),
});

const published = createRoute({
  getParentRoute: () => root,
  path: "/public/$population",
  beforeLoad: needsServer,
  component: lazyRouteComponent(() => import("./public/PublicPage.tsx"), "PublicPage"),
});

const explore = createRoute({
  getParentRoute: () => root,
  path: "/explore",
  component: lazyRouteComponent(() => import("./explore/Explore.tsx"), "Explore"),
});

const explored = explorePages.map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: `/explore/${page.path}`,
    component: lazyRouteComponent(page.load, "page"),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    datasets,
    newDataset,
    openLedger,
    dataset,
    switchRule,
    released,
    plan,
    releases,
    release,
    requests,
    ask,
    teams,
    team,
    people,
    settings,
    notifications,
    activity,
    audit,
    search,
    join,
    published,
    explore,
    ...explored,
  ]),
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
    /** What a request for more quota is to pay for. */
    readonly plan?: Plan;
    /** A released plan to make again, with what it cost. */
    readonly repeat?: { readonly plan: object; readonly release: string; readonly epsilon: string | null };
  }
}
