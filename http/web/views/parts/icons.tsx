/** Icons: a few strokes in a square of 24. */
const paths = {
  inbox: "M4 13h4l2 3h4l2-3h4M4 13l3-8h10l3 8v6H4z",
  recent: "M12 7v5l3 2M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9z",
  feed: "M4 6h16M4 12h16M4 18h10",
  mention: "M16 8v5a3 3 0 0 0 5 0v-1a9 9 0 1 0-3.5 7M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0z",
  star: "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9-5.3-2.9-5.3 2.9 1.1-5.9-4.3-4.1 5.9-.8z",
  draft: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  clock: "M12 7v5l3 2M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9z",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  hash: "M9 4L7 20M17 4l-2 16M4 9h16M3 15h16",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  globe: "M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9zM3 12h18M12 3c3 3 3 15 0 18-3-3-3-15 0-18z",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-4 3-6 6.5-6s6.500 2 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14.500c2.200.8 3.500 2.700 3.500 5.500",
  person: "M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4.500 3.500-7 8-7s8 2.500 8 7",
  chat: "M5 5h14a1.500 1.500 0 0 1 1.500 1.500v8a1.500 1.500 0 0 1-1.500 1.500h-7l-5 4v-4H5a1.500 1.500 0 0 1-1.500-1.500v-8A1.500 1.500 0 0 1 5 5z",
  search: "M20 20l-4.500-4.500M17 10.500a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0z",
  menu: "M4 6h16M4 12h16M4 18h16",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  more: "M4.5 12a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M11.5 12a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M18.5 12a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0",
  smile: "M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9zM8 14c1 1.800 2.400 2.500 4 2.500s3-.7 4-2.500M9 9.500h.01M15 9.500h.01",
  reply: "M9 7L4 12l5 5M4 12h9a7 7 0 0 1 7 7",
  forward: "M15 7l5 5-5 5M20 12h-9a7 7 0 0 0-7 7",
  send: "M4 12l16-8-6 16-3-7z",
  attach: "M8 12.500l6-6a3 3 0 0 1 4.300 4.300l-8 8a5 5 0 0 1-7-7l7.500-7.500",
  bold: "M7 5h6a3.500 3.500 0 0 1 0 7H7zM7 12h7a3.500 3.500 0 0 1 0 7H7z",
  italic: "M10 5h8M6 19h8M14 5l-4 14",
  strike:
    "M4 12h16M16.500 7.500C16 5.800 14.300 5 12 5c-2.600 0-4.500 1.300-4.500 3.300 0 1.800 1.300 2.800 3.500 3.700M7.500 16c.5 1.900 2.200 3 4.500 3 2.700 0 4.500-1.400 4.500-3.500 0-.8-.2-1.400-.6-2",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  codeLine: "M9 8l-4 4 4 4M15 8l4 4-4 4M13 5.500l-2 13",
  list: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  numbers:
    "M10 6h10M10 12h10M10 18h10M3.500 4.500L5 4v5M3.500 14.500c.3-.8 2.500-1 2.500.4 0 1.100-2.500 2-2.500 3.600h2.700",
  quote: "M5 6v12M10 8h9M10 12h9M10 16h5",
  eye: "M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0z",
  eyeOff:
    "M4 4l16 16M9.500 6A10 10 0 0 1 12 5.500c6 0 9.500 6.500 9.500 6.500a15 15 0 0 1-2.500 3.300M6 7.500A15 15 0 0 0 2.500 12S6 18.500 12 18.500a9 9 0 0 0 3.500-.7",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  left: "M15 6l-6 6 6 6",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v5M16 3v5",
  check: "M5 12.500l4.500 4.500L19 7",
  checks: "M3 12.500l4 4L15 8M11 15.500l1 1L21 8",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  move: "M4 12h15M14 7l5 5-5 5",
  flag: "M6 21V4h11l-2 4 2 4H6",
  mute: "M4 9h4l5-4v14l-5-4H4zM17 9l4 6M21 9l-4 6",
  pin: "M12 15v6M8 4h8l-1 6 3 4H6l3-4z",
  settings:
    "M12 15.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM12 2.500v3M12 18.500v3M2.500 12h3M18.500 12h3M5.300 5.300l2.100 2.100M16.600 16.600l2.100 2.100M18.700 5.300l-2.100 2.100M7.400 16.600l-2.100 2.100",
  refresh: "M20 5v5h-5M20 10a8 8 0 1 0 0 5",
  poll: "M5 20V10M12 20V4M19 20v-7",
  math: "M5 5h13M5 5l7 7-7 7h13",
  folder: "M3 6h6l2 2h10v11H3z",
  door: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  key: "M14 10a4 4 0 1 1-1-2.600L21 16v3h-3v-2h-2v-2",
  palette: "M4 5h16v14H4zM8 10l3 2-3 2M13 15h3",
  bookmark: "M7 4h10v16l-5-4-5 4z",
  gif: "M3 6h18v12H3zM9.500 10a2.200 2.200 0 1 0 0 4v-2H8M12.500 9.500v5M15.500 14.500v-5h3M15.500 12h2.500",
  video: "M3 7h12v10H3zM15 11l6-3.500v9L15 13",
  microphone:
    "M12 15a3.500 3.500 0 0 0 3.500-3.500v-4a3.500 3.500 0 0 0-7 0v4A3.500 3.500 0 0 0 12 15zM5.500 11.500a6.500 6.500 0 0 0 13 0M12 18v3",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
} as const;

export type IconName = keyof typeof paths;

/** Icons that point along the line. From right to left they are mirrored. */
const pointing: ReadonlySet<IconName> = new Set([
  "left",
  "right",
  "reply",
  "forward",
  "send",
  "feed",
  "list",
  "numbers",
  "quote",
  "move",
  "door",
]);

export function Icon({ name, size = 18, isFilled = false }: { name: IconName; size?: number; isFilled?: boolean }) {
  return (
    <svg
      class={`icon${isFilled ? " filled" : ""}${pointing.has(name) ? " pointing" : ""}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
