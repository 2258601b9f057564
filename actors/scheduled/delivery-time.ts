/** Checks the times of scheduled messages and reminders. */
import { badRequest } from "../errors.ts";

/** The end of the year 9999: clients cannot show later dates. */
const maxTimestamp = 253_402_300_799;

/** @throws BAD_REQUEST */
export function checkDeliveryTime(timestamp: number, now: number): void {
  if (timestamp <= now) throw badRequest("Scheduled delivery time must be in the future.");
  if (timestamp > maxTimestamp) throw badRequest("Scheduled delivery time is too far in the future.");
}
