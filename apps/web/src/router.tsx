import type { Plan } from "@dosimeter/client";
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type LocationRewrite,
  lazyRouteComponent as lazy,
  redirect,
} from "@tanstack/react-router";
import { internal, readable } from "./addresses.ts";
import { findNamed, namesKnown } from "./api/addresses.ts";
import { queryClient } from "./api/connection.ts";
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

/** Pages of one dataset, team or entry of the catalogue, whose address holds its name or its id. */
const named = {
  ...open,
  beforeLoad: async ({ location }: { readonly location: { readonly href: string } }) => {
    served.beforeLoad();
    await findNamed(location.href);
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
  createRoute({
    ...served,
    path: "/first-admin",
    component: lazy(() => import("./sign-in/FirstAdmin.tsx"), "FirstAdmin"),
  }),
  createRoute({ ...served, path: "/datasets", component: lazy(() => import("./dataset/Datasets.tsx"), "Datasets") }),
  createRoute({ ...served, path: "/catalog", component: lazy(() => import("./catalog/Catalog.tsx"), "Catalog") }),
  createRoute({
    ...named,
    path: "/catalog/$dataset",
    component: lazy(() => import("./catalog/CatalogDataset.tsx"), "CatalogDataset"),
  }),
  createRoute({
    ...served,
    path: "/datasets/new",
    component: lazy(() => import("./new-dataset/NewDataset.tsx"), "NewDataset"),
  }),
  createRoute({
    ...named,
    path: "/datasets/$dataset/open",
    component: lazy(() => import("./new-dataset/OpenLedgerPage.tsx"), "OpenLedgerPage"),
  }),
  createRoute({
    ...named,
    path: "/datasets/$dataset",
    validateSearch: texts("tab", "give"),
    component: lazy(() => import("./dataset/DatasetPage.tsx"), "DatasetPage"),
  }),
  createRoute({
    ...named,
    path: "/datasets/$dataset/switch",
    component: lazy(() => import("./dataset/SwitchPage.tsx"), "SwitchPage"),
  }),
  createRoute({
    ...named,
    path: "/datasets/$dataset/charge",
    component: lazy(() => import("./outside/ChargePage.tsx"), "ChargePage"),
  }),
  createRoute({
    ...named,
    path: "/datasets/$dataset/released",
    component: lazy(() => import("./reuse/ReleasedPage.tsx"), "ReleasedPage"),
  }),
  createRoute({
    ...named,
    path: "/datasets/$dataset/reports",
    component: lazy(() => import("./reports/Reports.tsx"), "Reports"),
  }),
  createRoute({
    ...served,
    path: "/reports/$schedule",
    component: lazy(() => import("./reports/ReportPage.tsx"), "ReportPage"),
  }),
  createRoute({
    ...named,
    path: "/datasets/$dataset/plan",
    validateSearch: texts("account", "draft"),
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
  createRoute({
    ...named,
    path: "/teams/$team",
    component: lazy(() => import("./teams/TeamPage.tsx"), "TeamPage"),
  }),
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

/** The routes know ids, and the address bar shows names, as far as they are known. */
const readableAddresses: LocationRewrite = {
  input: ({ url }) => {
    url.pathname = internal(url.pathname, namesKnown());
    return url;
  },
  output: ({ url }) => {
    url.pathname = readable(url.pathname, namesKnown());
    return url;
  },
};

export const router = createRouter({
  routeTree: root.addChildren([...pages, ...explored]),
  ...(mode === "static" ? { history: createHashHistory() } : { rewrite: readableAddresses }),
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: Crash,
  defaultNotFoundComponent: NotFound,
});

/** A page opened by its id gets its readable address as soon as the name is known. */
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type !== "updated" || query.queryKey[0] !== "names") return;
  const { href, publicHref, state } = router.latestLocation;
  const url = new URL(href, location.origin);
  const next = `${readable(url.pathname, namesKnown())}${url.search}${url.hash}`;
  if (next !== publicHref) router.history.replace(next, state);
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
