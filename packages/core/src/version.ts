/** Of every package here: they are released together. */
export const VERSION = "0.1.0" as string;
