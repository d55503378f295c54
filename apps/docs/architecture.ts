/** The drawn architecture as it stands in a page: in the paints of the page's theme, which `FIGURE_STYLE` sets, on its ground. */
export const architectureMarkup = (file: string, words: string): string => {
  const svg = file
    .replace(/<style>[\s\S]*?<\/style>\n/, "")
    .replace(/<rect width="480" [^>]*>\n/, "")
    .replace(/<title>[^<]*<\/title>\n/, "")
    .replace(" role=", ` aria-label="${words}" role=`)
    .trim();
  return `<figure class="live not-content" data-figure="architecture" data-pagefind-ignore>${svg}</figure>`;
};
