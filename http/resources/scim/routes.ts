/** What directories ask (SCIM 2.0), on one page. They find its description below `/scim/v2/Schemas`. */
import * as discovery from "./discovery.ts";
import * as groups from "./groups.ts";
import * as users from "./users.ts";

export const scimRoutes = {
  "GET ^/scim/v2/ServiceProviderConfig": discovery.readConfig,
  "GET ^/scim/v2/ResourceTypes": discovery.listResourceTypes,
  "GET ^/scim/v2/ResourceTypes/:resource_id": discovery.readResourceType,
  "GET ^/scim/v2/Schemas": discovery.listSchemas,
  "GET ^/scim/v2/Schemas/:resource_id": discovery.readSchema,
  "GET ^/scim/v2/Users": users.listUsers,
  "POST ^/scim/v2/Users": users.createUser,
  "GET ^/scim/v2/Users/:resource_id": users.readUser,
  "PUT ^/scim/v2/Users/:resource_id": users.replaceUser,
  "PATCH ^/scim/v2/Users/:resource_id": users.patchUser,
  "DELETE ^/scim/v2/Users/:resource_id": users.removeUser,
  "GET ^/scim/v2/Groups": groups.listGroups,
  "POST ^/scim/v2/Groups": groups.createGroup,
  "GET ^/scim/v2/Groups/:resource_id": groups.readGroupById,
  "PUT ^/scim/v2/Groups/:resource_id": groups.replaceGroup,
  "PATCH ^/scim/v2/Groups/:resource_id": groups.patchGroup,
  "DELETE ^/scim/v2/Groups/:resource_id": groups.removeGroup,
  "POST ^/scim/v2/Bulk": discovery.refuseBulk,
  "POST ^/scim/v2/.search": discovery.refuseSearch,
  "GET ^/scim/v2/Me": discovery.refuseMe,
} as const;
