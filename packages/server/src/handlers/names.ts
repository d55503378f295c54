export const holdsText = (name: string, text: string): boolean =>
  name.toLowerCase().includes(text.normalize("NFC").toLowerCase());

/** Whether a name is the one asked for; any is when none is asked for. */
export const isNamed = (name: string, asked: string | undefined): boolean =>
  asked === undefined || name === asked.normalize("NFC");
