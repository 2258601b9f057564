/** Languages that an organization or a person may choose: the codes that clients have translations for. */
const codes =
  "ar be bg ca cs cy da de el en en-gb eo es et fa fi fr gl gu he hi hu id it ja ko lt lv ml mn nl pl pt pt-br pt-pt ro ru " +
  "si sk sl sr sv ta th tl tr uk uz vi zh-hans zh-hant zh-tw";
const known: ReadonlySet<string> = new Set(codes.split(" "));

/** The code of a language, in the one spelling that is stored; undefined for a language nobody has translated. */
export function findLanguage(code: string): string | undefined {
  const spelled = code.trim().toLowerCase().replaceAll("_", "-");
  return known.has(spelled) ? spelled : undefined;
}
