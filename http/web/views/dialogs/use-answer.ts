/** Fetches the answer of the API that a dialog shows. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, call, type Params } from "../../wire/api.ts";

/** Both are undefined while it is fetched. */
export function useAnswer<T>(path: string, params: Params = {}): { answer?: T; error?: string; again(): void } {
  const state = useSignal<{ answer?: T; error?: string }>({});
  const fetchIt = () => {
    call<T>("GET", path, params).then(
      (answer) => (state.value = { answer }),
      (error: unknown) => (state.value = { error: error instanceof ApiError ? error.message : String(error) }),
    );
  };
  useEffect(fetchIt, [path]);
  return { ...state.value, again: fetchIt };
}
