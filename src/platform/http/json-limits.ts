import { invalidRequest, type Problem } from '../problems.ts';

/** No input of the service is deeper, or has as many members. */
const maxDepth = 32;
const maxMembers = 10_000;

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
