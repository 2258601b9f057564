/** What a profile says of somebody, line by line. */
import type { UserRecord } from "../../../client/state/state.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { dateText } from "../../views/parts/dates.ts";
import { Fact, ProfileFact } from "../../views/parts/profile-facts.tsx";
import { s } from "../texts.ts";

export function Facts({ user }: { user: UserRecord }) {
  const fields = useApp().store.read("realm").custom_profile_fields ?? [];
  const joined = String(user["date_joined"] ?? "").slice(0, 10);
  return (
    <dl class="facts">
      {user.delivery_email && <Fact name={t.email} value={user.delivery_email} />}
      <Fact name={t.role} value={t.roles[user.role] ?? ""} />
      {joined !== "" && <Fact name={t.joined} value={dateText(joined)} />}
      <Fact name={s.userId} value={String(user.user_id)} />
      {fields.map((field) => {
        const { value, rendered_value } = user.profile_data?.[field.id] ?? {};
        return value ? <ProfileFact key={field.id} field={field} value={value} html={rendered_value} /> : null;
      })}
    </dl>
  );
}
