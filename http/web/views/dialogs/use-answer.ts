/** An answer of the API that a dialog is about. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, call, type Params } from "../../wire/api.ts";

/** Undefined until it is there; an error when it cannot be had. */
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
