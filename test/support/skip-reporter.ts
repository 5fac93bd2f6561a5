import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** A reporter of node:test that writes one line for each skipped test: its file, its name and the reason. */
export default async function* skipReporter(events: AsyncIterable<TestEvent>) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { skip, file = '', name } = data;
    if (skip === undefined) continue;
    const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
    yield `${relative('', file)}: ${name}: ${reason}\n`;
  }
}
