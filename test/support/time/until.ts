/**
 * How long a test waits for what has to happen: long for a machine four times busier. Only failing tests wait so long.
 */
const deadlineMs = 60_000;
const lookEveryMs = 10;

/**
 * Waits until `isTrue`, looking every few milliseconds. No test waits a fixed time.
 *
 * @throws Error naming `what` at the deadline
 */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  timeoutMs = deadlineMs,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
