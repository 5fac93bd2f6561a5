/** Polls until the condition is true. @throws {Error} if it is not within the time */
export async function eventually(
  isTrue: () => Promise<boolean> | boolean,
  withinMilliseconds = 20_000,
  everyMilliseconds = 20,
): Promise<void> {
  const end = Date.now() + withinMilliseconds;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`not within ${withinMilliseconds} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMilliseconds));
  }
}
