// A new look, or changes of one, with a sample beside it.

import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, Choices, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { discard, stored, type Look } from "../source";

const FIELDS = ["name", "layout", "colours.accent", "colours.page", "font_stack", "logo_url", "logo_alt", "header_md", "footer_md"];
const LAYOUTS = ["standard", "plain", "digest"] as const;
const FONTS = ["sans", "serif"] as const;

type Entered = Pick<Look, "name" | "layout" | "font_stack" | "header_md" | "footer_md"> & { accent: string; page: string; logo: string; logoText: string };

// The standard look.
const EMPTY: Entered = { name: "", layout: "standard", accent: "#0b6350", page: "#eef1ef", font_stack: "sans", logo: "", logoText: "", header_md: "", footer_md: "" };

export function LookForm({ look, onStored, onClose }: { look: Look | null; onStored: () => Promise<void>; onClose: () => void }) {
  const { client } = useApp();
  const form = `newsletter look ${look?.template_id ?? ""}`;
  const draft = useDraft(form);
  const entered = { ...(look ? enteredOf(look) : EMPTY), ...keptIn(draft.text) };
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...keptIn(draft.text), ...change }));
  const store = useChange(async () => {
    const body = requestOf(entered);
    if (look) await client.call("PATCH /newsletters/templates/{template_id}", { path: { template_id: look.template_id }, body: { ...body, version: look.version } });
    else await client.call("POST /newsletters/templates", { body, key: draft.keyFor(body) });
    draft.write("");
    stored();
    await onStored();
  });
  const { error } = store;
  const title = look ? t("newsletter.looks.change_one", { name: look.name }) : t("newsletter.looks.new");
  return (
    <section class="ops-section" aria-label={title}>
      <h2>{title}</h2>
      <form
        class="ops-editor newsletter-form"
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          void store.run();
        }}
      >
        <Field label={t("newsletter.looks.name")} name="name" error={error}>
          <input value={entered.name} required dir="auto" onInput={(event) => write({ name: event.currentTarget.value })} />
        </Field>
        <Choices legend={t("newsletter.looks.layout")} name="newsletter-layout" values={LAYOUTS} textOf={(one) => t(`newsletter.looks.layout.${one}`)} chosen={entered.layout} onChoose={(layout) => write({ layout })} />
        <Choices legend={t("newsletter.looks.font")} name="newsletter-font" values={FONTS} textOf={(one) => t(`newsletter.looks.font.${one}`)} chosen={entered.font_stack} onChoose={(font_stack) => write({ font_stack })} />
        <div class="newsletter-columns">
          <Field label={t("newsletter.looks.accent")} name="colours.accent" error={error}>
            <input type="color" value={entered.accent} onInput={(event) => write({ accent: event.currentTarget.value })} />
          </Field>
          <Field label={t("newsletter.looks.page")} name="colours.page" error={error}>
            <input type="color" value={entered.page} onInput={(event) => write({ page: event.currentTarget.value })} />
          </Field>
          <Field label={t("newsletter.looks.logo")} name="logo_url" error={error}>
            <input value={entered.logo} placeholder="https://" onInput={(event) => write({ logo: event.currentTarget.value })} />
          </Field>
          <Field label={t("newsletter.looks.logo_text")} name="logo_alt" error={error}>
            <input value={entered.logoText} dir="auto" onInput={(event) => write({ logoText: event.currentTarget.value })} />
          </Field>
        </div>
        <Field label={t("newsletter.looks.header")} name="header_md" error={error}>
          <textarea rows={2} value={entered.header_md} dir="auto" onInput={(event) => write({ header_md: event.currentTarget.value })} />
        </Field>
        <Field label={t("newsletter.looks.footer")} name="footer_md" error={error}>
          <textarea rows={2} value={entered.footer_md} dir="auto" onInput={(event) => write({ footer_md: event.currentTarget.value })} />
        </Field>
        <Sample of={entered} />
        {error && <ErrorNotice error={error} onRetry={() => void store.run()} fields={FIELDS} />}
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={store.busy}>
            {t("newsletter.looks.store")}
          </Button>
          {(look || draft.text) && (
            <Button
              onClick={() => {
                if (draft.text) discard(form, draft);
                store.clear();
                onClose();
              }}
            >
              {t("newsletter.looks.discard")}
            </Button>
          )}
        </div>
      </form>
    </section>
  );
}

// Colours and font on a few words; mails have the whole text.
function Sample({ of }: { of: Entered }) {
  const page = of.layout === "plain" ? "#ffffff" : of.page;
  return (
    <div class="newsletter-look" role="img" aria-label={t("newsletter.looks.sample")} style={{ backgroundColor: page, fontFamily: of.font_stack === "serif" ? "Georgia, serif" : undefined }}>
      <p class="newsletter-look-sheet">
        {t("newsletter.looks.sample_text")} <u style={{ color: of.accent }}>{t("newsletter.looks.sample_link")}</u>
      </p>
    </div>
  );
}

function enteredOf(look: Look): Entered {
  const { name, layout, font_stack, header_md, footer_md, colours, logo_url, logo_alt } = look;
  return { name, layout, font_stack, header_md, footer_md, ...colours, logo: logo_url ?? "", logoText: logo_alt ?? "" };
}

function requestOf({ accent, page, logo, logoText, ...rest }: Entered) {
  return { ...rest, colours: { accent, page }, logo_url: logo.trim() || null, logo_alt: logoText.trim() || null };
}

function keptIn(text: string): Partial<Entered> {
  try {
    return JSON.parse(text || "{}") as Partial<Entered>;
  } catch {
    return {}; // of another version of the page
  }
}
