/** The organization's own pictures: its icon, and its logos for light and dark pages. */
import type { UserId } from "../../../storage/ids.ts";
import { requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { deleteFiles } from "../../uploads/deleted-files.ts";

export const realmPictures = ["icon", "logo", "night_logo"] as const;
export type RealmPicture = (typeof realmPictures)[number];

declare module "../../../storage/rows.ts" {
  interface RealmChoices {
    icon_file?: string;
    logo_file?: string;
    night_logo_file?: string;
  }
}

/** The picture of organizations that have set none. */
export const defaultPicture = "/static/icon.svg";
/** `*_source` of each picture that is not uploaded. */
const defaultSource = { icon: "G", logo: "D", night_logo: "D" } as const;

/** The name of the picture's file, which is stored with the organization's settings. */
const fileOf = (state: RealmState, kind: RealmPicture): string | undefined => state.row.settings[`${kind}_file`];

const urlOf = (state: RealmState, file: string | undefined): string =>
  file === undefined ? defaultPicture : `/user_avatars/${state.id}/realm/${file}`;

export const realmPictureUrl = (state: RealmState, kind: RealmPicture): string => urlOf(state, fileOf(state, kind));

const fieldsOf = (state: RealmState, kind: RealmPicture, file: string | undefined) => ({
  [`${kind}_url`]: urlOf(state, file),
  [`${kind}_source`]: file === undefined ? defaultSource[kind] : "U",
});

/** The wire's fields of the pictures: `realm_icon_url`, `realm_icon_source` and so on. */
export function realmPictureFields(state: RealmState): Record<string, string> {
  const fields = realmPictures.map((kind) => fieldsOf(state, kind, fileOf(state, kind)));
  return Object.fromEntries(fields.flatMap(Object.entries).map(([name, value]) => [`realm_${name}`, value]));
}

export interface SetRealmPictureArgs {
  userId: UserId;
  kind: RealmPicture;
  /** Null: the default picture. */
  file: string | null;
}

/** Sets a picture. Replies with its URL, and the file that is no longer needed. @throws BAD_REQUEST */
export const setRealmPicture = command((tx: Tx, { userId, kind, file }: SetRealmPictureArgs) => {
  const { state } = tx;
  requireAdmin(tx.user(userId));
  const before = fileOf(state, kind);
  const { [`${kind}_file`]: _, ...others } = state.row.settings;
  const settings = file === null ? others : { ...others, [`${kind}_file`]: file };
  if (before !== (file ?? undefined)) {
    tx.put("realms", { ...state.row, settings });
    if (before !== undefined) deleteFiles(tx, [`realm/${tx.realmId}/${before}`]);
    const data = fieldsOf(state, kind, file ?? undefined);
    tx.event({ type: "realm", op: "update_dict", property: kind, data }, { to: "realm" });
  }
  return { url: urlOf(state, file ?? undefined), replaced: before ?? null };
});
