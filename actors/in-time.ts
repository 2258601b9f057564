import { errors } from "./errors.ts";

interface Lateness {
  /** Asked when the time is over: whether the work has made progress, and so gets the same time again. */
  getsOn?: () => boolean;
  /** What is said of work that changes nothing. */
  late?: string;
}

/** The outcome, if it comes in time. Nobody waits for ever for a database that hangs. @throws SERVICE_UNAVAILABLE */
export function inTime<T>(
  outcome: Promise<T>,
  ms: number,
  { getsOn = () => false, late: message = "It may or may not have been done." }: Lateness = {},
): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    const wait = () => {
      timer = setTimeout(() => {
        if (getsOn()) wait();
        else reject(errors.SERVICE_UNAVAILABLE(`The request took too long. ${message}`));
      }, ms);
    };
    wait();
  });
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
}
