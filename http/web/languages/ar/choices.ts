/** What settings offer to choose from, in Arabic. */
import type { choices as english } from "../en/choices.ts";
import type { Translated } from "../translated.ts";

export const choices: Translated<typeof english> = {
  colorScheme: "الألوان",
  highContrast: "تباين عالٍ",
  schemes: { 1: "حسب النظام", 2: "داكن", 3: "فاتح" },
  fontSize: "حجم النص",
  density: "تباعد الرسائل",
  densities: { compact: "متراص", usual: "عادي", roomy: "واسع" },
  atAnyTime: "في أي وقت",
  listStyle: "قائمة الأشخاص",
  listStyles: {
    1: "الأسماء فقط",
    2: "مع الصور",
    3: "مع الصور والحالة",
  },
  markingRead: "وضع علامة مقروء على الرسائل التي أراها",
  markingReads: { 1: "دائمًا", 2: "في المحادثات فقط", 3: "أبدًا" },
  animation: "تتحرك الصور المتحركة",
  animations: { always: "دائمًا", on_hover: "عند تمرير الفأرة فوقها", never: "عند فتحها فقط" },
  inactiveLast: "عرض القنوات الخاملة في نهاية القائمة",
  inactiveLastChoices: { 1: "عندما أكون في قنوات كثيرة", 2: "دائمًا", 3: "أبدًا" },
  emojiset: "الرموز التعبيرية في الرسائل",
  emojisets: {
    google: "كصور",
    text: "بأسمائها، مثل :tada:",
  },
  gifRating: "صور GIF التي يُعثر عليها هنا",
  gifRatings: {
    0: "لا شيء",
    1: "التصنيف G: للجميع",
    2: "حتى PG: للأطفال برفقة ذويهم",
    3: "حتى PG-13: من 13 عامًا",
    4: "حتى R: للبالغين",
  },
  fieldKinds: {
    1: "نص قصير",
    2: "نص طويل",
    3: "قائمة خيارات",
    4: "تاريخ",
    5: "رابط",
    6: "أشخاص",
    7: "حساب خارجي",
    8: "الضمائر",
  },
};
