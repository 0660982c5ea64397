// A value to enter elsewhere, with a button that copies it.

import { useState } from "preact/hooks";
import { t } from "../texts/texts";
import { Button } from "../ui/controls";
import "./setup.css";

export function Copied({ label, value, isSecret = false }: { label: string; value: string; isSecret?: boolean }) {
  const [state, setState] = useState<"" | "copied" | "refused">("");
  const [isShown, setIsShown] = useState(!isSecret);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setState("copied");
    } catch {
      setIsShown(true);
      setState("refused");
    }
  };
  return (
    <div class="setup-copied">
      <span class="field-label">{label}</span>
      <code dir="ltr">{isShown ? value : "•".repeat(12)}</code>
      <Button label={t("setup.copy_of", { name: label })} onClick={() => void copy()}>
        {t("setup.copy")}
      </Button>
      {isSecret && !isShown && (
        <Button kind="quiet" label={t("setup.show_of", { name: label })} onClick={() => setIsShown(true)}>
          {t("setup.show")}
        </Button>
      )}
      <span class="quiet" role="status">
        {state === "copied" && t("setup.copied")}
        {state === "refused" && t("setup.not_copied")}
      </span>
    </div>
  );
}
