import type { ComponentChildren } from "preact";

/** A form that a script submits, never the browser. */
export function Form({ submit, children }: { submit(): unknown; children: ComponentChildren }) {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
    </form>
  );
}
