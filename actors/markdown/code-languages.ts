/**
 * Names of languages as Pygments has them, by what stands behind a fence: `data-code-language`, by which clients find
 * playgrounds. Languages are missing whose name in highlight.js is the same. Source: pygments.org/languages.
 */
const names: Readonly<Record<string, string>> = {
  "Bash Session": "console shell-session shellsession",
  "C#": "c# cs csharp",
  "CSS+PHP": "css+php",
  Bash: "bash ksh sh shell zsh",
  Batchfile: "bat batch dosbatch winbatch",
  Clojure: "clj clojure",
  CMake: "cmake",
  Dart: "dart",
  Docker: "docker dockerfile",
  Elixir: "elixir ex exs",
  Elm: "elm",
  Erlang: "erlang",
  "F#": "f# fsharp",
  Fortran: "f90 fortran",
  GraphQL: "graphql",
  Groovy: "groovy",
  Haskell: "haskell hs",
  HTML: "html xhtml",
  "HTML+PHP": "html+php",
  HTTP: "http",
  INI: "cfg dosini ini",
  "JavaScript+PHP": "javascript+php js+php",
  Julia: "jl julia",
  LessCss: "less",
  Matlab: "matlab",
  NASM: "nasm",
  "Nginx configuration file": "nginx",
  Nix: "nix",
  OCaml: "ocaml",
  PHP: "php php3 php4 php5",
  PowerShell: "posh powershell ps1 psm1 pwsh",
  "Protocol Buffer": "proto protobuf",
  "Python 2.x": "py2 python2",
  Python: "bazel py py3 python python3 pyi sage starlark",
  "Python console session": "pycon python-console",
  reStructuredText: "rest restructuredtext rst",
  S: "r s splus",
  Scala: "scala",
  Terraform: "hcl terraform tf",
  TeX: "latex tex",
  "Text only": "plain plaintext text txt",
  TOML: "toml",
  "VB.net": "vb vb.net vbnet",
  VimL: "vim",
  XML: "atom plist rss svg xml xsd xsl",
  "XML+PHP": "xml+php",
  Zig: "zig",
};

/** What highlights a language whose name it does not know. */
const grammars: Readonly<Record<string, string>> = {
  "CSS+PHP": "php",
  "HTML+PHP": "php",
  "JavaScript+PHP": "php",
  PHP: "php",
  Python: "python",
  "Python 2.x": "python",
  "Bash Session": "shell",
  Bash: "bash",
  "XML+PHP": "php",
};

const nameByAlias = new Map(
  Object.entries(names).flatMap(([name, aliases]) => aliases.split(" ").map((alias) => [alias, name] as const)),
);

/** Pygments' name of a language, if it is not the one of highlight.js. @param language in small letters */
export const pygmentsName = (language: string): string | undefined => nameByAlias.get(language);

/** The grammar of highlight.js for a language of ours. */
export const grammarOf = (language: string): string => grammars[pygmentsName(language) ?? ""] ?? language;
