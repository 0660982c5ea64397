// The public profile of a number, as customers see it in WhatsApp.

import { useEffect, useState } from "preact/hooks";
import { useAction, useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field, Skeleton } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { Picture } from "./Picture";

const FIELDS = ["about", "description", "address", "email"] as const;
const MOST: Record<(typeof FIELDS)[number], number> = { about: 139, description: 512, address: 256, email: 128 };
const MOST_SITES = 2;
const TRADES = ["OTHER", "AUTO", "BEAUTY", "APPAREL", "EDU", "ENTERTAIN", "EVENT_PLAN", "FINANCE", "GROCERY", "GOVT", "HOTEL", "HEALTH", "NONPROFIT", "PROF_SERVICES", "RETAIL", "TRAVEL", "RESTAURANT", "ALCOHOL", "ONLINE_GAMBLING", "PHYSICAL_GAMBLING", "OTC_DRUGS"] as const;
type Trade = (typeof TRADES)[number];

type Entered = Record<(typeof FIELDS)[number], string> & { websites: string; vertical: Trade | "" };

export function ProfileForm({ phone }: { phone: string }) {
  const { client } = useApp();
  const [given, setGiven] = useState<Entered | null>(null);
  const found = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_business_profile", { body: { phone }, signal })).result, [client, phone]);
  useEffect(() => {
    if (!found.value || given) return;
    const { about, description, address, email, websites, vertical } = found.value;
    const trade = TRADES.find((one) => one === vertical) ?? "";
    setGiven({ about: about ?? "", description: description ?? "", address: address ?? "", email: email ?? "", websites: (websites ?? []).join("\n"), vertical: trade });
  }, [found.value]);
  const store = useAction(async () => {
    if (!given) return;
    const websites = given.websites.split("\n").map((one) => one.trim()).filter(Boolean);
    // WhatsApp takes no empty status line, and no empty line of business: they can be replaced, but not removed.
    const texts = FIELDS.filter((name) => name !== "about" || given.about.trim()).map((name) => [name, given[name].trim()]);
    const data = { ...Object.fromEntries(texts), websites, ...(given.vertical && { vertical: given.vertical }) };
    const { result } = await client.call("POST /whatsapp/actions/update_business_profile", { body: { phone, data } });
    showToast(t(result.syncStatus === "synced" ? "ops.numbers.profile.stored" : "ops.numbers.profile.pending"));
  });
  if (found.error) return <ErrorNotice error={found.error} onRetry={() => void found.reload()} />;
  if (!given) return <Skeleton rows={4} kind="row" />;
  const problems = [...FIELDS, "websites", "vertical"].map((name) => `data.${name}`);
  const site = store.error?.details.find(({ field }) => field?.startsWith("data.websites"))?.field;
  return (
    <>
    <Picture phone={phone} url={found.value?.profilePictureUrl ?? null} onChange={found.reload} />
    <form
      class="ops-editor"
      aria-label={t("ops.numbers.profile")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      {FIELDS.map((name) => (
        <Field key={name} label={t(`ops.numbers.profile.${name}`)} name={`data.${name}`} error={store.error}>
          <input value={given[name]} maxLength={MOST[name]} dir="auto" onInput={(event) => setGiven({ ...given, [name]: event.currentTarget.value })} />
        </Field>
      ))}
      <Field label={t("ops.numbers.profile.websites", { most: MOST_SITES })} name={site ?? "data.websites"} error={store.error}>
        <textarea rows={MOST_SITES} value={given.websites} onInput={(event) => setGiven({ ...given, websites: event.currentTarget.value })} />
      </Field>
      <Field label={t("ops.numbers.profile.vertical")} name="data.vertical" error={store.error}>
        <select value={given.vertical} onChange={(event) => setGiven({ ...given, vertical: event.currentTarget.value as Trade })}>
          {given.vertical === "" && <option value="">{t("ops.unknown")}</option>}
          {TRADES.map((one) => (
            <option key={one} value={one}>
              {t(`ops.numbers.profile.vertical.${one}`)}
            </option>
          ))}
        </select>
      </Field>
      {store.error && <ErrorNotice error={store.error} onRetry={() => void store.run()} fields={site ? [...problems, site] : problems} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={store.busy}>
          {t("ops.numbers.profile.store")}
        </Button>
      </div>
    </form>
    </>
  );
}
