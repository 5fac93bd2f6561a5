import leven from 'leven';

/** Longer names are not compared. */
const maxNameLength = 100;

/** Returns the known name that was probably meant: another way to write it, or a few letters away. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxNameLength) return undefined;
  const typed = letters(name);
  const distances = known.map((one) => ({ one, distance: leven(typed, letters(one)) }));
  const [closest] = distances.toSorted((a, b) => a.distance - b.distance);
  return closest && closest.distance <= maxDistance(letters(closest.one)) ? closest.one : undefined;
}

/** Two letters that changed places are two changes. */
const maxDistance = ({ length }: string): number =>
  length < 4 ? Math.floor(length / 3) : Math.max(2, Math.floor(length / 3));

/** `signature_goal`, `signature-goal` and `signatureGoal` are one name. */
const letters = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase();
