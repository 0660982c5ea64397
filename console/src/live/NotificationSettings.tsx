import { useState } from "preact/hooks";
import { t } from "../texts/texts";
import { hasSound, keepSound, keepWish, play, wish } from "./choices";
import type { Wish } from "./news";

const WISHES: readonly Wish[] = ["off", "mine", "all"];

export function NotificationSettings() {
  const [chosen, setChosen] = useState(wish);
  const [sound, setSound] = useState(hasSound);
  const [isDenied, setDenied] = useState("Notification" in window && Notification.permission === "denied");
  const choose = async (next: Wish) => {
    keepWish(next);
    setChosen(next);
    if (next !== "off" && "Notification" in window) setDenied((await Notification.requestPermission()) === "denied");
  };
  return (
    <>
      <label class="field">
        <span class="field-label">{t("notify.label")}</span>
        <select value={chosen} onChange={(event) => void choose(event.currentTarget.value as Wish)}>
          {WISHES.map((one) => (
            <option key={one} value={one}>
              {t(`notify.${one}`)}
            </option>
          ))}
        </select>
        {isDenied && chosen !== "off" && <span class="field-problem">{t("notify.denied")}</span>}
      </label>
      <label class="choice-line">
        <input
          type="checkbox"
          checked={sound}
          disabled={chosen === "off"}
          onChange={() => {
            keepSound(!sound);
            setSound(!sound);
            if (!sound) play();
          }}
        />
        <span>{t("notify.sound")}</span>
      </label>
    </>
  );
}
