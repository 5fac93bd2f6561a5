import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemActor, type LoggedEvent } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { Outbox } from './outbox.ts';

it('watchers get no message about an event that changes no count', () => {
  const restored = (position: string, count: number): LoggedEvent => ({
    transaction: '7',
    position,
    id: newId(),
    type: 'signature.restored',
    petitionId: newId(),
    actor: systemActor,
    data: { count },
    parts: [],
    items: [],
    createdAt: new Date(),
  });
  const outbox = new Outbox('7-1');
  outbox.add(restored('2', 0));
  assert.ok(outbox.isEmpty);
  assert.equal(outbox.resumeId, '7-1');
  outbox.add(restored('3', 2));
  const message = outbox.takeNext();
  assert.deepEqual([message?.type, message?.events], ['signature.created', 2]);
});
