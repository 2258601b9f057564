import type { ComponentChildren } from "preact";

/** A form of the page's own: it is sent by its script, never by the browser. */
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
