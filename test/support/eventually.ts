/** Asks again and again until the answer is yes; fails where it is not within the time. */
export async function eventually(
  ask: () => Promise<boolean> | boolean,
  withinMilliseconds = 5000,
): Promise<void> {
  const end = Date.now() + withinMilliseconds;
  while (!(await ask())) {
    if (Date.now() > end) throw new Error(`not within ${withinMilliseconds} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
