import { errors } from "./errors.ts";

/**
 * The outcome, if it comes in time. Nobody waits for ever for a database that hangs.
 *
 * @param getsOn asked when the time is over: whether the work has made progress, and so gets the same time again
 * @throws SERVICE_UNAVAILABLE
 */
export function inTime<T>(outcome: Promise<T>, ms: number, getsOn: () => boolean = () => false): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    const wait = () => {
      timer = setTimeout(() => {
        if (getsOn()) wait();
        else reject(errors.SERVICE_UNAVAILABLE("The request took too long: it may or may not have been done."));
      }, ms);
    };
    wait();
  });
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
}
