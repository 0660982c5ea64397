// The picture of a number's public profile: shown as WhatsApp has it, and replaced by a file that is uploaded at once.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../../../api/resource";
import { upload } from "../../../api/upload";
import { useApp } from "../../../app";
import { megabytes } from "../../../texts/format";
import { t, type Key } from "../../../texts/texts";
import { Button, ErrorNotice } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";

const TYPES = ["image/jpeg", "image/png"];
const LARGEST_BYTES = 5 * 1_048_576; // LARGEST_BYTES of functions/whatsapp/actions/accounts/numbers/profiles/pictures.py

export function Picture({ phone, url, onChange }: { phone: string; url: string | null; onChange: () => Promise<unknown> }) {
  const { client } = useApp();
  const [file, setFile] = useState<File | null>(null);
  const [chosen, setChosen] = useState<string | null>(null); // the file, as an address of this page
  const [share, setShare] = useState<number | null>(null);
  const stopped = useRef(new AbortController());
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!file) return setChosen(null);
    const address = URL.createObjectURL(file);
    setChosen(address);
    return () => URL.revokeObjectURL(address);
  }, [file]);
  useEffect(() => () => stopped.current.abort(), []);
  const refusal = file && refusalOf(file);
  const store = useAction(async () => {
    if (!file) return;
    const form = (await client.call("POST /whatsapp/uploads", { body: { type: "image", mimeType: file.type } })).result;
    await upload(form, file, setShare, stopped.current.signal);
    const { result } = await client.call("POST /whatsapp/actions/upload_profile_picture", { body: { phone, s3Key: form.fields["key"] ?? "" } });
    showToast(t(result.syncStatus === "synced" ? "ops.numbers.picture.stored" : "ops.numbers.profile.pending"));
    setFile(null);
    if (input.current) input.current.value = "";
    await onChange();
  });
  const shown = chosen ?? url;
  return (
    <form
      class="ops-editor"
      aria-label={t("ops.numbers.picture")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <div class="number-picture">
        {shown ? <img src={shown} alt={t(chosen ? "ops.numbers.picture.chosen" : "ops.numbers.picture.now")} width={96} height={96} referrerpolicy="no-referrer" /> : <p class="ops-empty">{t("ops.numbers.picture.none")}</p>}
        <label class="field">
          <span class="field-label">{t("ops.numbers.picture.file", { most: megabytes(LARGEST_BYTES) })}</span>
          <input ref={input} type="file" accept={TYPES.join()} aria-invalid={Boolean(refusal)} onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)} />
          {refusal && (
            <span class="field-problem" role="alert">
              {t(refusal, { most: megabytes(LARGEST_BYTES) })}
            </span>
          )}
        </label>
      </div>
      {store.error && (store.error.code === "not_configured" ? <p class="notice notice-warn" role="alert">{t("ops.numbers.picture.no_app")}</p> : <ErrorNotice error={store.error} fields={["s3Key"]} onRetry={() => void store.run()} />)}
      {store.error?.problemOf("s3Key") && (
        <p class="field-problem" role="alert">
          {t("ops.numbers.picture.refused", { most: megabytes(LARGEST_BYTES) })}
        </p>
      )}
      {store.busy && share !== null && <progress value={share} aria-label={t("ops.numbers.picture.uploading")} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={store.busy} disabled={!file || Boolean(refusal)}>
          {t("ops.numbers.picture.store")}
        </Button>
      </div>
    </form>
  );
}

function refusalOf(file: File): Key | null {
  return TYPES.includes(file.type) && file.size > 0 && file.size <= LARGEST_BYTES ? null : "ops.numbers.picture.refused";
}
