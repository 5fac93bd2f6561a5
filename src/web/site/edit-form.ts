import { revisionOf, type Precondition } from '../../platform/http/preconditions.ts';
import { preconditionFailed } from '../../platform/problems.ts';
import type { FormState } from './fields.ts';
import { stateOf } from './form.ts';
import { textOf, type Fields, type PageRequest } from './page-routes.ts';

/** Hidden field with the revision of the values that a form was shown with. */
const revisionField = 'revision';

export interface EditState extends FormState {
  hidden: Record<typeof revisionField, string>;
}

/**
 * The state of a form that replaces stored values. Shown again for another reason, it keeps the revision of its first
 * time, so that it overwrites nothing unseen. Where somebody changed the values meanwhile, it shows theirs too, and
 * sending it again replaces them.
 */
export function editStateOf(
  request: Pick<PageRequest<unknown>, 'refused'>,
  formName: string,
  stored: Fields,
): EditState {
  const state = stateOf(request, formName, stored);
  const { problem, values } = state;
  if (problem && problem.kind !== 'precondition-failed') {
    return { ...state, hidden: { [revisionField]: textOf(values, revisionField) } };
  }
  return {
    ...state,
    ...(problem && { stored }),
    hidden: { [revisionField]: revisionOf(stored) },
  };
}

/** Requires that the stored values are those that the form was shown with. */
export const shownUnchanged =
  <T>(fields: Fields, valuesOf: (stored: T) => Fields): Precondition<T> =>
  (stored) => {
    const shown = textOf(fields, revisionField);
    // Pages that were opened before an upgrade have no revision.
    if (shown !== '' && shown !== revisionOf(valuesOf(stored))) throw preconditionFailed();
  };
