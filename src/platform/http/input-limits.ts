import { invalidRequest, type Problem } from '../problems.ts';

/** No input of the service is deeper, or has as many members or fields. */
const maxDepth = 32;
const maxMembers = 10_000;
const maxFields = 200;

/** Returns why a parsed JSON body is refused: it is too deep, or has too many members and items. */
export function jsonProblem(body: unknown): Problem | undefined {
  let members = 0;
  let level = [body];
  for (let depth = 0; level.length > 0; depth++) {
    const values = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
    members += values.length;
    if (members > maxMembers) {
      return invalidRequest(`The JSON has more than ${maxMembers} members and items.`);
    }
    if (values.length > 0 && depth === maxDepth) {
      return invalidRequest(`The JSON is nested more than ${maxDepth} deep.`);
    }
    level = values;
  }
  return undefined;
}

/** Returns why the text of a URL-encoded form is refused: it has too many fields. */
export function formProblem(text: string): Problem | undefined {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    fields += 1;
    if (fields > maxFields) return invalidRequest(`The form has more than ${maxFields} fields.`);
  }
  return undefined;
}
