/** The fields of a provider that owners set: as they are told, and as they are sent. */
import {
  array,
  boolean,
  enums,
  type Infer,
  integer,
  nullable,
  object,
  record,
  refine,
  type Struct,
  size,
  string,
} from "superstruct";
import {
  type ProviderDocument,
  type StoredProvider,
  shownProvider,
} from "../../../actors/identities/organization-providers.ts";
import { backchannelPath, callbackPath, joinings } from "../../../actors/identities/providers.ts";
import { described } from "../../../actors/shape.ts";
import { roles } from "../../../storage/rows.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import { bool, json, oneOf, type ParamsOf, text } from "../../api/params.ts";
import type { ApiRequest } from "../../api/route.ts";

/** Characters of a name, an address or a claim. */
export const maxName = 100;
const maxAddress = 1000;
const maxSecret = 2000;
/** Groups that are named, and channels of one. */
const maxNamed = 200;

const name = size(string(), 1, maxName);
const names = size(array(name), 0, maxNamed);

/** At most so many groups, each with a name that fits. */
const byGroup = <T>(value: Struct<T, unknown>) =>
  refine(record(string(), value), "groups", (groups) => {
    const all = Object.keys(groups);
    return all.length <= maxNamed && all.every((group) => group.length <= 255);
  });

export const shape = {
  name: described(string(), "The provider's name in addresses."),
  display_name: described(string(), "What people see."),
  issuer: described(string(), "The provider's address. The rest is discovered."),
  client_id: described(string(), "What the provider calls this server."),
  client_secret_set_at: described(
    nullable(integer()),
    "When its secret was set, in UNIX seconds; null: there is none. The secret itself is never told.",
  ),
  scopes: described(array(string()), "What is asked for besides `openid`."),
  joining: described(enums(joinings), "Who gets an account that has none."),
  domains: described(array(string()), "Domains of addresses that may join; none: all."),
  confirms_emails: described(boolean(), "Whether its addresses are people's own, also where it does not say so."),
  name_claim: described(string(), "Where the name is."),
  email_claim: described(string(), "Where the address is."),
  groups_claim: described(string(), "Where groups are."),
  groups: described(record(string(), string()), "The user group of each of the provider's groups."),
  roles: described(record(string(), array(string())), "The provider's groups that give a role."),
  channels: described(record(string(), array(string())), "Public channels in which newcomers of a group begin."),
  logs_out: described(boolean(), "Whether logging out here leads to the provider's log-out."),
};

export const shownShape = object({
  ...shape,
  redirect_uri: described(string(), "The address to which the provider sends people back."),
  backchannel_logout_uri: described(string(), "Where the provider says that somebody has logged out there."),
});

/** A provider, with the addresses that it is to be given. */
export function told(
  request: Pick<ApiRequest, "app" | "realm" | "exchange">,
  stored: StoredProvider,
): Infer<typeof shownShape> {
  const url = urlAsAsked(request);
  return {
    ...shownProvider(stored),
    redirect_uri: `${url}${callbackPath(stored)}`,
    backchannel_logout_uri: `${url}${backchannelPath(stored)}`,
  };
}

export const secretParam = text({ maxLength: maxSecret })
  .optional()
  .describe("What the provider gave for the client ID. It is never shown again. Empty: there is none.");

export const furtherParams = {
  client_secret: secretParam,
  scopes: json(names).optional().describe("What is asked for besides `openid`."),
  joining: oneOf(...joinings)
    .optional()
    .describe("Who gets an account that has none."),
  domains: json(names).optional().describe("Only these domains of addresses may join; none: all."),
  confirms_emails: bool().optional().describe("Its addresses are people's own, also where it does not say so."),
  name_claim: text({ maxLength: maxName }).optional().describe("Where the name is."),
  email_claim: text({ maxLength: maxName }).optional().describe("Where the address is."),
  groups_claim: text({ maxLength: maxName }).optional().describe("Where groups are: a claim, or a path with dots."),
  groups: json(byGroup(name)).optional().describe("The user group of each of the provider's groups."),
  roles: json(record(enums(Object.keys(roles)), names))
    .optional()
    .describe("The provider's groups that give a role."),
  channels: json(byGroup(names)).optional().describe("Public channels in which newcomers of a group begin."),
  logs_out: bool().optional().describe("Whether logging out here leads to the provider's log-out."),
};

export const displayName = text({ minLength: 1, maxLength: maxName }).describe("What people see.");
export const issuer = text({ maxLength: maxAddress }).describe("The provider's address, as it calls itself.");
export const clientId = text({ minLength: 1, maxLength: maxAddress }).describe("What the provider calls this server.");
export const locksOut = bool()
  .default(false)
  .describe("It is meant that owners who have no other way in cannot log in.");

type Change = Partial<ParamsOf<typeof furtherParams> & ProviderDocument>;

/** What a provider is to be, and its secret: undefined where it stays, null where it goes. */
export function changed(
  document: ProviderDocument,
  { client_secret, ...change }: { [K in keyof Change]: Change[K] | undefined },
) {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const secret = client_secret === undefined ? undefined : client_secret.trim() || null;
  return { document: { ...document, ...Object.fromEntries(given) }, secret };
}
