// The keys of the console: commands, the search from everywhere (Ctrl K), and their list (?).

import { useEffect, useState } from "preact/hooks";
import { t } from "../texts/texts";
import { Button } from "../ui/controls";
import { COMMANDS, commandOf, isField, NAMES } from "./commands";
import { Dialog } from "./Dialog";
import { leaveField } from "./focus";
import { Palette } from "./Palette";

// Single keys disturb people who dictate: each person may turn them off (WCAG 2.1.4).
const OFF = "parley:single-keys-off";

type Shown = "search" | "help" | null;

export function Keys() {
  const [shown, setShown] = useState<Shown>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        if (!document.querySelector("[role=alertdialog]")) setShown("search");
        return;
      }
      if (event.key === "Escape" && isField(event.target) && !(event.target as Element).closest(".panel, dialog, [role=alertdialog]")) leaveField();
      if (isField(event.target) || document.querySelector("dialog[open], [role=alertdialog]") || localStorage.getItem(OFF)) return;
      if (event.key === "?") setShown("help");
      else {
        const name = commandOf(event);
        if (!name || !COMMANDS[name].run()) return;
      }
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const close = () => setShown(null);
  if (shown === "search") return <Palette onClose={close} onHelp={() => setShown("help")} />;
  return shown === "help" ? <Help onClose={close} /> : null;
}

function Help({ onClose }: { onClose: () => void }) {
  const [isOff, setOff] = useState(localStorage.getItem(OFF) !== null);
  const turn = () => {
    if (isOff) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
    setOff(!isOff);
  };
  return (
    <Dialog label={t("keys.title")} onClose={onClose}>
      <h2>{t("keys.title")}</h2>
      <dl class="keys">
        <Line keys={["Ctrl K", "⌘ K"]} text={t("palette.label")} />
        <Line keys={["?"]} text={t("keys.title")} />
        <Line keys={["Esc"]} text={t("keys.leave")} />
        {NAMES.map((name) => (
          <Line key={name} keys={[COMMANDS[name].key]} text={t(`keys.${name}`)} />
        ))}
      </dl>
      <label class="choice-line">
        <input type="checkbox" checked={!isOff} onChange={turn} />
        <span>{t("keys.single")}</span>
      </label>
      <Button kind="primary" onClick={onClose}>
        {t("action.close")}
      </Button>
    </Dialog>
  );
}

function Line({ keys, text }: { keys: string[]; text: string }) {
  return (
    <div>
      <dt>{text}</dt>
      <dd>
        {keys.map((one) => (
          <kbd key={one}>{one}</kbd>
        ))}
      </dd>
    </div>
  );
}
