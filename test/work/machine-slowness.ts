/** Processor time in ms that the work below takes on a machine of usual speed, by Node 26. */
const usualMs = 8;

/**
 * Returns how many times slower than usual this machine is; at least 1. Fixed work of the kind that
 * requests cause is timed, so that a limit in ms does not depend on the machine.
 */
export function machineSlowness(): number {
  const items = Array.from({ length: 100 }, (_, n) => ({ n, text: '“long” '.repeat(3000) }));
  const times = Array.from({ length: 20 }, () => {
    const before = process.threadCpuUsage();
    const text = JSON.stringify(items);
    if (Buffer.from(text).length < text.length) throw new Error('the text was not encoded');
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(1, Math.min(...times) / usualMs);
}
