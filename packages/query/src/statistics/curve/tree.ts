import type { TreeShape } from "../../plan/task.ts";
import { mixed, squaresOf, weightsOf } from "./factor.ts";

export function treeOver(leaves: number, fanOut: number): TreeShape {
  const sizes = [leaves];
  while ((sizes[0] ?? 1) > fanOut) sizes.unshift(Math.ceil((sizes[0] ?? 1) / fanOut));
  return { fanOut, sizes };
}

/** All nodes, level after level, from the leaves: every leaf is in one node of each level. */
export function treeCounts({ sizes, fanOut, factor }: TreeShape, leaves: readonly bigint[]): readonly bigint[] {
  if (factor !== undefined) return mixed(leaves, { factor });
  const levels = [leaves];
  for (let level = sizes.length - 2; level >= 0; level--) {
    const above = new Array<bigint>(sizes[level] ?? 0).fill(0n);
    levels[0]?.forEach((count, index) => {
      const parent = Math.floor(index / fanOut);
      above[parent] = (above[parent] ?? 0n) + count;
    });
    levels.unshift(above);
  }
  return levels.flat();
}

interface Merged {
  /** By level and node: the best estimate from the node and its descendants. */
  readonly estimates: readonly Float64Array[];
  readonly variances: readonly Float64Array[];
}

const lastChild = (parent: number, size: number, fanOut: number): number => Math.min(size, (parent + 1) * fanOut);

/**
 * Upwards: each node is averaged with the sum of its children, in inverse proportion to their variances. The noise of every node is
 * alike, so its variance is the unit.
 */
function merge({ sizes, fanOut }: TreeShape, noisy: readonly number[] | null): Merged {
  const estimates = sizes.map((size) => new Float64Array(size));
  const variances = sizes.map((size) => new Float64Array(size));
  let end = noisy?.length ?? 0;
  for (let level = sizes.length - 1; level >= 0; level--) {
    const size = sizes[level] ?? 0;
    end -= size;
    const below = sizes[level + 1];
    for (let node = 0; node < size; node++) {
      const measured = noisy?.[end + node] ?? 0;
      let [sum, spread] = [0, 0];
      if (below !== undefined)
        for (let child = node * fanOut; child < lastChild(node, below, fanOut); child++) {
          sum += estimates[level + 1]?.[child] ?? 0;
          spread += variances[level + 1]?.[child] ?? 0;
        }
      const variance = below === undefined ? 1 : spread / (1 + spread);
      (variances[level] as Float64Array)[node] = variance;
      (estimates[level] as Float64Array)[node] = below === undefined ? measured : variance * (measured + sum / spread);
    }
  }
  return { estimates, variances };
}

/**
 * The rows up to and with each leaf: weighted least squares over all noisy nodes, so that every node equals the sum of its
 * children (Hay et al. 2010, for incomplete trees) [M111].
 */
export function prefixSums(shape: TreeShape, noisy: readonly number[]): Float64Array {
  const { sizes, fanOut, factor } = shape;
  if (factor !== undefined) return mixedSums(weightsOf({ factor }, noisy.length), noisy);
  const { estimates, variances } = merge(shape, noisy);
  for (let level = 0; level + 1 < sizes.length; level++) {
    const below = estimates[level + 1] as Float64Array;
    const spread = variances[level + 1] as Float64Array;
    for (let node = 0; node < (sizes[level] ?? 0); node++) {
      const [from, to] = [node * fanOut, lastChild(node, below.length, fanOut)];
      let [sum, total] = [0, 0];
      for (let child = from; child < to; child++) {
        sum += below[child] ?? 0;
        total += spread[child] ?? 0;
      }
      const gap = (estimates[level]?.[node] ?? 0) - sum;
      for (let child = from; child < to; child++)
        below[child] = (below[child] ?? 0) + (gap * (spread[child] ?? 0)) / total;
    }
  }
  const leaves = estimates.at(-1) ?? new Float64Array();
  let sum = 0;
  return leaves.map((leaf) => {
    sum += leaf;
    return sum;
  });
}

const mixedSums = (weights: Float64Array, noisy: readonly number[]): Float64Array =>
  weights.map((_, at) => {
    let sum = 0;
    for (let back = 0; back <= at; back++) sum += (weights[back] ?? 0) * (noisy[at - back] ?? 0);
    return sum;
  });

/**
 * The weights of the noisy integers in the rows of some leaves: with X the leaves of each node and a the leaves wanted, the least squares of
 * M111 weigh by X(XᵀX)⁻¹a, and (XᵀX)⁻¹a is what they give for nodes that are a at the leaves and 0 above [M180].
 */
export function leafWeights(shape: TreeShape, leaves: readonly number[]): Float64Array {
  const { sizes, fanOut, factor } = shape;
  const many = sizes.at(-1) ?? 0;
  const nodes = new Float64Array(sizes.reduce((sum, size) => sum + size, 0));
  if (factor !== undefined) {
    const weights = weightsOf({ factor }, many);
    for (const leaf of leaves)
      for (let at = 0; at <= leaf; at++)
        nodes[at] = (nodes[at] ?? 0) + (weights[leaf - at] ?? 0) - (weights[leaf - 1 - at] ?? 0);
    return nodes;
  }
  for (const leaf of leaves) nodes[nodes.length - many + leaf] = 1;
  const sums = prefixSums(shape, [...nodes]);
  let node = 0;
  sizes.forEach((size, level) => {
    const width = fanOut ** (sizes.length - 1 - level);
    for (let k = 0; k < size; k++)
      nodes[node++] = (sums[Math.min(many, (k + 1) * width) - 1] ?? 0) - (k === 0 ? 0 : (sums[k * width - 1] ?? 0));
  });
  return nodes;
}

/**
 * Variance of each prefix sum, less a share of all rows where one is named. A prefix is a share φ of one node of each level and all nodes
 * left of it. Its part inside a node is not correlated with the node's total, so variances add over the levels [M111].
 */
export function prefixVariances(shape: TreeShape, less = 0): Float64Array {
  const { sizes, fanOut, factor } = shape;
  if (factor !== undefined) return squaresOf(weightsOf({ factor }, sizes[0] ?? 0));
  const { variances } = merge(shape, null);
  const before = variances.map((level) => {
    const sums = new Float64Array(level.length + 1);
    level.forEach((variance, index) => {
      sums[index + 1] = (sums[index] ?? 0) + variance;
    });
    return sums;
  });
  // Node by node, whose numbers are the same for all leaves below it: plans of many leaves are quoted between other requests.
  const many = sizes.at(-1) ?? 0;
  const sums = new Float64Array(many);
  const shares = new Float64Array(many).fill(1);
  let width = 1;
  for (let level = sizes.length - 1; level >= 0; level--, width *= fanOut) {
    const size = sizes[level] ?? 0;
    const at = before[level] as Float64Array;
    for (let node = 0; node < size; node++) {
      const parent = Math.floor(node / fanOut);
      const [from, to] = level === 0 ? [0, size] : [parent * fanOut, lastChild(parent, size, fanOut)];
      const left = (at[node] ?? 0) - (at[from] ?? 0);
      const own = (at[node + 1] ?? 0) - (at[node] ?? 0);
      const all = (at[to] ?? 0) - (at[from] ?? 0);
      const outside = left * (1 - less) ** 2 + (all - left - own) * less ** 2;
      for (let leaf = node * width; leaf < Math.min(many, (node + 1) * width); leaf++) {
        const share = shares[leaf] ?? 0;
        const covered = left + share * own;
        sums[leaf] =
          (sums[leaf] ?? 0) +
          (level === 0 ? outside + own * (share - less) ** 2 : left + share * share * own - (covered * covered) / all);
        shares[leaf] = covered / all;
      }
    }
  }
  return sums;
}

/**
 * The nearest non-decreasing curve: neighbours out of order are pooled. It is nowhere further from any rising curve
 * than `values`.
 */
export function isotonic(values: Iterable<number>): Float64Array {
  const means: number[] = [];
  const lengths: number[] = [];
  for (const value of values) {
    let [mean, length] = [value, 1];
    while (means.length > 0 && (means.at(-1) ?? 0) >= mean) {
      const [before = 0, many = 0] = [means.pop(), lengths.pop()];
      mean = (mean * length + before * many) / (length + many);
      length += many;
    }
    means.push(mean);
    lengths.push(length);
  }
  const curve = new Float64Array(lengths.reduce((a, b) => a + b, 0));
  let at = 0;
  means.forEach((mean, index) => {
    const to = at + (lengths[index] ?? 0);
    curve.fill(mean, at, to);
    at = to;
  });
  return curve;
}
