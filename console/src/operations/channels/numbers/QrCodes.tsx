// Links and QR codes of a number, which open a chat with a message to send: list, create, change, delete.

import { useState } from "preact/hooks";
import { usePageList } from "../../../api/pageList";
import { useAction } from "../../../api/resource";
import type { Actions } from "../../../api/routes";
import { useApp } from "../../../app";
import { Copied } from "../../../setup/Copied";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field, MoreButton, Skeleton } from "../../../ui/controls";
import { useDraft } from "../../../ui/draft";
import { showToast } from "../../../ui/toastList";
import { Confirm } from "../../sections";

type Code = Actions.QrCode;

const LONGEST = 140; // characters, as WhatsApp allows
const PAGE = 25; // codes, the most of the provider

export function QrCodes({ phone }: { phone: string }) {
  const { client } = useApp();
  const [removed, setRemoved] = useState<Code | null>(null);
  const codes = usePageList<Code>(
    async (cursor, signal) => {
      const body = { phone, imageFormat: "PNG" as const, limit: PAGE, ...(cursor && { cursor }) };
      const answer = await client.call("POST /whatsapp/actions/get_qr_codes", { body, signal });
      return { items: answer.result.qrCodes, cursor: answer.cursor ?? null };
    },
    [client, phone],
  );
  const remove = useAction(async () => {
    if (removed) await client.call("POST /whatsapp/actions/delete_qr_code", { body: { phone, code: removed.code } });
  });
  const onRemoved = () => {
    setRemoved(null);
    showToast(t("qr.deleted"));
    void codes.reload();
  };
  if (codes.first.error) return <ErrorNotice error={codes.first.error} onRetry={() => void codes.reload()} />;
  if (codes.first.value === null) return <Skeleton rows={2} kind="row" />;
  return (
    <section aria-label={t("qr.title")}>
      <NewCode phone={phone} onCreated={codes.reload} />
      {codes.items.length === 0 && <p class="ops-empty">{t("qr.none")}</p>}
      <ul class="qr-codes">
        {codes.items.map((one) => (
          <Entry key={`${one.code} ${one.prefilledMessage}`} phone={phone} code={one} onChange={codes.reload} onRemove={() => setRemoved(one)} />
        ))}
      </ul>
      <MoreButton isOffered={codes.hasMore} next={codes.next} />
      {removed && (
        <Confirm title={t("qr.delete_of", { message: removed.prefilledMessage })} action={remove} button={t("qr.delete")} onClose={() => setRemoved(null)} onDone={onRemoved}>
          <p>{t("qr.effect.delete")}</p>
        </Confirm>
      )}
    </section>
  );
}

function NewCode({ phone, onCreated }: { phone: string; onCreated: () => Promise<unknown> }) {
  const { client } = useApp();
  const draft = useDraft(`qr-code-${phone}`);
  const create = useAction(async () => {
    const body = { phone, prefilledMessage: draft.text.trim() };
    // The same key for a repeat: a code that is made twice stays twice.
    await client.call("POST /whatsapp/actions/create_qr_code", { body, key: draft.keyFor(body) });
    draft.sent(draft.text);
    await onCreated();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("qr.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      {create.error && <ErrorNotice error={create.error} fields={["prefilledMessage"]} onRetry={() => void create.run()} />}
      <Field label={t("qr.message")} name="prefilledMessage" error={create.error}>
        <input dir="auto" required maxLength={LONGEST} value={draft.text} onInput={(event) => draft.write(event.currentTarget.value)} />
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={create.busy}>
          {t("qr.create")}
        </Button>
      </div>
    </form>
  );
}

function Entry({ phone, code, onChange, onRemove }: { phone: string; code: Code; onChange: () => Promise<unknown>; onRemove: () => void }) {
  const { client } = useApp();
  const [text, setText] = useState(code.prefilledMessage);
  const store = useAction(async () => {
    await client.call("POST /whatsapp/actions/update_qr_code", { body: { phone, code: code.code, prefilledMessage: text.trim() } });
    showToast(t("qr.stored"));
    await onChange();
  });
  return (
    <li>
      {code.qrImageUrl && <img src={code.qrImageUrl} alt={t("qr.image_of", { message: code.prefilledMessage })} width={96} height={96} loading="lazy" />}
      <form
        class="ops-editor"
        aria-label={t("qr.code_of", { message: code.prefilledMessage })}
        onSubmit={(event) => {
          event.preventDefault();
          void store.run();
        }}
      >
        {store.error && <ErrorNotice error={store.error} fields={["prefilledMessage"]} onRetry={() => void store.run()} />}
        <Field label={t("qr.message")} name="prefilledMessage" error={store.error}>
          <input dir="auto" required maxLength={LONGEST} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </Field>
        <Copied label={t("qr.link")} value={code.deepLinkUrl} />
        <div class="ops-editor-end">
          <Button onClick={onRemove}>{t("qr.delete")}</Button>
          <Button type="submit" kind="primary" busy={store.busy} disabled={text.trim() === code.prefilledMessage}>
            {t("ops.store")}
          </Button>
        </div>
      </form>
    </li>
  );
}
