// Whether this browser tells that something waits while no page is open.

import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/resource";
import { useApp, useSession } from "../app";
import { t } from "../texts/texts";
import { endPushes, isPushed, isPushPossible, startPushes } from "./push";

export function PushSetting() {
  const { client } = useApp();
  const { teams } = useSession();
  const [isOn, setOn] = useState(false);
  useEffect(() => {
    if (isPushPossible) void isPushed().then(setOn, () => undefined);
  }, []);
  const change = useAction(async () => {
    if (!isOn && (await Notification.requestPermission()) !== "granted") return;
    await (isOn ? endPushes(client) : startPushes(client, teams));
    setOn(!isOn);
  });
  if (!isPushPossible) return null;
  const isDenied = Notification.permission === "denied";
  return (
    <>
      <label class="choice-line">
        <input type="checkbox" checked={isOn} disabled={change.busy || isDenied} onChange={() => void change.run()} />
        <span>{t("notifications.push")}</span>
      </label>
      <p class="quiet">{t(isDenied ? "notify.denied" : "notifications.push_about")}</p>
      {change.error && <p class="field-problem">{t("notifications.push_failed")}</p>}
    </>
  );
}
