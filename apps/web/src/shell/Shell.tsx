import type { Visit } from "@dosimeter/client";
import { IconMenu2, IconSearch, IconX } from "@tabler/icons-react";
import {
  defaultStringifySearch,
  Link,
  Navigate,
  Outlet,
  type RouterState,
  rootRouteId,
  useRouter,
  useRouterState,
} from "@tanstack/react-router";
import { Suspense, useEffect, useRef, useState } from "react";
import { askServer, useLostAt } from "../api/connection.ts";
import { lazy } from "../api/part.ts";
import { useSession } from "../api/session.ts";
import { mode } from "../mode.ts";
import { keepFocus } from "../parts/browser.ts";
import { Mark } from "../parts/Mark.tsx";
import { Loading } from "../parts/Pending.tsx";
import { Rail } from "./Rail.tsx";
import { usePalette } from "./use-palette.tsx";

/** The frame of every page: skip link, side bar or top bar, the page, and the announcement of page changes. */
export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const palette = usePalette();
  const { path, search } = useRouterState({ select: shownPage, structuralSharing: true });
  useEffect(keepFocus, []);
  const session = useSession();
  const hasEnded = useEnded(session.data, path);
  // The front page has no side bar for who is not signed in, so it is drawn once that is known.
  const isOfNobody = path === "/" && !hasEnded && (session.isLoading || isStranger(session.data));
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById("page")?.focus()}>
        Skip to the page
      </button>
      <Announcer />
      <Lost />
      {palette.opened}
      <Paper />
      {path === "/sign-in" || path === "/first-admin" ? (
        <Outlet />
      ) : isOfNobody ? (
        <Suspense>{session.data === undefined ? null : <Landing />}</Suspense>
      ) : (
        <div className="shell">
          <Rail onFind={palette.find} />
          <div>
            <header className="topbar">
              <Link to="/" className="brand">
                <Mark size={28} /> Dosimeter
              </Link>
              <button type="button" aria-label="Find or do" onClick={palette.find}>
                <IconSearch size={22} aria-hidden />
              </button>
              <button type="button" aria-label="Open the menu" aria-expanded={isOpen} onClick={() => setOpen(true)}>
                <IconMenu2 size={22} aria-hidden />
              </button>
            </header>
            <Menu isOpen={isOpen} onClose={() => setOpen(false)} onFind={palette.find} />
            <main id="page" className="page" tabIndex={-1}>
              <SignedIn {...{ path, search, hasEnded }} />
            </main>
          </div>
        </div>
      )}
    </>
  );
}

/** The side bar as a dialog on narrow windows: the browser traps the focus, and Escape closes it. */
function Menu({ isOpen, onClose, onFind }: { isOpen: boolean; onClose: () => void; onFind: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} className="rail-dialog" aria-label="Menu" onClose={onClose} onCancel={onClose}>
      {isOpen ? (
        <>
          <button type="button" className="rail-close" aria-label="Close the menu" onClick={onClose}>
            <IconX size={22} aria-hidden />
          </button>
          <Rail
            onChosen={onClose}
            onFind={() => {
              onClose();
              onFind();
            }}
          />
        </>
      ) : null}
    </dialog>
  );
}

/**
 * Says on every page, and over dialogs, that the server cannot be reached. The region is always there, because screen readers only announce
 * changes inside a known one.
 */
function Lost() {
  const lostAt = useLostAt();
  useEffect(() => {
    if (lostAt === null) return undefined;
    // The router has followed its own links by now. Others would leave for a page that does not come.
    const stay = (event: MouseEvent): void => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (link?.origin === location.origin && link.target === "" && !link.href.startsWith("blob:"))
        event.preventDefault();
    };
    document.addEventListener("click", stay);
    return () => document.removeEventListener("click", stay);
  }, [lostAt]);
  if (lostAt === null) return <div role="status" />;
  return (
    <div className="lost" role="status">
      <p>
        The server has not answered since {lostAt.toLocaleTimeString()}. What you typed is kept, and this page tries
        again.
      </p>
      <button type="button" className="tool" onClick={() => void askServer()}>
        Try now
      </button>
    </div>
  );
}

/** Where the page is that shows: while the next one loads, the one before. */
function shownPage({ matches, location }: RouterState): { readonly path: string; readonly search: string } {
  const last = matches.at(-1);
  if (last === undefined || last.routeId === rootRouteId)
    return { path: location.pathname, search: location.searchStr };
  return { path: last.pathname, search: defaultStringifySearch(last.search) };
}

const Landing = lazy(async () => ({ default: (await import("../landing/Landing.tsx")).Landing }));

const isStranger = (visit: Visit | undefined): boolean => visit?.me === null && !visit.firstAdmin;

const openToAll = ["/explore", "/join", "/public/"] as const;

/** Shows public pages to everyone, and asks for a sign-in before the others. */
function SignedIn({ path, search, hasEnded }: { path: string; search: string; hasEnded: boolean }) {
  const session = useSession();
  const isOpenToAll = mode === "static" || openToAll.some((start) => path.startsWith(start));
  if (isOpenToAll) return <Outlet />;
  if (session.isLoading) return <Loading />; // no one is signed in perhaps, and may read nothing
  if (session.data?.me !== null) return <Outlet />;
  if (session.data.firstAdmin) return <Navigate to="/first-admin" replace />;
  const next = path === "/" && search === "" ? {} : { next: `${path}${search}` };
  return <Navigate to="/sign-in" search={hasEnded ? { ...next, ended: "yes" } : next} replace />;
}

/** Someone was signed in while this page was open, and has not signed out: every change of person loads the visit again. */
function useEnded(visit: Visit | undefined, path: string): boolean {
  const wasIn = useRef(false);
  if (visit === undefined || path === "/sign-in") wasIn.current = false;
  else if (visit.me !== null) wasIn.current = true;
  return wasIn.current && visit?.me === null;
}

/** Prints in the light theme even when the screen is dark. */
function Paper() {
  useEffect(() => {
    const { dataset } = document.documentElement;
    let scheme: string | undefined;
    const lighten = () => {
      scheme = dataset.mantineColorScheme;
      dataset.mantineColorScheme = "light";
    };
    const restore = () => {
      if (scheme !== undefined) dataset.mantineColorScheme = scheme;
    };
    window.addEventListener("beforeprint", lighten);
    window.addEventListener("afterprint", restore);
    return () => {
      window.removeEventListener("beforeprint", lighten);
      window.removeEventListener("afterprint", restore);
    };
  }, []);
  return null;
}

/**
 * Announces the new page's title and moves the focus to it, as a browser does for a full page load. A dialog that was
 * opened while the page was on its way keeps the focus.
 */
function Announcer() {
  const router = useRouter();
  const [said, say] = useState("");
  const isFirst = useRef(true);
  useEffect(
    () =>
      router.subscribe("onRendered", ({ pathChanged }) => {
        if (!pathChanged && !isFirst.current) return;
        if (isFirst.current) {
          isFirst.current = false;
          return;
        }
        if (!document.activeElement?.closest("[role=dialog]"))
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
