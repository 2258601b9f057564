import { describe, expect, test } from "vitest";
import { channelColorPalette, formatColor, parseColor, pickColor } from "../../../actors/subscriptions/colors.ts";

describe("colours of channels", () => {
  test("the palette has no colour twice", () => {
    expect(new Set(channelColorPalette).size).toBe(channelColorPalette.length);
    for (const color of channelColorPalette) expect(color).toBeLessThanOrEqual(0xffffff);
  });

  test("the first channels all differ, then colours repeat evenly", () => {
    const used: number[] = [];
    for (let i = 0; i < channelColorPalette.length * 3; i++) used.push(pickColor(used));
    expect(used.slice(0, channelColorPalette.length)).toEqual(channelColorPalette);
    for (const color of channelColorPalette) expect(used.filter((other) => other === color)).toHaveLength(3);
  });

  test("colours of one's own do not count", () => {
    expect(pickColor([0x123456, 0x000000])).toBe(channelColorPalette[0]);
    expect(pickColor(new Set([channelColorPalette[0]!, 0x123456]))).toBe(channelColorPalette[1]);
    expect(pickColor(channelColorPalette.slice(1))).toBe(channelColorPalette[0]);
  });

  test("sent in lower case with six digits", () => {
    expect(formatColor(0x76ce90)).toBe("#76ce90");
    expect(formatColor(0)).toBe("#000000");
    expect(formatColor(0xab)).toBe("#0000ab");
    for (const color of channelColorPalette) expect(parseColor(formatColor(color))).toBe(color);
  });

  test("read in both forms and cases", () => {
    expect(parseColor("#76CE90")).toBe(0x76ce90);
    expect(parseColor("#aBc")).toBe(0xaabbcc);
    expect(parseColor("#000")).toBe(0);
    for (const text of [
      "",
      "#",
      "76ce90",
      "#76ce9",
      "#76ce900",
      "#76ceg0",
      "red",
      "#76ce90\n",
      " #76ce90",
      "#１２３",
    ]) {
      expect(parseColor(text), text).toBeUndefined();
    }
  });
});
