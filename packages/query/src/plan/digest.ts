import { leastWhole } from "@dosimeter/core/internal";

/** SHA-256 (FIPS 180-4) of a text in UTF-8, as hexadecimal: the same in a browser without TLS as on a server. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = (bytes.length + 8 + 64) >> 6;
  const padded = new DataView(new ArrayBuffer(blocks * 64));
  bytes.forEach((byte, index) => {
    padded.setUint8(index, byte);
  });
  padded.setUint8(bytes.length, 0x80);
  padded.setBigUint64(blocks * 64 - 8, 8n * BigInt(bytes.length));
  const state = squareRoots.slice();
  for (let block = 0; block < blocks; block++) compress(state, padded, block * 64);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** The first 32 bits of the fractional part of the `degree`th root of each of the first primes. */
function fractions(count: number, degree: 2n | 3n): Uint32Array {
  const primes: bigint[] = [];
  for (let n = 2n; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0n)) primes.push(n);
  return Uint32Array.from(primes, (prime) => {
    const scaled = prime << (32n * degree);
    const root = leastWhole((value) => value ** degree > scaled, 0n, 1n << 40n) - 1n;
    return Number(root & 0xffffffffn);
  });
}

const squareRoots = fractions(8, 2n);
const cubeRoots = fractions(64, 3n);
const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function compress(state: Uint32Array, data: DataView, at: number): void {
  const words = new Uint32Array(64);
  const word = (index: number): number => words[index] ?? 0;
  for (let i = 0; i < 16; i++) words[i] = data.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const [a, b] = [word(i - 15), word(i - 2)];
    const near = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const far = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    words[i] = word(i - 16) + near + word(i - 7) + far;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const sum = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + sum + ((e & f) ^ (~e & g)) + (cubeRoots[i] ?? 0) + word(i)) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = (state[index] ?? 0) + value;
  });
}
