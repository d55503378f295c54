/** Milliseconds as ISO 8601 text; what was asked last is not written anew. */
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
