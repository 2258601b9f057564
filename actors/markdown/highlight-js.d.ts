/**
 * The part of highlight.js that is used here. Its own declarations pull in the browser's (`lib="dom"`), which would let
 * server code name `window` or `document` without an error.
 */
declare module "highlight.js/lib/common" {
  interface Highlighter {
    getLanguage(nameOrAlias: string): { name?: string } | undefined;
    highlight(code: string, options: { language: string; ignoreIllegals?: boolean }): { value: string };
  }
  const hljs: Highlighter;
  export default hljs;
}
