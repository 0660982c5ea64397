// The pin of two-step verification: a new one is made and kept on the server, and never shown.

import { useState } from "preact/hooks";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Button } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { Confirm } from "../../sections";

export function Pin({ phone }: { phone: string }) {
  const { client } = useApp();
  const [isAsked, setAsked] = useState(false);
  const change = useAction(() => client.call("POST /whatsapp/actions/set_two_step_pin", { body: { phone, rotate: true } }));
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t("ops.numbers.pin")}</Button>
      {isAsked && (
        <Confirm
          title={t("ops.numbers.pin")}
          action={change}
          button={t("ops.numbers.pin")}
          onClose={() => setAsked(false)}
          onDone={() => {
            setAsked(false);
            showToast(t("ops.numbers.pin.set"));
          }}
        >
          <p>{t("ops.numbers.pin.about")}</p>
        </Confirm>
      )}
    </>
  );
}
