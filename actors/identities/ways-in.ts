/** By which ways people of an organization log in. */
import type { AuthenticationMethods } from "../organization/shapes.ts";
import type { RealmState } from "../realm/state/state.ts";
import { directoryOf } from "./directories.ts";
import { providersOf } from "./organization-providers.ts";

const open = { enabled: true, available: true };

/**
 * As clients know them. https://zulip.com/api/register-queue
 *
 * @param providers how many providers there are
 */
export const authenticationMethodsOf = (
  state: RealmState,
  providers = providersOf(state).length,
): AuthenticationMethods => ({
  Email: open,
  ...(directoryOf(state) && { LDAP: open }),
  ...(providers > 0 && { "OpenID Connect": open }),
});
