// The stored settings of the shop, as far as the template editor changes them. Other parts are kept as they are.

import type { RichpanelAdmin } from "../../../api/routes";

export type Settings = RichpanelAdmin.SettingsView;
export type Variant = "default" | "livechat";
export type Wording = Record<Variant, string>;
export const VARIANTS: Variant[] = ["default", "livechat"];

type Templates = Record<string, Record<string, Wording>>;

function templatesOf(settings: Record<string, unknown>): Templates {
  return (settings.templates ?? {}) as Templates;
}

export function ownWording(settings: Settings, template: string, language: string): Wording | null {
  return templatesOf(settings.settings)[template]?.[language] ?? null;
}

// New settings with this wording; null returns to the standard one.
export function withWording(
  settings: Record<string, unknown>,
  template: string,
  language: string,
  wording: Wording | null,
): Record<string, unknown> {
  const { [language]: _, ...others } = templatesOf(settings)[template] ?? {};
  const languages = wording ? { ...others, [language]: wording } : others;
  const { [template]: __, ...templates } = templatesOf(settings);
  if (Object.keys(languages).length) templates[template] = languages;
  const { templates: ___, ...rest } = settings;
  return Object.keys(templates).length ? { ...rest, templates } : rest;
}
