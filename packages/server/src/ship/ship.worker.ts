import { PrivacyError } from "@dosimeter/core";
import { serveThread } from "../threads/serve-thread.ts";
import { Taken } from "./place.ts";
import { Emptied, openShipper, type Shipped, type Shipper, type ShipTo } from "./shipper.ts";

/** What the server asks of the process that ships. */
export interface ShipAsked {
  readonly to: ShipTo;
  readonly what:
    | { readonly ship: number }
    | { readonly files: true }
    | { readonly erase: string }
    | { readonly end: true };
}

/** An error as a code: its words may name a path. */
export interface ShipAnswer {
  readonly shipped?: Shipped;
  readonly problem?: string;
  /** Another server ships there. */
  readonly isTaken?: boolean;
}

function serveShipper(): void {
  // A terminal and a supervisor send them to every process: this one ends with the server, which still has something to ship.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
  // The next server has a process of its own, which one that outlives its server would take the place from.
  process.on("disconnect", () => process.exit());
  let open: Shipper | null = null;
  const done = async ({ to, what }: ShipAsked): Promise<ShipAnswer> => {
    open ??= openShipper(to);
    if ("ship" in what) return { shipped: await open.ship(what.ship) };
    if ("files" in what) await open.files();
    else if ("erase" in what) await open.erase(what.erase);
    else open.end();
    return {};
  };
  serveThread<ShipAsked, ShipAnswer>(
    (asked) =>
      done(asked).catch((error: unknown) => {
        if (error instanceof Taken) return { problem: "TAKEN", isTaken: true };
        if (error instanceof Emptied) return { problem: "EMPTIED" };
        const { code } = error as NodeJS.ErrnoException;
        return { problem: error instanceof PrivacyError || code === undefined ? "OTHER" : code };
      }),
    { givesWay: false }, // answers wait for it
  );
}

serveShipper();
