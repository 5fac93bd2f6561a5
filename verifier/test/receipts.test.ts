import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FormatError, VerificationError } from '../src/errors.js';
import { parsePolicy, policyOf } from '../src/policies.js';
import { verifyReceipt } from '../src/receipts.js';

// The test vectors of docs/verifying.md.
const receipt = readFileSync('docs/verifying/receipt.tlog-proof', 'utf8');
const keys = readFileSync('docs/verifying/verifier-keys.txt', 'utf8').trimEnd().split('\n');

/** A refusal: never another error. */
const refused = (error: unknown) =>
  error instanceof FormatError || error instanceof VerificationError;

describe('a receipt', () => {
  it('holds with the keys of its log', async () => {
    const found = await verifyReceipt(receipt, await policyOf(keys));
    assert.equal(found.index, 2);
    assert.equal(found.checkpoint.size, 6);
    assert.equal(found.checkpoint.origin, 'petitions.example.org/log');
    assert.equal(found.opening.petition, '3d1f0c5e-8a4b-4c6d-9e2f-7a1b2c3d4e5f');
    assert.deepEqual(
      found.signatures.map(({ key }) => key.kind),
      ['ed25519', 'ml-dsa-44-cosignature'],
    );
    await verifyReceipt(receipt.replaceAll('\n', '\r\n'), await policyOf([keys[1]!]));
  });

  it('says which signatures a platform without ML-DSA-44 cannot check', async (test) => {
    const importKey = crypto.subtle.importKey.bind(crypto.subtle) as (
      ...args: unknown[]
    ) => unknown;
    test.mock.method(crypto.subtle, 'importKey', ((...args: unknown[]) => {
      const { name } = args[2] as { name: string };
      if (name === 'ML-DSA-44') throw new DOMException('unknown', 'NotSupportedError');
      return importKey(...args);
    }) as typeof crypto.subtle.importKey);
    const both = await verifyReceipt(receipt, await policyOf(keys));
    assert.deepEqual([both.signatures.length, both.unsupported.length], [1, 1]);
    await assert.rejects(verifyReceipt(receipt, await policyOf([keys[1]!])), {
      name: 'VerificationError',
      reason: 'unsupported',
      message:
        /cannot check the signature of petitions\.example\.org\/log \(ml-dsa-44-cosignature\)/,
    });
  });

  it('holds with no character changed', async () => {
    const policy = await policyOf(keys);
    for (let at = 0; at < receipt.length; at++) {
      // Line ends, and letters of which both forms would be the same bytes, were no test.
      const other = receipt[at] === 'A' ? 'B' : 'A';
      const changed = receipt.slice(0, at) + other + receipt.slice(at + 1);
      const { signatures } = await verifyReceipt(changed, policy).catch((error: unknown) => {
        assert.ok(refused(error), `character ${at}: ${String(error)}`);
        return { signatures: [] };
      });
      // A changed name or id of a key makes it an unknown one, whose signature is ignored.
      assert.ok(signatures.length < 2, `character ${at} (${receipt[at]}) was changed`);
    }
  });

  it('holds with no line dropped, doubled or moved', async () => {
    const policy = await policyOf(keys);
    const lines = receipt.split('\n');
    for (let at = 0; at < lines.length - 3; at++) {
      const changes = [
        lines.toSpliced(at, 1),
        lines.toSpliced(at, 0, lines[at]!),
        lines.toSpliced(at, 2, lines[at + 1]!, lines[at]!),
      ];
      for (const changed of changes.filter((one) => one.join() !== lines.join())) {
        await assert.rejects(verifyReceipt(changed.join('\n'), policy), refused, `line ${at}`);
      }
    }
    assert.ok(lines.length > 10);
  });

  it('does not hold with the keys of another log, without a witness that is demanded, or as another file', async () => {
    const witness = 'witness.example.org+90ebd5b8+BO1JKMYovg4fL2ug8Vb3rQ1dA3mKUMWcWwzLKqwPRWvI';
    await assert.rejects(policyOf(keys, [witness]), FormatError);
    const other = (await policyOf(keys)).logKeys.map((key) => ({ ...key, name: 'elsewhere/log' }));
    await assert.rejects(
      verifyReceipt(receipt, { ...(await policyOf([])), logKeys: other }),
      /of the log petitions\.example\.org\/log, whose key is not known/,
    );
    for (const text of ['', 'no receipt', '\n\n', `${receipt}\n`, receipt.repeat(2)]) {
      await assert.rejects(verifyReceipt(text, await policyOf(keys)), refused);
    }
  });
});

describe('a policy', () => {
  const [logKey] = keys;

  it('is the file of C2SP tlog-policy', async () => {
    const policy = await parsePolicy(
      `# ours\n\n log\t${logKey} https://petitions.example.org\nquorum none\n`,
    );
    assert.equal(policy.logKeys.length, 1);
    await verifyReceipt(receipt, policy);
  });

  it('is refused with its line', async () => {
    const texts = {
      'line 1 of the policy: a verifier key has': 'log nothing\n',
      'line 2 of the policy: the key stands in the policy twice': `log ${logKey}\nlog ${logKey}\n`,
      'line 1 of the policy: someone is not defined': 'quorum someone\n',
      'line 2 of the policy: a policy has one quorum': 'quorum none\nquorum none\n',
      'line 1 of the policy: neither log, witness': 'everything\n',
      'line 1 of the policy: a key of the kind ed25519 does not fit': `witness W ${logKey}\n`,
      'the policy has no quorum': `log ${logKey}\n`,
      'the policy has control characters': 'quorum none\r\n',
    };
    for (const [message, text] of Object.entries(texts)) {
      await assert.rejects(parsePolicy(text), (error: Error) => {
        assert.ok(error instanceof FormatError && error.message.startsWith(message), error.message);
        return true;
      });
    }
  });
});
