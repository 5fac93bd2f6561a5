import type { Progress } from '../../src/cli/command.ts';

/** A progress that shows nothing. */
export const silent: Progress = { show() {}, clear() {} };
