/**
 * Additional names by emoji code: names of emoji newer than the table in `names.txt`, and names used in messages
 * from before that table. A name of the table always stays with its emoji.
 */
export const emojiAliases: Readonly<Record<string, readonly string[]>> = {
  // Unicode 15.1 and 16.
  "1f642-200d-2194": ["shaking_head", "head_shake"],
  "1f642-200d-2195": ["nodding", "head_nod"],
  "1f426-200d-1f525": ["phoenix"],
  "1f34b-200d-1f7e9": ["lime"],
  "1f344-200d-1f7eb": ["brown_mushroom"],
  "26d3-200d-1f4a5": ["broken_chain"],
  "1fae9": ["bags_under_eyes"],
  "1fac6": ["fingerprint"],
  "1fabe": ["bare_tree"],
  "1fadc": ["beet", "turnip"],
  "1fa89": ["harp"],
  "1fa8f": ["shovel", "spade_tool"],
  "1fadf": ["splatter", "splash"],
  "1f1e8-1f1f6": ["flag_sark"],
  // Names from before the table.
  "1f637": ["cant_talk"],
};
