/** The bar at the end of a phone's page: the places that a thumb reaches. It gives its room to whoever writes. */
import type { ComponentChildren } from "preact";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { openOwnMenu } from "./own-menu.tsx";

export function BottomBar() {
  const app = useApp();
  const { ui, people } = app;
  if (!ui.isPhone.value || !people.me) return null;
  const { total, direct } = app.unread.counted.value;
  return (
    <nav class="bottom-bar" aria-label={t.mainPlaces}>
      <PlaceLink icon="inbox" view="inbox" label={t.inbox} count={total} />
      <button
        type="button"
        aria-expanded={ui.isLeftOpen.value}
        onClick={() => {
          ui.leavePlace();
          ui.isLeftOpen.value = true;
        }}
      >
        <Label text={t.channels}>
          <Icon name="hash" size={22} />
        </Label>
      </button>
      <PlaceLink icon="chat" view="direct" label={t.direct} count={direct} />
      <button type="button" onClick={() => document.getElementById("search")?.focus()}>
        <Label text={t.search}>
          <Icon name="search" size={22} />
        </Label>
      </button>
      <button type="button" aria-haspopup="menu" onClick={(event) => openOwnMenu(app, event.currentTarget)}>
        <Label text={t.you}>
          <Avatar user={people.me} size={22} />
        </Label>
      </button>
    </nav>
  );
}

function PlaceLink(props: { icon: IconName; view: "inbox" | "direct"; label: string; count: number }) {
  const { icon, view, label, count } = props;
  const { route, ui } = useApp();
  const isOpen = route.place.value.view === view;
  return (
    <a href={`#${view}`} onClick={() => ui.leavePlace()} {...(isOpen && { "aria-current": "page" as const })}>
      <Label text={label}>
        <Icon name={icon} size={22} />
        {count > 0 && (
          <span class="unread" role="img" aria-label={t.unreadCount(count)}>
            {count > 99 ? "99+" : count}
          </span>
        )}
      </Label>
    </a>
  );
}

function Label({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <>
      <span class="bar-mark">{children}</span>
      <span class="bar-label">{text}</span>
    </>
  );
}
