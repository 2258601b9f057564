/** What the relay refuses, as servers of Zulip's understand it. */
export class RelayRefusal extends Error {
  override readonly name = "RelayRefusal";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const badRequest = (message: string): RelayRefusal => new RelayRefusal(400, "BAD_REQUEST", message);
export const unknownServer = (): RelayRefusal =>
  new RelayRefusal(
    401,
    "INVALID_ZULIP_SERVER",
    "Zulip server auth failure: the server is not registered, or its key is another.",
  );
export const unknownRealm = (): RelayRefusal =>
  new RelayRefusal(403, "MISSING_REMOTE_REALM", "Organization not registered");
