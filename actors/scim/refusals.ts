/** What a directory is refused, in SCIM's words. Source: RFC 7644, 3.12. */
import { ApiError } from "../errors.ts";

/** Why a request was refused, as directories tell it apart. */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

const statuses: Partial<Record<ScimType, number>> = { uniqueness: 409 };

/** A refusal of this kind. `detail` is a sentence for a person. */
export const refusal = (scimType: ScimType, detail: string): ApiError =>
  new ApiError(statuses[scimType] ?? 400, "BAD_REQUEST", detail, { scimType });

/** The resource has changed since the directory looked at it. */
export const hasChanged = (): ApiError =>
  new ApiError(412, "BAD_REQUEST", "The resource has changed since: its version is another.");

/** There is no resource of this id, as far as directories know. */
export const noResource = (kind: string, id: string): ApiError =>
  new ApiError(404, "BAD_REQUEST", `There is no ${kind} with the id ${id.slice(0, 100)}.`);
