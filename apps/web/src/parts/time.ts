const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A UTC time in the reader's time zone and format. */
export const dayText = (iso: string): string => day.format(new Date(iso));
export const momentText = (iso: string): string => moment.format(new Date(iso));
