import { dateText, momentText, timeText } from "./written.ts";

/** How a format of numbers shows them. An elapsed time (`[h]:mm`) is a number of days. */
export type Shown = "number" | "date" | "time" | "moment";

const DAY_MS = 86_400_000;
/** 1899-12-30 and 1904-01-01. */
const ORIGIN_MS = { 1900: -2_209_161_600_000, 1904: -2_082_844_800_000 };

/** Formats that are not written out in a workbook, by their number: ECMA-376, part 1, 18.8.30. */
function builtIn(id: number): Shown {
  if (id === 22) return "moment";
  if ((id >= 18 && id <= 21) || id === 45 || id === 47 || (id >= 32 && id <= 35)) return "time";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return "date";
  return "number";
}

/** How a format shows a number: by the letters of its first section that are neither quoted nor a name of a colour, place or condition. */
export function shownBy(id: number, code: string | undefined): Shown {
  if (code === undefined) return builtIn(id);
  const [section = ""] = code.replace(/"[^"]*"|\\.|[_*]./g, "").split(";");
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return "number";
  const letters = section
    .replace(/\[[^\]]*\]/g, "")
    .replace(/am\/pm|a\/p|general/gi, "")
    .toLowerCase();
  const hasTime = /[hs]/.test(letters);
  const hasDate = /[yd]/.test(letters) || (/m/.test(letters) && !hasTime);
  return hasDate ? (hasTime ? "moment" : "date") : hasTime ? "time" : "number";
}

/** A count of days as its format shows it. What Excel cannot show as a date is missing. */
export function dayText(serial: number, shown: Exclude<Shown, "number">, system: 1900 | 1904): string {
  if (!(serial >= 0 && serial < 2_958_466)) return "";
  const ms = Math.round(serial * DAY_MS);
  const part = String(ms % 1000).padStart(3, "0");
  if (shown === "time") return timeText(ms, part);
  const day = Math.floor(ms / DAY_MS);
  if (system === 1900 && day < 1) return "";
  // Excel counts a 29 February 1900, which did not exist: it is written, and every reader takes it for no date.
  if (system === 1900 && day === 60) return shown === "date" ? "1900-02-29" : `1900-02-29T${timeText(ms, part)}`;
  const at = ORIGIN_MS[system] + ms + (system === 1900 && day < 60 ? DAY_MS : 0);
  return shown === "date" ? dateText(at) : momentText(at, part);
}
