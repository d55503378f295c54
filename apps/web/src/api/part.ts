import { lazy as reactLazy } from "react";
import { askServer, isLost, isServed, whenReached } from "./connection.ts";

/** What browsers, and the bundler for a style sheet, say of a part that did not come. */
const NOT_LOADED = /dynamically imported module|importing a module script|preload CSS/i;
const GONE = "A part of this page could not be loaded";

/** The server answers, and does not have a part of this page any more. */
export const isGone = (error: unknown): boolean => error instanceof Error && error.message === GONE;

/** Loads a part of the pages. While the server is away it waits, and what shows stays. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  for (let answers = 0; ; ) {
    try {
      return await load();
    } catch (error) {
      if (!isServed || !(error instanceof Error) || !NOT_LOADED.test(error.message)) throw error;
      await askServer();
      if (!isLost()) answers += 1;
      if (answers > 1) throw new Error(GONE, { cause: error });
      await whenReached();
      // The bundler asks for a style sheet once.
      for (const sheet of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]"))
        if (sheet.sheet === null) sheet.replaceWith(sheet.cloneNode());
    }
  }
}

export const lazy: typeof reactLazy = (load) => reactLazy(() => loaded(load));
