/** The field of a form in which somebody chooses a password, and what it has to be. */
import { limits } from "../../actors/realm/state/settings.ts";
import { escapeHtml } from "./page.ts";
import type { PageWords } from "./words/words.ts";

/** @param minLength code points that the organization asks for */
export const newPasswordField = (words: PageWords, label: string, minLength: number, isFirst = false): string =>
  `<label for="password">${escapeHtml(label)}</label>
<input id="password" name="password" type="password" required minlength="${minLength}" maxlength="${limits.passwordMax}" autocomplete="new-password"${isFirst ? " autofocus" : ""} aria-describedby="password-hint">
<p class="hint" id="password-hint">${escapeHtml(words.passwordHint(minLength))}</p>
`;
