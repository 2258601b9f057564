/** Fetches the answer of the API that a dialog shows. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { ApiError, call, type Params, wordsOf } from "../../wire/api.ts";

/** Both are undefined while it is fetched. */
export function useAnswer<T>(path: string, params: Params = {}): { answer?: T; error?: string; again(): void } {
  const state = useSignal<{ answer?: T; error?: string }>({});
  const newest = useRef(0);
  const fetchIt = () => {
    const round = ++newest.current;
    // Answers may come in another order than they were asked for.
    const show = (shown: { answer?: T; error?: string }) => round === newest.current && (state.value = shown);
    call<T>("GET", path, params).then(
      (answer) => show({ answer }),
      (error: unknown) => show({ error: error instanceof ApiError ? wordsOf(error) : String(error) }),
    );
  };
  useEffect(fetchIt, [path]);
  return { ...state.value, again: fetchIt };
}

/** The same for what the page's state does not have: it is fetched again after each event of this type. */
export function useLiveAnswer<T>(path: string, type: string): { answer?: T; error?: string; again(): void } {
  const news = useApp().news(type).value;
  const fetched = useRef(news);
  const answer = useAnswer<T>(path);
  useEffect(() => {
    if (news !== fetched.current) answer.again();
    fetched.current = news;
  }, [news]);
  return answer;
}
