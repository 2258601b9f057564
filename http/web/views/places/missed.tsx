/** "What did I miss": what the inbox has, summarized, where the server has a language model. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { ApiError, call, wordsOf } from "../../wire/api.ts";
import { Icon } from "../parts/icons.tsx";
import { Rendered } from "../parts/rendered.tsx";

const unread = [{ operator: "is", operand: "unread" }];

type Missed = { step: "asking" } | { step: "told"; html: string } | { step: "failed"; why: string };

export function WhatDidIMiss() {
  const app = useApp();
  const missed = useSignal<Missed | undefined>(undefined);
  const leaving = useRef<AbortController | undefined>(undefined);
  // Whoever leaves waits no more, so the server's request to the model ends.
  useEffect(() => () => leaving.current?.abort(), []);
  const state = app.store.read("realm", "settings");
  if (state["server_can_summarize_topics"] !== true || state.user_settings?.["hide_ai_features"] === true) return null;
  const ask = async () => {
    leaving.current?.abort();
    const { signal } = (leaving.current = new AbortController());
    missed.value = { step: "asking" };
    try {
      const { summary } = await call<{ summary: string }>("GET", "/messages/summary", { narrow: unread }, { signal });
      const { rendered } = await call<{ rendered: string }>("POST", "/messages/render", { content: summary });
      if (!signal.aborted) missed.value = { step: "told", html: rendered };
    } catch (error) {
      if (!signal.aborted)
        missed.value = { step: "failed", why: error instanceof ApiError ? wordsOf(error) : String(error) };
    }
  };
  const now = missed.value;
  return (
    <section class="missed" aria-live="polite" aria-busy={now?.step === "asking"}>
      <button type="button" class="button quiet small" disabled={now?.step === "asking"} onClick={() => void ask()}>
        <Icon name="inbox" size={16} /> {now?.step === "asking" ? t.summarizing : t.whatDidIMiss}
      </button>
      {now?.step === "told" && (
        <>
          <Rendered html={now.html} />
          <p class="soft">{t.summaryHint}</p>
        </>
      )}
      {now?.step === "failed" && <p class="soft">{now.why}</p>}
    </section>
  );
}
