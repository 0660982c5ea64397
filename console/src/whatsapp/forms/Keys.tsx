// The public key of each number: forms that ask Parley for their data are encrypted with it, and do not open without one.

import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Skeleton } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

export function Keys({ account }: { account: Account }) {
  return (
    <section aria-label={t("forms.keys")}>
      <h3>{t("forms.keys")}</h3>
      <p class="quiet">{t("forms.keys.about")}</p>
      {account.numbers.map(({ phone, displayText }) => (
        <Key key={phone} phone={phone} name={displayText} />
      ))}
    </section>
  );
}

function Key({ phone, name }: { phone: string; name: string }) {
  const { client } = useApp();
  const found = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_flow_public_key", { body: { phone }, signal })).result, [client, phone]);
  const publish = useAction(async () => {
    await client.call("POST /whatsapp/actions/set_flow_public_key", { body: { phone } });
    showToast(t("forms.keys.published"));
    await found.reload();
  });
  const error = found.error ?? publish.error;
  if (error) return <ErrorNotice error={error} onRetry={() => void found.reload()} />;
  if (!found.value) return <Skeleton rows={1} kind="row" />;
  const isOurs = found.value.isOurs;
  return (
    <p class="wa-line">
      <bdi dir="ltr">{name}</bdi> <Badge kind={isOurs ? "good" : "danger"}>{t(isOurs ? "forms.keys.ours" : "forms.keys.none")}</Badge>
      {!isOurs && (
        <Button busy={publish.busy} label={t("forms.keys.publish_of", { name })} onClick={() => void publish.run()}>
          {t("forms.keys.publish")}
        </Button>
      )}
    </p>
  );
}
