/**
 * Starts counting the processor time of this process, garbage collection included.
 *
 * For tests that a cost grows with its input: unlike wall time, it does not depend on what else the machine does. Budgets are at
 * least ten times what the work takes, and a small part of what the mistake they look for would cost.
 *
 * @returns reads the milliseconds spent so far
 */
export function startCpuClock(): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
}
