/** Why the whole body of a request was not read. */

/** It is larger than the route allows; the rest of it was not kept. */
export class BodyTooLarge extends Error {
  override name = "BodyTooLarge";
  constructor(maxBytes: number) {
    super(`The request is too large (limit: ${maxBytes} bytes)`);
  }
}

/** The client went away before it had sent everything. */
export class ClientGone extends Error {
  override name = "ClientGone";
}
