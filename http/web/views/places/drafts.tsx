/** The person's drafts: edited, sent, scheduled or deleted where they are shown. */

import type { Draft } from "../../../client/types.ts";
import { type App, useApp } from "../../model/app.ts";
import { conversationOfDraft } from "../../model/drafts.ts";
import { t } from "../../texts.ts";
import { ApiError, wordsOf } from "../../wire/api.ts";
import { type Conversation, narrowOf } from "../../wire/narrow.ts";
import { LazyPickTime } from "../frame/lazy.tsx";
import { ago, fullTime } from "../parts/dates.ts";
import { Item, OwnList } from "./own-lists.tsx";

export function Drafts() {
  const app = useApp();
  void app.drafts.version.value;
  const newestFirst = [...app.drafts.all].sort((a, b) => b.timestamp - a.timestamp);
  return (
    <OwnList icon="draft" label={t.drafts} empty={t.draftsEmpty} hint={t.draftsEmptyHint}>
      {newestFirst.map((draft) => (
        <DraftItem key={draft.id} draft={draft} />
      ))}
    </OwnList>
  );
}

function DraftItem({ draft }: { draft: Draft }) {
  const app = useApp();
  const conversation = conversationOfDraft(draft);
  const isPlaced = conversation && (conversation.kind === "direct" || app.channels.get(conversation.channelId));
  return (
    <Item
      conversation={conversation}
      at={<span title={fullTime(draft.timestamp)}>{ago(draft.timestamp)}</span>}
      source={draft.content}
      save={(text) => change(app, draft, text)}
      actions={[
        ...(isPlaced ? sendings(app, draft, conversation) : []),
        {
          label: t.restore,
          isFirst: true,
          run: () => {
            if (conversation) app.route.open(narrowOf(conversation));
            else app.compose.write(draft.content);
            app.compose.focus();
          },
        },
        { label: t.delete, isDeletion: true, run: () => void app.drafts.remove(draft).catch(() => {}) },
      ]}
    >
      <p class="plain" dir="auto">
        {draft.content}
      </p>
    </Item>
  );
}

const sendings = (app: App, draft: Draft, conversation: Conversation) => [
  {
    label: t.sendNow,
    run: () => {
      app.outbox.send(conversation, draft.content);
      void app.drafts.remove(draft).catch(() => {});
      app.compose.refresh();
      app.ui.note(t.sent, "done", { label: t.showSent, run: () => app.route.open(narrowOf(conversation)) });
    },
  },
  {
    label: t.sendLater,
    run: () =>
      app.ui.openDialog(() => (
        <LazyPickTime
          choose={async (at) => {
            const isTaken = await app.compose.schedule(conversation, draft.content, at);
            if (isTaken) void app.drafts.remove(draft).catch(() => {});
            return isTaken;
          }}
        />
      )),
  },
];

async function change(app: App, draft: Draft, text: string): Promise<boolean> {
  try {
    await app.drafts.change(draft, text);
    app.compose.refresh();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    app.ui.note(wordsOf(error), "problem");
    return false;
  }
}
