const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A UTC time of the wire as the reader's own clock writes it. */
export const dayText = (iso: string): string => day.format(new Date(iso));
export const momentText = (iso: string): string => moment.format(new Date(iso));
