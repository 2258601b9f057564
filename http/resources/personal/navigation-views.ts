/** Navigation views of the caller. A fragment may contain slashes: it is the rest of the path. */

import { array, nullable, string } from "superstruct";
import { readNavigationViews } from "../../../actors/personal/changes/navigation-views.ts";
import { navigationView } from "../../../actors/personal/shapes.ts";
import { bool, jsonOrText, pathText, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** A text or null, as JSON. Clients also send it bare. */
const name = jsonOrText(nullable(string())).optional().describe("The view's name; built-in ones have none.");

/** The caller's views. https://zulip.com/api/get-navigation-views */
export const getNavigationViews = route({
  doc: "https://zulip.com/api/get-navigation-views",
  summary: "Returns the caller's navigation views.",
  auth: anyAccount,
  params: {},
  returns: { navigation_views: array(navigationView) },
  async handle({ realm, user }) {
    return { navigation_views: await readNavigationViews(realm, user) };
  },
});

/** Adds a view. https://zulip.com/api/add-navigation-view */
export const addNavigationView = route({
  doc: "https://zulip.com/api/add-navigation-view",
  summary: "Adds a navigation view, or the settings of a built-in one.",
  auth: anyAccount,
  params: { fragment: text(), is_pinned: bool(), name },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("addNavigationView", {
      userId: user.id,
      fragment: params.fragment,
      isPinned: params.is_pinned,
      name: params.name ?? null,
    });
  },
});

/** Changes a view. https://zulip.com/api/edit-navigation-view */
export const editNavigationView = route({
  doc: "https://zulip.com/api/edit-navigation-view",
  summary: "Pins, unpins or renames a navigation view.",
  auth: anyAccount,
  params: { fragment: pathText(), is_pinned: bool().optional(), name },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("updateNavigationView", {
      userId: user.id,
      fragment: params.fragment,
      isPinned: params.is_pinned,
      name: params.name,
    });
  },
});

/** Removes a view. https://zulip.com/api/remove-navigation-view */
export const removeNavigationView = route({
  doc: "https://zulip.com/api/remove-navigation-view",
  summary: "Removes a navigation view.",
  auth: anyAccount,
  params: { fragment: pathText() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("removeNavigationView", { userId: user.id, fragment: params.fragment });
  },
});
