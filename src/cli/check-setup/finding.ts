/** What a check found. */
export interface Finding {
  about: string;
  state: 'ok' | 'note' | 'WRONG';
  /** What is, and what to do about it. */
  text: string;
}

export const ok = (about: string, text: string): Finding => ({ about, state: 'ok', text });
export const note = (about: string, text: string): Finding => ({ about, state: 'note', text });
export const wrong = (about: string, text: string): Finding => ({ about, state: 'WRONG', text });

/** Returns what a check finds; what it throws is wrong. */
export async function findingsOf(
  about: string,
  check: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    const { message, cause } = error as Error;
    return [wrong(about, cause instanceof Error ? cause.message : message)];
  }
}
