/** What whoever runs a server asks it. */

/** `PARLEY_ADMIN_TOKEN` of every server in tests. */
export const adminToken = "the-operators-token-in-tests";

/** A request for `/metrics`, `/replicas` or the details of `/health`. */
export function askAsOperator(url: string, options: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...options, headers: { ...options.headers, Authorization: `Bearer ${adminToken}` } });
}
