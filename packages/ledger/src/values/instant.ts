/** Milliseconds as ISO 8601 text; the last result is kept. */
export function instants(): (milliseconds: number) => string {
  let [last, text] = [Number.NaN, ""];
  return (milliseconds) => {
    if (milliseconds !== last) {
      text = new Date(milliseconds).toISOString();
      last = milliseconds;
    }
    return text;
  };
}
