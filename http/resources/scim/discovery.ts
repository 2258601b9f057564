/** What directories are told of this server. Source: RFC 7643, 5 to 7; RFC 7644, 4. */
import { ApiError } from "../../../actors/errors.ts";
import {
  type Attribute,
  groupAttributes,
  groupSchema,
  userAttributes,
  userSchema,
} from "../../../actors/scim/attributes.ts";
import { noResource } from "../../../actors/scim/refusals.ts";
import { pathText } from "../../api/params.ts";
import { jsonReply, listReply, maxCount, scimRoute } from "./endpoint.ts";

type Resource = Record<string, unknown>;

const configSchema = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig";

export const readConfig = scimRoute({
  summary: "Tells directories what of SCIM there is.",
  params: {},
  handle: ({ realm }) =>
    jsonReply(200, {
      schemas: [configSchema],
      documentationUri: `${realm.state.url}/docs/scim`,
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: maxCount },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [
        {
          type: "oauthbearertoken",
          name: "Bearer token",
          description: "A token of the organization, which its owners make.",
          primary: true,
        },
      ],
      meta: { resourceType: "ServiceProviderConfig", location: `${realm.state.url}/scim/v2/ServiceProviderConfig` },
    }),
});

interface ResourceType {
  name: string;
  endpoint: string;
  description: string;
  schema: string;
  attributes: readonly Attribute[];
}

const resourceTypes: readonly ResourceType[] = [
  {
    name: "User",
    endpoint: "/Users",
    description: "Accounts of people.",
    schema: userSchema,
    attributes: userAttributes,
  },
  {
    name: "Group",
    endpoint: "/Groups",
    description: "User groups.",
    schema: groupSchema,
    attributes: groupAttributes,
  },
];

const typeResource = ({ name, endpoint, description, schema }: ResourceType, url: string): Resource => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
  id: name,
  name,
  endpoint,
  description,
  schema,
  meta: { resourceType: "ResourceType", location: `${url}/scim/v2/ResourceTypes/${name}` },
});

const schemaResource = ({ name, description, schema, attributes }: ResourceType, url: string): Resource => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
  id: schema,
  name,
  description,
  attributes,
  meta: { resourceType: "Schema", location: `${url}/scim/v2/Schemas/${schema}` },
});

const whole = (items: Resource[]) => listReply({ total: items.length, items }, 1);

export const listResourceTypes = scimRoute({
  summary: "Lists what directories may provision.",
  params: {},
  handle: ({ realm }) => whole(resourceTypes.map((type) => typeResource(type, realm.state.url))),
});

export const readResourceType = scimRoute({
  summary: "Returns one kind of resource.",
  params: { resource_id: pathText() },
  handle({ realm, params }) {
    const found = resourceTypes.find(({ name }) => name === params.resource_id);
    if (!found) throw noResource("resource type", params.resource_id);
    return jsonReply(200, typeResource(found, realm.state.url));
  },
});

export const listSchemas = scimRoute({
  summary: "Lists the attributes of each kind of resource.",
  params: {},
  handle: ({ realm }) => whole(resourceTypes.map((type) => schemaResource(type, realm.state.url))),
});

export const readSchema = scimRoute({
  summary: "Returns the attributes of one kind of resource.",
  params: { resource_id: pathText() },
  handle({ realm, params }) {
    const found = resourceTypes.find(({ schema }) => schema === params.resource_id);
    if (!found) throw noResource("schema", params.resource_id);
    return jsonReply(200, schemaResource(found, realm.state.url));
  },
});

const unsupported = (summary: string, detail: string) =>
  scimRoute({
    summary,
    params: {},
    handle() {
      throw new ApiError(501, "BAD_REQUEST", detail);
    },
  });

export const refuseBulk = unsupported(
  "Refuses many changes at once.",
  "Bulk is not supported: send each change alone.",
);
export const refuseSearch = unsupported(
  "Refuses a search of everything.",
  "Searching by POST is not supported: ask GET /Users with a filter.",
);
export const refuseMe = unsupported(
  "Refuses a directory's question for itself.",
  "A token is no user, so there is no /Me.",
);
