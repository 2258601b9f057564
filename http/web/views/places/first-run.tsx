/** What the owner of a new organization does first, in three steps. It goes when all are done, or when it is closed. */
import "../../style/first-run.css";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { encode } from "uqr";
import { type App, useApp } from "../../model/app.ts";
import { roles } from "../../model/permissions.ts";
import { t } from "../../texts.ts";
import { ChooseAvatar } from "../parts/choose-avatar.tsx";
import { Icon } from "../parts/icons.tsx";

export function FirstRun() {
  const app = useApp();
  const done = app.firstRun.done.value;
  const leave = () => void app.actions.try("POST", "/users/me/onboarding_steps", { onboarding_step: "first_run" });
  return (
    <section class="first-run" aria-label={t.firstRun}>
      <header>
        <h2>{t.firstRun}</h2>
        <button type="button" class="icon-button" aria-label={t.close} onClick={leave}>
          <Icon name="close" />
        </button>
      </header>
      <ol>
        <Step isDone={done.picture} title={t.firstPicture} words={t.firstPictureHint}>
          <ChooseAvatar label={t.choosePicture} look="quiet" />
        </Step>
        <Step isDone={done.people} title={t.invite} words={t.firstInviteHint}>
          <InviteLink app={app} />
        </Step>
        <Step isDone={done.channel} title={t.firstChannel} words={t.firstChannelHint}>
          <a class="button small quiet" href="#channels/new">
            {t.createChannel}
          </a>
        </Step>
      </ol>
    </section>
  );
}

function Step(props: { isDone: boolean; title: string; words: string; children: ComponentChildren }) {
  const { isDone, title, words, children } = props;
  return (
    <li class={isDone ? "is-done" : ""}>
      <span class="step-mark" {...(isDone && { role: "img", "aria-label": t.stepDone })}>
        {isDone && <Icon name="check" size={14} />}
      </span>
      <div>
        <h3>{title}</h3>
        {!isDone && (
          <>
            <p class="soft">{words}</p>
            {children}
          </>
        )}
      </div>
    </li>
  );
}

/** A link by which anybody may join within a week: to copy, or for a phone to read from the screen. */
function InviteLink({ app }: { app: App }) {
  const link = useSignal("");
  const make = async () => {
    const terms = {
      invite_as: roles.member,
      invite_expires_in_minutes: 10_080,
      include_realm_default_subscriptions: true,
    };
    const made = await app.actions.try<{ invite_link: string }>("POST", "/invites/multiuse", terms);
    if (made) link.value = made.invite_link;
  };
  if (link.value === "")
    return (
      <button type="button" class="button small quiet" onClick={() => void make()}>
        {t.makeLink}
      </button>
    );
  return (
    <div class="made-link">
      <QrCode text={link.value} />
      <div>
        <code dir="ltr">{link.value}</code>
        <button
          type="button"
          class="button small quiet"
          onClick={() => void app.actions.copy(link.value, t.linkCopied)}
        >
          {t.copyLink}
        </button>
      </div>
    </div>
  );
}

function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text);
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg viewBox={`-4 -4 ${size + 8} ${size + 8}`} role="img" aria-label={t.linkAsPicture}>
      <path fill="#fff" d={`M-4-4h${size + 8}v${size + 8}h-${size + 8}z`} />
      <path fill="#000" d={path} />
    </svg>
  );
}
