/**
 * Why no test can produce these described failures, by operation and status; by status alone for all operations.
 */
export const impossible: Record<string, string> = {
  500: 'Only a defect of the service causes it, and a known defect is mended.',
};
