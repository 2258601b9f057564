/**
 * Declares the part of highlight.js that is used here. Its own declarations include those of browsers (`lib="dom"`), so
 * server code could name `window` or `document` without an error.
 */
declare module "highlight.js/lib/common" {
  interface Highlighter {
    getLanguage(nameOrAlias: string): { name?: string } | undefined;
    highlight(code: string, options: { language: string; ignoreIllegals?: boolean }): { value: string };
  }
  const hljs: Highlighter;
  export default hljs;
}
