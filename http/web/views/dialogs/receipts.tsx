/** Who has read a message. */

import type { Message } from "../../../client/types.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { FixedList } from "../parts/fixed-list.tsx";
import { useAnswer } from "./use-answer.ts";

export function Receipts({ message }: { message: Message }) {
  const app = useApp();
  const { answer, error } = useAnswer<{ user_ids: number[] }>(`/messages/${message.id}/read_receipts`);
  const ids = answer?.user_ids;
  return (
    <Dialog title={t.readReceipts}>
      {error && <p role="alert">{error}</p>}
      {!ids && !error && <p>{t.loading}</p>}
      {ids && <p class="soft">{ids.length === 0 ? t.nobodyRead : t.readBy(ids.length)}</p>}
      {ids && ids.length > 0 && (
        <FixedList
          class="short"
          items={ids}
          rowHeight={36}
          keyOf={(id) => id}
          row={(id) => (
            <span class="person-line">
              <Avatar user={app.people.get(id)} size={24} /> <bdi>{app.people.name(id)}</bdi>
            </span>
          )}
        />
      )}
    </Dialog>
  );
}
