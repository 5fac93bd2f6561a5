import { setImmediate } from 'node:timers/promises';

/** Members of objects down to this depth are written one by one: all at once would hold up the process for 100 ms. */
const writtenApart = 2;

/** Writes an object of JSON values as YAML, between other work of the process. */
export async function toYaml(value: object): Promise<string> {
  // Few ask for YAML, so it is loaded for the first of them.
  const { stringify } = await import('yaml');
  const write = async (object: object, depth: number): Promise<string> => {
    const parts: string[] = [];
    for (const [key, member] of Object.entries(object)) {
      if (depth < writtenApart && isMapping(member)) {
        const inner = await write(member, depth + 1);
        parts.push(stringify(key, options).trimEnd(), ':\n', inner.replaceAll(/^(?=.)/gm, '  '));
      } else {
        await setImmediate();
        parts.push(stringify({ [key]: member }, options));
      }
    }
    return parts.join('');
  };
  return write(value, 0);
}

const options = { aliasDuplicateObjects: false, lineWidth: 0 };

const isMapping = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length > 0;
