// A draft of a version: the prompts as texts, and all settings as JSON. Pure.

export interface Draft {
  initial: string;
  reply: string;
  json: string;
}

type Settings = Record<string, unknown>;

export function draftOf(settings: Settings): Draft {
  const { initial = "", reply = "" } = promptsOf(settings);
  return { initial, reply, json: JSON.stringify(settings, null, 2) };
}

// The settings of a draft; null if the JSON is no object. The prompts of the fields replace the JSON's prompts.
export function settingsOf(draft: Draft): Settings | null {
  let settings: unknown;
  try {
    settings = JSON.parse(draft.json);
  } catch {
    return null;
  }
  if (!isObject(settings)) return null;
  const config = isObject(settings.ai_config) ? settings.ai_config : {};
  const prompts = { ...promptsOf(settings), initial: draft.initial, reply: draft.reply };
  return { ...settings, ai_config: { ...config, prompts } };
}

// What a call sends to change the settings *before* to *after*: null removes a setting.
export function changeOf(before: Settings, after: Settings): Settings {
  const removed = Object.keys(before).filter((name) => !(name in after));
  return { ...Object.fromEntries(removed.map((name) => [name, null])), ...after };
}

function promptsOf(settings: Settings): { initial?: string; reply?: string } {
  const config = settings.ai_config;
  const prompts = isObject(config) ? config.prompts : null;
  return isObject(prompts) ? (prompts as { initial?: string; reply?: string }) : {};
}

function isObject(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
