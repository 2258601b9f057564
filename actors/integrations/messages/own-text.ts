/** Services that send a text which their users have written. */
import { badRequest } from "../../errors.ts";
import type { Payload } from "../notice/payload.ts";

/** @throws BAD_REQUEST where there is none: the sender is told, or would take it for sent */
export function ownText(payload: Payload, ...paths: string[]): string {
  const text = payload.text(...paths);
  if (text === "") throw badRequest("Content can't be empty");
  return text;
}
