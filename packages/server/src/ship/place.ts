import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";

/** What a place holds: `00000012.ship`, the twelfth generation, and below `files` what else a folder needs, each as an age file. */
const GENERATION = /^(\d{8})\.ship$/;
export const PARTIAL = ".partial";
export const FILES = "files";
export const ENCRYPTED = ".age";

const nameOf = (number: number): string => `${String(number).padStart(8, "0")}.ship`;

/** The numbers of the whole generations, oldest first. */
export const generationsIn = (place: string): readonly number[] =>
  (existsSync(place) ? readdirSync(place) : [])
    .flatMap((name) => GENERATION.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

export const pathOf = (place: string, number: number): string => join(place, nameOf(number));

/** Whether a folder is such a place. */
export const isPlace = (path: string): boolean => {
  try {
    return generationsIn(path).length > 0;
  } catch {
    return false;
  }
};

/** Files next to the ledger database that are shipped, as they are named in an archive; marks come and go, and are not. */
export const isShipped = (name: string): boolean =>
  /^(fil_\w+\.(csv|parquet|json|declared)|recognition\.key)$/.test(name);

/** Without links, also of what is not there yet. */
const realOf = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realOf(dirname(path)), basename(path));

/** Whether one of the two folders is the other, or in it: a disk that is lost takes both. */
export function areNested(place: string, own: string): boolean {
  const [there, here] = [place, own].map((path) => realOf(resolve(path)));
  const isIn = (one = "", other = "") => !/^\.\.(\/|$)/.test(relative(other, one));
  return isIn(there, here) || isIn(here, there);
}

/** INVALID_PARAMETER for those. */
export function refuseNested(place: string, own: string): void {
  if (areNested(place, own)) invalid("DOSIMETER_SHIP", place, "a folder of another disk than the data folder");
}

export class Taken extends PrivacyError {
  constructor() {
    super(
      "CONFLICT",
      { name: "DOSIMETER_SHIP" },
      "another server writes to this place, or another ledger database is there",
    );
  }
}
