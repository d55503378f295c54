import {
  IconBell,
  IconCompass,
  IconDatabase,
  IconHistory,
  IconHome,
  IconInbox,
  IconLayoutGrid,
  IconListSearch,
  IconReportAnalytics,
  IconSettings,
  IconShieldCheck,
  IconUsers,
  IconUsersGroup,
} from "@tabler/icons-react";
import type { useMe } from "../api/session.ts";
import { readsAudit } from "../audit/reads-audit.ts";

type Me = ReturnType<typeof useMe>["data"];

const signedIn = (me: Me) => me !== undefined;

/** The documentation that ships with the pages: plain files next to them, also without a server. */
export const DOCS = "docs/index.html";

/** Every page of the navigation, in its order, and who is offered it. */
const shellPages = [
  { to: "/", title: "Home", Icon: IconHome, isFor: signedIn },
  { to: "/datasets", title: "Datasets", Icon: IconDatabase, isFor: signedIn },
  { to: "/catalog", title: "Catalogue", Icon: IconListSearch, isFor: signedIn },
  { to: "/releases", title: "Releases", Icon: IconReportAnalytics, isFor: signedIn },
  { to: "/dashboards", title: "Dashboards", Icon: IconLayoutGrid, isFor: signedIn },
  { to: "/requests", title: "Requests", Icon: IconInbox, isFor: signedIn },
  { to: "/teams", title: "Teams", Icon: IconUsersGroup, isFor: signedIn },
  { to: "/people", title: "People", Icon: IconUsers, isFor: signedIn },
  { to: "/activity", title: "Activity", Icon: IconHistory, isFor: signedIn },
  { to: "/audit", title: "Audit", Icon: IconShieldCheck, isFor: readsAudit },
  { to: "/notifications", title: "Notifications", Icon: IconBell, isFor: signedIn },
  { to: "/settings", title: "Settings", Icon: IconSettings, isFor: signedIn },
  { to: "/explore", title: "Explore", Icon: IconCompass, isFor: () => true },
] as const;

export const pagesFor = (me: Me) => shellPages.filter(({ isFor }) => isFor(me));
