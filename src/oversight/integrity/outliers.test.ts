import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isOutlier, usualCount, usualNetworkSize } from './outliers.ts';

it('an outlier is far above what is usual', () => {
  assert.ok(!isOutlier(19, 0));
  assert.ok(isOutlier(20, 1));
  assert.ok(!isOutlier(150, 100));
  assert.ok(!isOutlier(199, 100));
  assert.ok(isOutlier(200, 100));
});

it('what is usual is the share before, if there was enough', () => {
  const totals = { recent: 1000, earlier: 2000 };
  assert.equal(usualCount({ recent: 500, earlier: 100 }, totals, 0.5), 50);
  assert.equal(usualCount({ recent: 500, earlier: 0 }, totals, 0.5), 0);
  assert.equal(usualCount({ recent: 500, earlier: 10 }, { recent: 1000, earlier: 100 }, 0.5), 500);
});

it('the usual size of a network is that of carriers, where many sign through them', () => {
  const homes = Array.from({ length: 600 }, () => 1);
  const carriers = Array.from({ length: 10 }, () => 40);
  assert.equal(usualNetworkSize(homes, 0.75), 1);
  assert.equal(usualNetworkSize([...homes, ...carriers], 0.75), 40);
  assert.equal(usualNetworkSize([...homes, ...carriers, 200], 0.75), 40);
  assert.equal(usualNetworkSize([], 0.75), 0);
});
