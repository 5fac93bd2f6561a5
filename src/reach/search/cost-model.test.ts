import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planScans } from './cost-model.ts';

describe('a plan of scans', () => {
  const plan = (matches: number, bestKnown = 100_000) =>
    planScans({ matches, documents: 1_000_000, bestKnown }, 21, 'document');

  it('reads rare words by the index of all documents', () => {
    assert.deepEqual(plan(300), ['all']);
    assert.deepEqual(plan(0), ['all']);
    assert.deepEqual(planScans({ matches: 0, documents: 0, bestKnown: 0 }, 21, 'title'), ['all']);
  });

  it('reads middling words by the index of the best known, if the order allows it', () => {
    assert.deepEqual(plan(3000), ['best known', 'all']);
    assert.deepEqual(plan(3000, 0), ['all']);
  });

  it('walks for common words until the next scan would have cost as much', () => {
    assert.deepEqual(plan(100_000), [{ maxRows: 5714 }, 'best known', 'all']);
    assert.deepEqual(plan(100_000, 0), [{ maxRows: 57_142 }, 'all']);
  });
});
