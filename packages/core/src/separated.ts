import { invalid } from "./error.ts";

const QUOTE = '"';
const LF = 0x0a;
const CR = 0x0d;

/** The first of those that occur equally often is taken. */
const SEPARATORS = [",", ";", "\t", "|"];

/** What a sign of a separated text is. */
export const Step = {
  /** A quote, what is left of a line end, or part of a comment. */
  sign: 0,
  content: 1,
  /** The end of a cell that another follows. */
  cell: 2,
  /** The end of a record and its last cell. */
  record: 3,
  /** The end of a line that holds nothing at all. */
  blank: 4,
  comment: 5,
} as const;
export type Step = (typeof Step)[keyof typeof Step];

interface Signs {
  readonly separator: string;
  /** Lines that begin with it are no records. */
  readonly comment?: string | undefined;
  /** A double quote when absent; "none" where every sign is a letter. */
  readonly quote?: string | undefined;
  /** Throws: what is there, and what must be. */
  readonly refuse: (got: string, want: string) => never;
}

type Newline = "\n" | "\r\n" | "\r";

const State = { start: 0, plain: 1, quoted: 2, closed: 3, comment: 4 } as const;
type State = (typeof State)[keyof typeof State];

/**
 * RFC 4180, one sign after another: cells in double quotes hold separators, line ends and doubled quotes, and a quote anywhere else
 * than first in a cell is a letter. One kind of line end, LF, CRLF or CR, stands outside quotes. It takes UTF-16 or bytes of UTF-8, in
 * which all signs that it knows are the same.
 */
export class SeparatedMachine {
  readonly #separator: number;
  readonly #comment: number;
  readonly #quote: number;
  readonly #refuse: Signs["refuse"];
  #state: State = State.start;
  #isFirst = true;
  #afterReturn = false;
  #newline: Newline | null = null;
  #hasComments = false;
  #hasSigns = false;
  #hasQuotedEnds = false;

  constructor({ separator, comment, quote = QUOTE, refuse }: Signs) {
    this.#separator = separator.charCodeAt(0);
    this.#comment = comment === undefined ? -1 : comment.charCodeAt(0);
    this.#quote = quote === "none" ? -1 : quote.charCodeAt(0);
    this.#refuse = refuse;
  }

  take(unit: number): Step {
    if (this.#state === State.quoted) {
      if (unit === this.#quote) {
        this.#state = State.closed;
        return Step.sign;
      }
      if (unit === LF || unit === CR) this.#hasQuotedEnds = true;
      return Step.content;
    }
    if (this.#afterReturn) {
      this.#afterReturn = false;
      if (unit === LF) {
        this.#found("\r\n");
        return Step.sign;
      }
      this.#found("\r");
    }
    if (unit === LF || unit === CR) {
      if (unit === CR) this.#afterReturn = true;
      else this.#found("\n");
      return this.#endLine();
    }
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#state === State.comment) return Step.sign;
    if (unit === this.#comment) {
      if (isFirst) {
        this.#state = State.comment;
        this.#hasComments = true;
        return Step.sign;
      }
      this.#hasSigns = true;
    }
    if (unit === this.#separator) {
      this.#state = State.start;
      return Step.cell;
    }
    if (unit === this.#quote && this.#state !== State.plain) {
      const isDoubled = this.#state === State.closed;
      this.#state = State.quoted;
      return isDoubled ? Step.content : Step.sign;
    }
    if (this.#state === State.closed)
      this.#refuse("a letter after a closing quote", "nothing between a closing quote and the next delimiter");
    this.#state = State.plain;
    return Step.content;
  }

  /** Where the letters end that follow within a cell and need no look, if any do: `take` would call all of them content. */
  skip(units: Uint8Array, from: number): number {
    let at = from;
    if (this.#state === State.plain) {
      const [separator, comment] = [this.#separator, this.#comment];
      for (; at < units.length; at += 1) {
        const unit = units[at];
        if (unit === separator || unit === LF || unit === CR || unit === comment) break;
      }
    } else if (this.#state === State.quoted) {
      for (; at < units.length; at += 1) {
        const unit = units[at];
        if (unit === this.#quote || unit === LF || unit === CR) break;
      }
    }
    return at;
  }

  /** The end of the text, which ends its last line where that holds anything. */
  finish() {
    if (this.#state === State.quoted) this.#refuse("an open quote", "a closing quote for every opening one");
    if (this.#afterReturn) this.#found("\r");
    const last = this.#endLine();
    return {
      last,
      newline: this.#newline ?? "\n",
      /** Whether the sign of comments stands outside quotes within a record. */
      hasSigns: this.#hasSigns,
      /** Whether a cell holds a line end. */
      hasQuotedEnds: this.#hasQuotedEnds,
    };
  }

  get hasComments(): boolean {
    return this.#hasComments;
  }

  #found(newline: Newline): void {
    if (this.#newline !== newline && this.#newline !== null)
      this.#refuse("a second kind of line end", "one kind of line end");
    this.#newline = newline;
  }

  #endLine(): Step {
    const step = this.#isFirst ? Step.blank : this.#state === State.comment ? Step.comment : Step.record;
    this.#state = State.start;
    this.#isFirst = true;
    return step;
  }
}

/**
 * The separator that the first line holds most often outside quotes; a comma between two digits may be a decimal one and does not
 * count.
 */
export function separatorOf(text: string, comment?: string, quote = QUOTE): string {
  const possible = SEPARATORS.filter((separator) => separator !== comment);
  const counts = new Map<string, number>(possible.map((separator) => [separator, 0]));
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === quote) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (sign === "\n" || sign === "\r") break;
    const isDecimal = sign === "," && /^\d,\d$/.test(text.slice(Math.max(0, at - 1), at + 2));
    if (counts.has(sign) && !isDecimal) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best === undefined || best[1] === 0 ? "," : best[0];
}

/** A line of a separated text, or several where a cell holds a line end. */
export interface TextRecord {
  /** Of its beginning, from 1 on. */
  readonly line: number;
  /** None of a blank line. */
  readonly cells: readonly string[];
}

/** The records of a text without a byte-order mark, blank ones among them, comments left out. */
export function* recordsOf(
  text: string,
  { refuse, ...signs }: Omit<Signs, "refuse"> & { readonly refuse: (got: string, want: string, line: number) => never },
): Generator<TextRecord, void> {
  const machine = new SeparatedMachine({ ...signs, refuse: (got, want) => refuse(got, want, first) });
  let cells: string[] = [];
  let cell = "";
  let from = -1;
  let line = 1;
  let first = 1;
  for (let at = 0; at <= text.length; at += 1) {
    const unit = at < text.length ? text.charCodeAt(at) : -1;
    const step = unit < 0 ? machine.finish().last : machine.take(unit);
    if (step === Step.content) {
      if (from < 0) from = at;
    } else if (from >= 0) {
      cell += text.slice(from, at);
      from = -1;
    }
    if (unit === CR || (unit === LF && text.charCodeAt(at - 1) !== CR)) line += 1;
    if (step === Step.content || step === Step.sign) continue;
    if (step === Step.cell || step === Step.record) {
      cells.push(cell);
      cell = "";
      if (step === Step.cell) continue;
    }
    if (step === Step.record || (step === Step.blank && unit >= 0)) yield { line: first, cells };
    cells = [];
    first = line;
  }
}

/** A text that was read as rows of cells, all as wide as the first, without the blanks around a cell. */
export interface SeparatedTable {
  /** For messages: what the text is, such as the name of its file. */
  readonly name: string;
  readonly separator: string;
  /** Null where the first line is a row. */
  readonly heading: readonly string[] | null;
  readonly rows: readonly TextRecord[];
}

interface TableReading {
  /** Found in the first line when absent. */
  readonly separator?: string | undefined;
  readonly comment?: string;
  /** Absent: the first line is a heading unless all of its cells are numbers. */
  readonly heading?: "always";
  /** A row may lack its last cells: nothing is read into them. */
  readonly mayEndEarly?: boolean;
}

/**
 * Reads a separated text; its separator is a comma, a semicolon, a tab or a bar. A row with more cells or fewer
 * than the first line is refused, and so is a name that comes twice but for case. In a table of one column a blank line between others
 * is an empty cell.
 */
export function readTable(text: string, name: string, reading: TableReading = {}): SeparatedTable {
  const marked = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const { comment, mayEndEarly = false } = reading;
  const separator = reading.separator ?? separatorOf(firstLineOf(marked, comment), comment);
  const refuse = (got: string, want: string, line: number) => invalid(`${name}, line ${line}`, got, want);
  const records = [...recordsOf(marked, { separator, comment, refuse })].map(({ line, cells }) => ({
    line,
    cells: cells.map((cell) => cell.trim()),
  }));
  const end = records.findLastIndex(({ cells }) => cells.length > 0) + 1;
  const begin = records.findIndex(({ cells }) => cells.length > 0);
  const [first, ...more] = records.slice(Math.max(0, begin), end);
  if (first === undefined) return { name, separator, heading: null, rows: [] };
  const width = first.cells.length;
  const rows = more.flatMap((row) => (row.cells.length > 0 ? [row] : width > 1 ? [] : [{ ...row, cells: [""] }]));
  const odd = rows.find(({ cells }) => cells.length > width || (cells.length < width && !mayEndEarly));
  if (odd !== undefined)
    invalid(
      `the number of cells in ${name}, line ${odd.line}`,
      odd.cells.length,
      `${width}, as in line ${first.line}: ${WAYS_OUT[separator] ?? "a cell that holds the separator stands in double quotes"}`,
    );
  const isHeaded =
    reading.heading === "always" || first.cells.some((cell) => cell !== "" && !isNumber(cell, separator));
  if (!isHeaded) return { name, separator, heading: null, rows: [first, ...rows] };
  const names = first.cells.map((cell) => cell.toLowerCase()).filter((cell) => cell !== "");
  const twice = names.find((each, at) => names.indexOf(each) !== at);
  if (twice !== undefined) invalid(`the heading of ${name}`, twice, "names of which none comes twice");
  return { name, separator, heading: first.cells, rows };
}

const WAYS_OUT: Readonly<Record<string, string>> = {
  ",": "a cell that holds a comma stands in double quotes, and decimal commas need semicolons or tabs between cells",
};

/** The first line that is neither blank nor a comment. */
function firstLineOf(text: string, comment: string | undefined): string {
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    if (sign !== "\n" && sign !== "\r" && sign !== comment) return text.slice(at);
    if (sign === comment) while (at < text.length && text.charAt(at) !== "\n" && text.charAt(at) !== "\r") at += 1;
    else at += 1;
  }
  return "";
}

const POWER = String.raw`(?:[eE][+-]?\d+)?`;
const POINT = new RegExp(String.raw`^[+-]?(?:(?:\d+\.?\d*|\.\d+)${POWER}|Infinity)$`);
const COMMA = new RegExp(String.raw`^[+-]?(?:\d+,\d*|,\d+)${POWER}$`);
/** It may be a thousand and more as well as one and a part. */
const GROUPED = /^[+-]?[1-9]\d{0,2},\d{3}$/;

const isNumber = (cell: string, separator: string): boolean =>
  POINT.test(cell) || (separator !== "," && COMMA.test(cell));

/**
 * Reads the numbers of these columns: null where a cell holds none. Between commas decimals have a point, otherwise a point or a comma,
 * the same in all of these columns. A text whose only commas are those of numbers such as 1,234 could mean either, and is refused.
 */
export function numbersIn({ name, separator, rows }: SeparatedTable, columns: readonly number[]) {
  const found = rows.flatMap(({ line, cells }) => columns.map((column) => ({ line, cell: cells[column] ?? "" })));
  const commas = separator === "," ? [] : found.filter(({ cell }) => COMMA.test(cell));
  const point = found.find(({ cell }) => cell.includes(".") && POINT.test(cell));
  const [first] = commas;
  if (first !== undefined) {
    const refuse = (want: string) =>
      invalid(`${name}, line ${first.line}`, first.cell, `${want}: write decimal points, and no commas in thousands`);
    if (point !== undefined) refuse(`a number with a decimal point, as in line ${point.line}`);
    if (commas.every(({ cell }) => GROUPED.test(cell))) refuse("a number that can be read in one way only");
  }
  return ({ cells }: TextRecord, column: number): number | null => {
    const cell = cells[column] ?? "";
    if (POINT.test(cell)) return Number(cell);
    return first !== undefined && COMMA.test(cell) ? Number(cell.replace(",", ".")) : null;
  };
}

/** All numbers of some columns. A cell that is none is refused with its line. */
export function columnsIn(table: SeparatedTable, columns: readonly number[]): readonly (readonly number[])[] {
  const read = numbersIn(table, columns);
  return columns.map((column) =>
    table.rows.map((row) => {
      const cell = row.cells[column] ?? "";
      const number = read(row, column);
      if (number !== null) return number;
      const heading = table.heading === null ? "" : `, ${table.heading[column]}`;
      return invalid(`${table.name}, line ${row.line}${heading}`, cell === "" ? "a missing value" : cell, "a number");
    }),
  );
}
