import { PrivacyError } from "@dosimeter/core";
import { Drawer } from "@mantine/core";
import { IconMenu2 } from "@tabler/icons-react";
import { Link, Navigate, Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useMe } from "../api.ts";
import { mode } from "../mode.ts";
import { Mark } from "./Mark.tsx";
import { Rail } from "./Rail.tsx";

/** The frame of every page: skip link, side bar or top bar, the page, and the announcement of page changes. */
export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById("page")?.focus()}>
        Skip to the page
      </button>
      <Announcer />
      {path === "/sign-in" ? (
        <Outlet />
      ) : (
        <div className="shell">
          <Rail />
          <div>
            <header className="topbar">
              <Link to="/" className="brand">
                <Mark size={28} /> Dosimeter
              </Link>
              <button type="button" aria-label="Open the menu" aria-expanded={isOpen} onClick={() => setOpen(true)}>
                <IconMenu2 size={22} aria-hidden />
              </button>
            </header>
            <Drawer
              className="rail-drawer"
              opened={isOpen}
              onClose={() => setOpen(false)}
              size={264}
              withCloseButton={false}
              title={undefined}
              aria-label="Menu"
            >
              <Rail onChosen={() => setOpen(false)} />
            </Drawer>
            <main id="page" className="page" tabIndex={-1}>
              <SignedIn path={path} />
            </main>
          </div>
        </div>
      )}
    </>
  );
}

/** Explore is open to everyone; everything else asks who is there first. */
function SignedIn({ path }: { path: string }) {
  const me = useMe();
  const isOpenToAll = mode === "static" || path.startsWith("/explore");
  if (!isOpenToAll && me.error instanceof PrivacyError && me.error.code === "UNAUTHENTICATED") {
    return <Navigate to="/sign-in" search={path === "/" ? {} : { next: path }} replace />;
  }
  return <Outlet />;
}

/** Says the new page's title and moves the focus to it, as a browser does for a full page. */
function Announcer() {
  const router = useRouter();
  const [said, say] = useState("");
  const isFirst = useRef(true);
  useEffect(
    () =>
      router.subscribe("onResolved", ({ pathChanged }) => {
        if (!pathChanged && !isFirst.current) return;
        if (isFirst.current) {
          isFirst.current = false;
          return;
        }
        document.getElementById("page")?.focus({ preventScroll: true });
        setTimeout(() => say(document.title), 150);
      }),
    [router],
  );
  return (
    <div aria-live="polite" className="visually-hidden">
      {said}
    </div>
  );
}
