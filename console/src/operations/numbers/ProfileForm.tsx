// The public profile of a number, as customers see it in WhatsApp.

import { useEffect, useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field, Skeleton } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

const FIELDS = ["about", "description", "address", "email"] as const;
const MOST: Record<(typeof FIELDS)[number], number> = { about: 139, description: 512, address: 256, email: 128 };
const MOST_SITES = 2;

type Entered = Record<(typeof FIELDS)[number], string> & { websites: string };

export function ProfileForm({ phone }: { phone: string }) {
  const { client } = useApp();
  const [given, setGiven] = useState<Entered | null>(null);
  const found = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_business_profile", { body: { phone }, signal })).result, [client, phone]);
  useEffect(() => {
    if (!found.value || given) return;
    const { about, description, address, email, websites } = found.value;
    setGiven({ about: about ?? "", description: description ?? "", address: address ?? "", email: email ?? "", websites: (websites ?? []).join("\n") });
  }, [found.value]);
  const store = useAction(async () => {
    if (!given) return;
    const websites = given.websites.split("\n").map((one) => one.trim()).filter(Boolean);
    const data = { ...Object.fromEntries(FIELDS.map((name) => [name, given[name].trim()])), websites };
    const { result } = await client.call("POST /whatsapp/actions/update_business_profile", { body: { phone, data } });
    showToast(t(result.syncStatus === "synced" ? "ops.numbers.profile.stored" : "ops.numbers.profile.pending"));
  });
  if (found.error) return <ErrorNotice error={found.error} onRetry={() => void found.reload()} />;
  if (!given) return <Skeleton rows={4} kind="row" />;
  const problems = [...FIELDS, "websites"].map((name) => `data.${name}`);
  return (
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
      <Field label={t("ops.numbers.profile.websites", { most: MOST_SITES })} name="data.websites" error={store.error}>
        <textarea rows={MOST_SITES} value={given.websites} onInput={(event) => setGiven({ ...given, websites: event.currentTarget.value })} />
      </Field>
      {store.error && <ErrorNotice error={store.error} onRetry={() => void store.run()} fields={problems} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={store.busy}>
          {t("ops.numbers.profile.store")}
        </Button>
      </div>
    </form>
  );
}
