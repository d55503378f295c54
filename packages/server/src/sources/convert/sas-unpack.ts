/** Unpacks one row, which it must fill; false where it does not. */
export const unpackedRow = (bytes: Buffer, row: Buffer, packing: string): boolean =>
  packing === "SASYZCRL" ? runs(bytes, row) : patterns(bytes, row);

/** What a byte begins: a number of bytes that follow, or a byte that is repeated; with `isLong` the next byte counts too. */
const RUNS: readonly (readonly [isLong: boolean, more: number, byte?: number | "next"] | null)[] = [
  ...([
    [true, 64],
    [true, 4160],
    [false, 96],
    null,
    [true, 18, "next"],
    [true, 17, 0x40],
    [true, 17, 0x20],
    [true, 17, 0],
  ] as const),
  ...([
    [false, 1],
    [false, 17],
    [false, 33],
    [false, 49],
    [false, 3, "next"],
    [false, 2, 0x40],
    [false, 2, 0x20],
    [false, 2, 0],
  ] as const),
];

/** SASYZCRL: runs of one byte. */
function runs(bytes: Buffer, row: Buffer): boolean {
  let [from, to] = [0, 0];
  while (from < bytes.length) {
    const control = bytes[from++] ?? 0;
    const run = RUNS[control >> 4];
    if (run === null || run === undefined) return false;
    const [isLong, more, byte] = run;
    const count = more + (isLong ? (control & 15) * 256 + (bytes[from++] ?? 0) : control & 15);
    if (to + count > row.length) return false;
    if (byte === undefined) {
      if (bytes.copy(row, to, from, from + count) < count) return false;
      from += count;
    } else row.fill(byte === "next" ? (bytes[from++] ?? 0) : byte, to, to + count);
    to += count;
  }
  return to === row.length;
}

/** SASYZCR2: runs, and what stood in the row before. */
function patterns(bytes: Buffer, row: Buffer): boolean {
  let [from, to, bits, mask] = [0, 0, 0, 0];
  const next = (): number => bytes[from++] ?? 0;
  while (from < bytes.length) {
    mask >>= 1;
    if (mask === 0) {
      bits = next() * 256 + next();
      mask = 0x8000;
      if (from >= bytes.length) break;
    }
    if ((bits & mask) === 0) {
      if (to === row.length) return false;
      row[to++] = next();
      continue;
    }
    const control = next();
    const [command, low] = [control >> 4, control & 15];
    if (command < 2) {
      const count = command === 0 ? low + 3 : low + next() * 16 + 19;
      if (to + count > row.length) return false;
      row.fill(next(), to, to + count);
      to += count;
      continue;
    }
    const back = low + 3 + next() * 16;
    const count = command === 2 ? next() + 16 : command;
    if (back > to || to + count > row.length) return false;
    for (const end = to + count; to < end; to += 1) row[to] = row[to - back] ?? 0;
  }
  return to === row.length;
}
