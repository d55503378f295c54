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
import type { ComponentType } from "react";
import { internal, readable } from "./addresses.ts";
import { findNamed, namesKnown } from "./api/addresses.ts";
import { queryClient } from "./api/connection.ts";
import { loaded } from "./api/part.ts";
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

/** An address, and the file and the part of it that draws its page. */
const at = <const Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) => ({ path, component: lazy(() => loaded(load as () => Promise<Record<string, ComponentType>>), name) });

/** Every page of the product: its address, the texts it reads from the address, and the file that draws it. */
const pages = [
  createRoute({ ...served, ...at("/", () => import("./home/Home.tsx"), "Home") }),
  createRoute({
    ...served,
    ...at("/sign-in", () => import("./sign-in/SignIn.tsx"), "SignIn"),
    validateSearch: texts("next", "link", "problem", "ended"),
  }),
  createRoute({ ...served, ...at("/first-admin", () => import("./sign-in/FirstAdmin.tsx"), "FirstAdmin") }),
  createRoute({ ...served, ...at("/datasets", () => import("./dataset/Datasets.tsx"), "Datasets") }),
  createRoute({ ...served, ...at("/catalog", () => import("./catalog/Catalog.tsx"), "Catalog") }),
  createRoute({ ...named, ...at("/catalog/$dataset", () => import("./catalog/CatalogDataset.tsx"), "CatalogDataset") }),
  createRoute({
    ...served,
    ...at("/datasets/new", () => import("./new-dataset/NewDataset.tsx"), "NewDataset"),
    validateSearch: texts("draft"),
  }),
  createRoute({
    ...named,
    ...at("/datasets/$dataset/open", () => import("./new-dataset/OpenLedgerPage.tsx"), "OpenLedgerPage"),
  }),
  createRoute({
    ...named,
    ...at("/datasets/$dataset", () => import("./dataset/DatasetPage.tsx"), "DatasetPage"),
    validateSearch: texts("tab", "give"),
  }),
  createRoute({ ...named, ...at("/datasets/$dataset/switch", () => import("./dataset/SwitchPage.tsx"), "SwitchPage") }),
  createRoute({
    ...named,
    ...at("/datasets/$dataset/released", () => import("./reuse/ReleasedPage.tsx"), "ReleasedPage"),
  }),
  createRoute({ ...named, ...at("/datasets/$dataset/reports", () => import("./reports/Reports.tsx"), "Reports") }),
  createRoute({ ...served, ...at("/reports/$schedule", () => import("./reports/ReportPage.tsx"), "ReportPage") }),
  createRoute({
    ...named,
    ...at("/datasets/$dataset/charge", () => import("./outside/ChargePage.tsx"), "ChargePage"),
  }),
  createRoute({ ...served, ...at("/charges/$charge", () => import("./outside/ProgramPage.tsx"), "ProgramPage") }),
  createRoute({
    ...named,
    ...at("/datasets/$dataset/plan", () => import("./plan/PlanPage.tsx"), "PlanPage"),
    validateSearch: texts("account", "draft", "ask"),
  }),
  createRoute({ ...served, ...at("/releases", () => import("./release/Releases.tsx"), "Releases") }),
  createRoute({ ...served, ...at("/releases/$release", () => import("./release/ReleasePage.tsx"), "ReleasePage") }),
  createRoute({ ...served, ...at("/dashboards", () => import("./dashboards/Dashboards.tsx"), "Dashboards") }),
  createRoute({
    ...served,
    ...at("/dashboards/$dashboard", () => import("./dashboards/DashboardPage.tsx"), "DashboardPage"),
  }),
  createRoute({
    ...served,
    ...at("/requests", () => import("./requests/Requests.tsx"), "Requests"),
    validateSearch: texts("box"),
  }),
  createRoute({
    ...served,
    ...at("/requests/new", () => import("./requests/Ask.tsx"), "Ask"),
    validateSearch: texts("dataset", "account", "epsilon"),
  }),
  createRoute({ ...served, ...at("/teams", () => import("./teams/Teams.tsx"), "Teams") }),
  createRoute({ ...named, ...at("/teams/$team", () => import("./teams/TeamPage.tsx"), "TeamPage") }),
  createRoute({ ...served, ...at("/people", () => import("./people/People.tsx"), "People") }),
  createRoute({ ...served, ...at("/settings", () => import("./settings/Settings.tsx"), "Settings") }),
  createRoute({
    ...served,
    ...at("/notifications", () => import("./notifications/Notifications.tsx"), "Notifications"),
  }),
  createRoute({ ...served, ...at("/activity", () => import("./audit/Activity.tsx"), "Activity") }),
  createRoute({
    ...served,
    ...at("/audit", () => import("./audit/Audit.tsx"), "Audit"),
    validateSearch: texts("actor", "action", "since", "until"),
  }),
  createRoute({
    ...served,
    ...at("/search", () => import("./search/Search.tsx"), "Search"),
    validateSearch: texts("text"),
  }),
  createRoute({
    ...served,
    ...at("/connect", () => import("./settings/LetIn.tsx"), "LetIn"),
    validateSearch: texts("asked"),
  }),
  createRoute({ ...served, ...at("/join", () => import("./sign-in/Join.tsx"), "Join") }),
  createRoute({ ...served, ...at("/public/$population", () => import("./public/PublicPage.tsx"), "PublicPage") }),
  createRoute({ ...open, ...at("/explore", () => import("./explore/Explore.tsx"), "Explore") }),
] as const;

const explored = explorePages.map((page) =>
  createRoute({ ...open, path: `/explore/${page.path}`, component: lazy(() => loaded(page.load), "page") }),
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
    /** A question for the line of a dataset; of another time it is another one. */
    readonly ask?: { readonly text: string; readonly at: number };
    /** What its rows cost on its card, in turn. */
    readonly prices?: readonly string[];
    readonly repeat?: { readonly plan: object; readonly release: string; readonly epsilon: string | null };
  }
}
