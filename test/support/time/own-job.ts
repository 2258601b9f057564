/** A job that a test runs itself, as the server's timer might do it a moment before the test looks. */
import { afterAll, beforeAll } from "vitest";
import type { Job } from "../../../actors/realm/job.ts";

/**
 * Takes a job from the timers of this process while the tests of the calling file run.
 *
 * @returns what the job does, for the test to call
 */
export function ownJob(job: Job): Job["run"] {
  const run = job.run.bind(job);
  beforeAll(() => void Object.assign(job, { run: async () => {} }));
  afterAll(() => void Object.assign(job, { run }));
  return run;
}
