import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KeyedQueue } from './keyed-queue.ts';

it('a keyed queue gives out the items of a key to one taker at a time, and none twice', () => {
  const queue = new KeyedQueue<string>();
  for (const item of ['a1', 'b1', 'a2', 'c1', 'a3']) queue.push(item[0]!, item);
  assert.deepEqual(queue.take(2), { keys: ['a'], items: ['a1', 'a2'] });
  assert.equal(queue.readyCount, 2);
  queue.push('a', 'a4');
  queue.push('b', 'b2');
  assert.equal(queue.readyCount, 3);
  assert.deepEqual(queue.take(9), { keys: ['b', 'c'], items: ['b1', 'b2', 'c1'] });
  assert.deepEqual(queue.take(9), { keys: [], items: [] });
  queue.release(['b', 'c']);
  assert.deepEqual([queue.readyCount, queue.size], [0, 2]);
  queue.release(['a']);
  assert.deepEqual(queue.take(9), { keys: ['a'], items: ['a3', 'a4'] });
  assert.equal(queue.size, 0);
});

it('a keyed queue lets other keys pass one with more items than are taken at once', () => {
  const queue = new KeyedQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1']) queue.push(item[0]!, item);
  assert.deepEqual(queue.take(2).items, ['a1', 'a2']);
  queue.release(['a']);
  assert.deepEqual(queue.take(2).items, ['b1', 'a3']);
});

it('a keyed queue drains keys, held or not', () => {
  const queue = new KeyedQueue<string>();
  for (const item of ['a1', 'a2', 'b1', 'c1']) queue.push(item[0]!, item);
  queue.take(1);
  assert.deepEqual(queue.drain(['a', 'b']), ['a2', 'b1']);
  assert.deepEqual([queue.readyCount, queue.size], [1, 1]);
});
