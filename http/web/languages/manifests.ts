/**
 * The manifest by which the page is installed, in the other languages. The build writes a file of each; the page names
 * the one of the language that it speaks.
 */
import { page as ar } from "./ar/page.ts";
import { page as de } from "./de/page.ts";
import { page as es } from "./es/page.ts";
import { page as fr } from "./fr/page.ts";
import { page as ja } from "./ja/page.ts";
import { isRightToLeft, type Language, manifestName } from "./languages.ts";
import { page as chinese } from "./zh-hans/page.ts";

interface Manifest {
  description: string;
  shortcuts: { name: string; url: string }[];
}
type Other = Exclude<Language, "en">;

const descriptions: Readonly<Record<Other, string>> = {
  de: "Team-Chat nach Themen.",
  fr: "Discussion d’équipe par sujets.",
  es: "Chat de equipo por temas.",
  ja: "トピックごとのチームチャット。",
  "zh-hans": "按话题组织的团队聊天。",
  ar: "محادثات الفرق حسب المواضيع.",
};
const pages = { de, fr, es, ja, "zh-hans": chinese, ar };

/** The files by their names. @param english that in English, which has all that is no text */
export function manifests(english: Manifest): Map<string, string> {
  const others = Object.keys(pages) as Other[];
  return new Map(
    others.map((language) => {
      const names = new Map([
        ["/#inbox", pages[language].inbox],
        ["/#recent", pages[language].recent],
      ]);
      const translated = {
        ...english,
        lang: language,
        dir: isRightToLeft(language) ? "rtl" : "ltr",
        description: descriptions[language],
        shortcuts: english.shortcuts.map(({ name, url }) => ({ name: names.get(url) ?? name, url })),
      };
      return [manifestName(language), JSON.stringify(translated)];
    }),
  );
}
