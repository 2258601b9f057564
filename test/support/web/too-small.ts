/** Looks for what fingers cannot press: WCAG's target size (2.5.5). */
import type { Page } from "playwright-core";

/**
 * What can be pressed, is in view and is lower or narrower, with its size. Links and names within texts are as high as
 * those.
 */
export const tooSmall = (page: Page, within = "body"): Promise<string[]> =>
  page.evaluate((root) => {
    const pressed =
      "button:not(.name), a.button, .side-row, select, input:not([type=checkbox], [type=radio], [type=file]), textarea";
    return [...document.querySelector(root)!.querySelectorAll<HTMLElement>(pressed)].flatMap((element) => {
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return [];
      const { x, y, width, height } = element.getBoundingClientRect();
      const [middle, centre] = [x + width / 2, y + height / 2];
      const top = document.elementFromPoint(middle, centre);
      if (width === 0 || !top || !(element.contains(top) || top.contains(element))) return [];
      // What is around a button may answer for it, as its `::after` does.
      const reaches = (dx: number, dy: number) => {
        const hit = document.elementFromPoint(middle + dx, centre + dy);
        return hit !== null && (element.contains(hit) || hit.closest("label")?.contains(element) === true);
      };
      const isHigh = height >= 42 || (reaches(0, -20) && reaches(0, 20));
      const isWide = width >= 44 || (reaches(-20, 0) && reaches(20, 0));
      const name = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 30) ?? "";
      return isHigh && isWide ? [] : [`${element.className || element.tagName} "${name}" ${width}×${height}`];
    });
  }, within);
