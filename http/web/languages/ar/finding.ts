/** What the palette, the search and the filters of lists say in Arabic. */
import type { findingWords as english } from "../en/finding.ts";
import type { Translated } from "../translated.ts";

export const findingWords: Translated<typeof english> = {
  skipToContent: "التخطي إلى الرسائل",
  reactionsToMe: "التفاعلات مع رسائلك",
  palette: "الانتقال إلى…",
  paletteHint: "مواضيع وأشخاص وقنوات وأوامر",
  paletteKinds: { topics: "المواضيع", people: "الأشخاص", channels: "القنوات", commands: "الأوامر" },
  recentPlaces: "الأماكن الأخيرة",
  searchFor: (words) => `البحث عن «${words}» في الرسائل`,
  searchHere: (words, place) => `البحث عن «${words}» في ${place} فقط`,
  onlyHere: (place) => `البحث في ${place} فقط`,
  weekAgo: "قبل أسبوع",
  monthAgo: "قبل 30 يومًا",
  yearAgo: "قبل سنة",
  notADate: "اكتب التاريخ بصيغة سنة-شهر-يوم، مثل 2026-03-31.",
  filterConversations: "تصفية بالاسم",
  filters: "عوامل التصفية",
  noneLeft: "لا محادثة تطابق عوامل التصفية.",
  clearFilters: "مسح التصفية",
  unreadOnly: "غير المقروءة",
  participated: "شاركتُ فيها",
  withMuted: "إظهار المكتومة",
  mentionsOnly: "الإشارات",
  followedOnly: "المتابَعة",
  fold: (name) => `طي ${name}`,
  unfold: (name) => `توسيع ${name}`,
  justNow: "الآن",
};
