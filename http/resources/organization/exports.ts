/** Taking the organization's data away: exports in the form that Zulip's import reads, and Parley's. */
import { array } from "superstruct";
import { notFound } from "../../../actors/errors.ts";
import { exportId } from "../../../actors/id-shapes.ts";
import { exportConsents, realmExport } from "../../../actors/organization/export-shapes.ts";
import { described } from "../../../actors/shape.ts";
import { findFinishedExport, listConsents, readExports } from "../../../actors/transfer/exports.ts";
import { exportTypes } from "../../../actors/transfer/zulip-export/scope.ts";
import type { ExportId } from "../../../storage/ids.ts";
import { oneOf, pathInt, pathText } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { fileReply, nowOrLater, safeBytesHeaders } from "../uploads/files.ts";
import { checkIdentity } from "../users/identity.ts";

/** https://zulip.com/api/export-realm */
export const requestExport = route({
  doc: "https://zulip.com/api/export-realm",
  summary: "Begins an export of the organization; at most five a week, one at a time.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    export_type: oneOf(...exportTypes)
      .default("public")
      .describe(
        "What is public, or also what belongs to people who agreed (`allow_private_data_export`), of whom one is an owner. full_without_consent is refused here: whoever runs the server has `parley realm export`.",
      ),
  },
  returns: { id: described(exportId(), "The id.") },
  handle(request) {
    checkIdentity(request);
    const { realm, user, params } = request;
    return realm.execute("requestExport", { userId: user.id, type: params.export_type });
  },
});

/** https://zulip.com/api/get-realm-exports */
export const getExports = route({
  doc: "https://zulip.com/api/get-realm-exports",
  summary: "Returns the organization's exports, oldest first, the newest hundred.",
  auth: anyAccount,
  permission: "administrator",
  params: {},
  returns: { exports: described(array(realmExport), "The exports, oldest first.") },
  handle: async ({ realm }) => ({ exports: await readExports(realm) }),
});

/** https://zulip.com/api/get-realm-export-consents */
export const getExportConsents = route({
  doc: "https://zulip.com/api/get-realm-export-consents",
  summary: "Says who agreed that what belongs to them may be exported.",
  auth: anyAccount,
  permission: "administrator",
  params: {},
  returns: { export_consents: described(exportConsents, "Each person and what they agreed to.") },
  handle: ({ realm }) => ({ export_consents: listConsents(realm.state) }),
});

/** https://zulip.com/api/delete-realm-export */
export const deleteExport = route({
  doc: "https://zulip.com/api/delete-realm-export",
  summary: "Deletes a finished export.",
  auth: anyAccount,
  permission: "administrator",
  params: { export_id: pathInt<ExportId>() },
  returns: {},
  async handle({ app, realm, user, params }) {
    const { file } = await realm.execute("deleteExport", { userId: user.id, id: params.export_id });
    await nowOrLater(app.files.remove(file));
    return {};
  },
});

/** The bytes of an export. */
export const readExport = route({
  doc: "https://zulip.com/api/get-realm-exports",
  summary: "The bytes of a finished export, for administrators who are logged in or send their key.",
  auth: anyAccount,
  servesFiles: true,
  permission: "administrator",
  params: { export_id: pathInt<ExportId>(), file: pathText() },
  async handle(request) {
    checkIdentity(request);
    const { app, realm, params, exchange } = request;
    const missing = () => notFound("This export does not exist or has been deleted.");
    const found = await findFinishedExport(realm, params.export_id, params.file);
    if (!found) throw missing();
    const date = new Date(found.requestedAt * 1000).toISOString().slice(0, 10);
    const reply = await fileReply(exchange, app.files, found.path, [
      ["Content-Type", "application/gzip"],
      ["Content-Disposition", `attachment; filename="zulip-export-${date}.tar.gz"`],
      ["Cache-Control", "private, no-store"],
      ...safeBytesHeaders,
    ]);
    if (!reply) throw missing();
    return reply;
  },
});
