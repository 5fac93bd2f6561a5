import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Type } from 'typebox';
import { compileValidator } from './validation.ts';

// Takes quadratic time for a long text that ends in a comma.
const slow = '^[^,]*[^\\s,][^,]*$';
const schema = Type.Object({
  pattern: Type.String({ maxLength: 20, pattern: slow }),
  format: Type.Optional(Type.String({ maxLength: 20, format: 'email' })),
});

it('does not match patterns and formats against texts that are too long', () => {
  for (const part of ['body', 'text'] as const) {
    const validate = compileValidator(schema, part);
    const errorsOf = (value: object) => validate(value).map(({ field, code }) => [field, code]);
    const long = `${'a'.repeat(60_000)},`;
    const before = performance.now();
    assert.deepEqual(errorsOf({ pattern: long, format: long }), [
      ['pattern', 'too_big'],
      ['format', 'too_big'],
    ]);
    assert.ok(performance.now() - before < 2000);
    assert.deepEqual(errorsOf({ pattern: ',', format: 'nobody' }), [
      ['pattern', 'invalid_format'],
      ['format', 'invalid_format'],
    ]);
    assert.deepEqual(errorsOf({ pattern: 'a', format: 'somebody@example.org' }), []);
  }
});
