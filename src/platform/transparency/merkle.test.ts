import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  consistencyProof,
  emptyRoot,
  emptyTree,
  growTree,
  hashLeaf,
  hashNode,
  inclusionProof,
  readEdge,
  readRoot,
  rootOfEdge,
  verifyConsistency,
  verifyInclusion,
  type ReadTile,
  type TreeEdge,
} from './merkle.ts';
import { grownTiles, tilePath } from './tiles.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The tests of Certificate Transparency: roots and proofs of trees with these leaves. */
const knownLeaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((leaf) => hashLeaf(Buffer.from(leaf, 'hex')));
const knownRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const knownInclusionProofs = [
  { index: 0, size: 1, proof: [] },
  {
    index: 0,
    size: 8,
    proof: [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  },
  {
    index: 5,
    size: 8,
    proof: [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  },
  {
    index: 2,
    size: 3,
    proof: ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  },
];
const knownConsistencyProofs = [
  { from: 1, to: 1, proof: [] },
  {
    from: 1,
    to: 8,
    proof: [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  },
  {
    from: 6,
    to: 8,
    proof: [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  },
  {
    from: 2,
    to: 5,
    proof: [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  },
];

/** Leaf hashes of a tree, and the definitions of RFC 6962 section 2.1 as they stand there. */
class NaiveTree {
  readonly leaves: Buffer[];
  #nodes = new Map<string, Buffer>();

  constructor(leaves: Buffer[]) {
    this.leaves = leaves;
  }

  /** MTH(D[start:end]) */
  root(start: number, end: number): Buffer {
    if (end === start) return emptyRoot;
    if (end - start === 1) return this.leaves[start]!;
    return this.#nodes.getOrInsertComputed(`${start}-${end}`, () => {
      const middle = start + this.#split(end - start);
      return hashNode(this.root(start, middle), this.root(middle, end));
    });
  }

  /** PATH(m, D[start:end]) */
  path(m: number, start: number, end: number): Buffer[] {
    const n = end - start;
    if (n === 1) return [];
    const k = this.#split(n);
    return m < k
      ? [...this.path(m, start, start + k), this.root(start + k, end)]
      : [...this.path(m - k, start + k, end), this.root(start, start + k)];
  }

  /** SUBPROOF(m, D[start:end], b) */
  subproof(m: number, start: number, end: number, b: boolean): Buffer[] {
    const n = end - start;
    if (m === n) return b ? [] : [this.root(start, end)];
    const k = this.#split(n);
    return m <= k
      ? [...this.subproof(m, start, start + k, b), this.root(start + k, end)]
      : [...this.subproof(m - k, start + k, end, false), this.root(start, start + k)];
  }

  #split(n: number): number {
    return 2 ** Math.floor(Math.log2(n - 1));
  }
}

const madeLeaves = (count: number) =>
  Array.from({ length: count }, (_, index) => hashLeaf(Buffer.from(`leaf ${index}`)));

/** Appends leaves in batches and keeps every tile that was written. */
class StoredTree {
  edge: TreeEdge = emptyTree;
  readonly tiles = new Map<string, Buffer>();
  readonly reads: string[] = [];

  readonly read: ReadTile = async (tile) => {
    this.reads.push(tilePath(tile));
    const data = this.tiles.get(tilePath(tile));
    assert.ok(data, `no tile ${tilePath(tile)}`);
    return data;
  };

  append(leaves: Buffer[]): void {
    const { edge, tiles } = growTree(this.edge, leaves);
    const grown = grownTiles(this.edge.size, edge.size).filter(({ level }) => level !== 'entries');
    assert.deepEqual(tiles.map(tilePath), grown.map(tilePath));
    for (const tile of tiles) this.tiles.set(tilePath(tile), tile.hashes);
    this.edge = edge;
  }
}

/** A tree that had every size from 0 on. */
function treeOfEverySize(leaves: Buffer[]): StoredTree {
  const tree = new StoredTree();
  for (const leaf of leaves) tree.append([leaf]);
  return tree;
}

describe('vectors of Certificate Transparency', () => {
  const tree = treeOfEverySize(knownLeaves);

  it('roots', async () => {
    for (const [size, root] of knownRoots.entries()) {
      assert.equal(hex(await readRoot(size, tree.read)), root);
    }
  });

  it('inclusion proofs', async () => {
    for (const { index, size, proof } of knownInclusionProofs) {
      const computed = await inclusionProof(index, size, tree.read);
      assert.deepEqual(computed.map(hex), proof);
    }
  });

  it('consistency proofs', async () => {
    for (const { from, to, proof } of knownConsistencyProofs) {
      const computed = await consistencyProof(from, to, tree.read);
      assert.deepEqual(computed.map(hex), proof);
    }
  });
});

/** Returns a random integer of a range with both ends. */
const random = (min: number, max: number) => min + Math.floor(Math.random() * (max - min + 1));

/** Numbers below the limit: all below 34, else the ends and about twelve between, others for each limit. */
function chosen(limit: number): number[] {
  const all = Array.from({ length: limit }, (_, index) => index);
  if (limit < 34) return all;
  const step = Math.ceil(limit / 12);
  return all.filter((one) => one === 0 || one === limit - 1 || one % step === limit % step);
}

/** Compares proofs; much faster than `deepEqual`. */
function assertSame(proof: Buffer[], expected: Buffer[]): void {
  assert.equal(hex(Buffer.concat(proof)), hex(Buffer.concat(expected)));
}

describe('compared with the definitions of RFC 6962', () => {
  const naive = new NaiveTree(madeLeaves(130));
  const tree = treeOfEverySize(naive.leaves);

  it('the root of every size up to 130', async () => {
    for (let size = 0; size <= 130; size++) {
      assert.deepEqual(await readRoot(size, tree.read), naive.root(0, size));
    }
  });

  it('proofs of leaves in every size up to 130, and their verification', async () => {
    for (let size = 1; size <= 130; size++) {
      const root = naive.root(0, size);
      for (const index of chosen(size)) {
        const proof = await inclusionProof(index, size, tree.read);
        assertSame(proof, naive.path(index, 0, size));
        const leafHash = naive.leaves[index]!;
        assert.ok(verifyInclusion({ index, size, leafHash, root, proof }), `${index} in ${size}`);
      }
    }
  });

  it('the consistency of sizes up to 130, and its verification', async () => {
    for (let to = 0; to <= 130; to++) {
      for (const from of [...chosen(to), to]) {
        const proof = await consistencyProof(from, to, tree.read);
        assertSame(proof, from === 0 ? [] : naive.subproof(from, 0, to, true));
        const [fromRoot, toRoot] = [naive.root(0, from), naive.root(0, to)];
        assert.ok(verifyConsistency({ from, to, fromRoot, toRoot, proof }), `${from} to ${to}`);
      }
    }
  });

  it('random trees of up to 70,000 leaves, appended in random batches', async () => {
    const large = new NaiveTree(madeLeaves(70_000));
    const sizes = [256, 65_536, 65_792, ...Array.from({ length: 5 }, () => random(1, 70_000))];
    for (const size of sizes) {
      const stored = new StoredTree();
      const checkpoints = [];
      while (stored.edge.size < size) {
        const batch = random(1, 12_000);
        stored.append(
          large.leaves.slice(stored.edge.size, Math.min(size, stored.edge.size + batch)),
        );
        checkpoints.push(stored.edge.size);
      }
      const root = large.root(0, size);
      assert.deepEqual(rootOfEdge(stored.edge), root, `size ${size}`);
      assert.deepEqual(await readEdge(size, stored.read), stored.edge);
      for (const from of checkpoints) {
        const proof = await consistencyProof(from, size, stored.read);
        assertSame(proof, large.subproof(from, 0, size, true));
        const fromRoot = await readRoot(from, stored.read);
        assert.ok(verifyConsistency({ from, to: size, fromRoot, toRoot: root, proof }));
      }
      for (const index of [0, size - 1, random(0, size - 1), random(0, size - 1)]) {
        const proof = await inclusionProof(index, size, stored.read);
        assertSame(proof, large.path(index, 0, size));
        const leafHash = large.leaves[index]!;
        assert.ok(verifyInclusion({ index, size, leafHash, root, proof }));
      }
    }
  });
});

describe('growTree', () => {
  it('leaves the given edge as it was', () => {
    const leaves = madeLeaves(300);
    const { edge } = growTree(emptyTree, leaves.slice(0, 200));
    const root = rootOfEdge(edge);
    const first = growTree(edge, leaves.slice(200));
    assert.deepEqual(rootOfEdge(edge), root);
    assert.deepEqual(growTree(edge, leaves.slice(200)), first);
  });

  it('writes nothing without leaves', () => {
    const { edge } = growTree(emptyTree, madeLeaves(257));
    assert.deepEqual(growTree(edge, []), { edge, tiles: [] });
  });
});

describe('reading tiles', () => {
  it('reads each tile once for a proof', async () => {
    const stored = new StoredTree();
    stored.append(madeLeaves(65_793));
    await inclusionProof(300, 65_793, stored.read);
    assert.deepEqual(stored.reads.toSorted(), [
      'tile/0/001',
      'tile/0/257.p/1',
      'tile/1/000',
      'tile/1/001.p/1',
    ]);
  });

  it('takes the full tile in place of a partial one', async () => {
    const leaves = madeLeaves(256);
    const tree = growTree(emptyTree, leaves);
    const full = tree.tiles[0]!.hashes;
    const proof = await inclusionProof(3, 5, async () => full);
    assert.deepEqual(proof, new NaiveTree(leaves).path(3, 0, 5));
  });

  it('refuses a tile that is too short', async () => {
    await assert.rejects(
      inclusionProof(3, 5, async () => Buffer.alloc(4 * 32)),
      /tile\/0\/000\.p\/5 has 128 bytes instead of 160/,
    );
  });

  it('refuses leaves and sizes that do not exist', async () => {
    const read: ReadTile = () => assert.fail('reads nothing');
    for (const [index, size] of [
      [5, 5],
      [-1, 5],
      [0.5, 5],
      [0, 2 ** 53],
    ] as const) {
      await assert.rejects(inclusionProof(index, size, read), RangeError);
    }
    await assert.rejects(consistencyProof(6, 5, read), RangeError);
    await assert.rejects(consistencyProof(-1, 5, read), RangeError);
  });
});

describe('verification refuses', () => {
  const naive = new NaiveTree(madeLeaves(60));
  /** Each proof with one hash altered, removed or added. */
  const mutate = (proof: Buffer[]) => [
    ...proof.map((hash, at) => proof.with(at, Buffer.from(hash.map((byte) => byte ^ 1)))),
    ...proof.map((_, at) => proof.toSpliced(at, 1)),
    [...proof, naive.leaves[0]!],
    [naive.leaves[0]!, ...proof],
    [...proof, Buffer.alloc(31)],
  ];

  it('an inclusion proof, leaf, index, size or root that is not right', () => {
    for (const size of [1, 2, 7, 32, 33, 60]) {
      for (let index = 0; index < size; index++) {
        const root = naive.root(0, size);
        const leafHash = naive.leaves[index]!;
        const proof = naive.path(index, 0, size);
        const claim = { index, size, leafHash, root, proof };
        for (const wrong of mutate(proof)) {
          assert.ok(!verifyInclusion({ ...claim, proof: wrong }));
        }
        assert.ok(!verifyInclusion({ ...claim, leafHash: hashLeaf(Buffer.from('other')) }));
        assert.ok(!verifyInclusion({ ...claim, root: hashLeaf(root) }));
        for (let other = -1; other <= size; other++) {
          if (other !== index) assert.ok(!verifyInclusion({ ...claim, index: other }));
        }
        assert.ok(!verifyInclusion({ ...claim, size: index }));
        assert.ok(!verifyInclusion({ ...claim, size: size * 4 }));
      }
    }
  });

  it('a consistency proof, size or root that is not right', () => {
    for (const [from, to] of [
      [0, 5],
      [1, 2],
      [4, 8],
      [6, 8],
      [31, 60],
      [32, 60],
      [59, 60],
      [60, 60],
    ] as const) {
      const [fromRoot, toRoot] = [naive.root(0, from), naive.root(0, to)];
      const proof = from === 0 ? [] : naive.subproof(from, 0, to, true);
      const claim = { from, to, fromRoot, toRoot, proof };
      assert.ok(verifyConsistency(claim));
      for (const wrong of mutate(proof)) assert.ok(!verifyConsistency({ ...claim, proof: wrong }));
      assert.ok(!verifyConsistency({ ...claim, fromRoot: hashLeaf(fromRoot) }));
      if (from > 0) assert.ok(!verifyConsistency({ ...claim, toRoot: hashLeaf(toRoot) }));
      assert.ok(!verifyConsistency({ ...claim, from: from + 1 }));
      assert.ok(!verifyConsistency({ ...claim, from: to, to: from }) || from === to);
    }
  });

  it('more hashes than the tree has levels, though they lead to the root', () => {
    const [leafHash, extra] = naive.leaves as [Buffer, Buffer];
    const root = hashNode(extra, leafHash);
    assert.ok(!verifyInclusion({ index: 0, size: 1, leafHash, root, proof: [extra] }));
    const fromRoot = hashNode(extra, naive.root(0, 3));
    const toRoot = hashNode(extra, naive.root(0, 4));
    const proof = [...naive.subproof(3, 0, 4, true), extra];
    assert.ok(!verifyConsistency({ from: 3, to: 4, fromRoot, toRoot, proof }));
  });
});
