import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addDecisionMaker, deliver } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, signUp } from '../../../test/support/people.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { paymentSecret, startService } from '../../../test/support/service.ts';
import { signatureOf } from '../payments/provider.ts';
import { publicEventTypes, testEvent, webhookEventTypes } from './schema.ts';

it('every event is described, and is delivered as described', async () => {
  await using service = await startService({ worker: true });
  await using receiver = await startReceiver();
  const { webhooks } = service.contract.description;
  assert.deepEqual(Object.keys(webhooks).toSorted(), [...webhookEventTypes, testEvent].toSorted());

  const creator = await signUp(service, 'Creator');
  const signer = await signUp(service, 'Signer');
  const ok = ({ status, body }: { status: number; body: unknown }) =>
    assert.ok(status < 300, JSON.stringify(body));
  const hook = await creator.api.post('/v1/webhooks', {
    url: receiver.origin,
    events: publicEventTypes,
  });
  ok(hook);
  ok(await creator.api.post(`/v1/webhooks/${hook.body.data.id}/test`));

  const petition = await createPublished(creator, { signatureGoal: 1 });
  const path = `/v1/petitions/${petition.id}`;
  ok(await creator.api.patch(path, { title: 'Keep the river path open' }));
  ok(await signer.api.post(`${path}/signatures`, { comment: 'Yes' }));
  ok(await signer.api.delete(`${path}/signatures/me`));
  ok(await creator.api.post(`${path}/updates`, { title: 'News of it', body: 'We met them.' }));

  const paid = await creator.api.post(`${path}/promotions`, { amount: 5000, currency: 'EUR' });
  ok(paid);
  const result = JSON.stringify({ payment_id: paid.body.data.id, status: 'completed' });
  const headers = {
    'content-type': 'application/json',
    'x-payment-signature': signatureOf(paymentSecret, result),
  };
  ok(await service.api.send('POST', '/v1/payments/callback', result, { headers }));

  const maker = await addDecisionMaker(creator, petition);
  const { token } = await deliver(service, creator, maker, { summary: 'none' });
  const response = await service.api.post(`/respond/${token}`, { body: 'We agree.' });
  ok(response);
  ok(await creator.api.post(`/v1/responses/${response.body.data.id}/publish`));

  ok(await creator.api.post(`${path}/victory`, { victory_message: 'Thanks' }));
  const closed = await createPublished(creator);
  ok(await creator.api.post(`/v1/petitions/${closed.id}/close`));

  const types = () =>
    new Set(receiver.received.map(({ headers: { 'x-service-event': type } }) => type));
  const expected = new Set([...publicEventTypes, testEvent]);
  await eventually(() => types().size === expected.size, 20_000);
  assert.deepEqual(types(), expected);
  for (const delivery of receiver.received) service.contract.checkDelivery(delivery);
});
