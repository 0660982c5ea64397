import { useEffect, useState } from "preact/hooks";
import { asApiError } from "../api/errors";
import { t } from "../texts/texts";
import { Button, errorText } from "./controls";
import { clearToasts, onToasts, showToast, shownToasts, SHOWN_MS, takeToast, type Toast } from "./toastList";

export function Toasts({ company }: { company: string | null }) {
  const [toasts, setToasts] = useState(shownToasts());
  useEffect(() => onToasts(() => setToasts(shownToasts())), []);
  useEffect(() => clearToasts, [company]);
  return (
    <div class="toasts" role="status">
      {[...toasts].reverse().map((toast) => (
        <Shown key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

// Stays while the pointer or the focus is on it.
function Shown({ toast }: { toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => takeToast(toast.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, toast.id]);
  const undo = async () => {
    const run = takeToast(toast.id)?.undo;
    if (!run) return;
    try {
      await run();
      showToast(t("undo.done"));
    } catch (failure) {
      showToast(t("undo.failed", { reason: errorText(asApiError(failure)) }));
    }
  };
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    <div class="toast" onPointerEnter={hold} onPointerLeave={release} onFocusIn={hold} onFocusOut={release}>
      <span>{toast.text}</span>
      {toast.undo && (
        <Button kind="quiet" onClick={() => void undo()}>
          {t("undo.button")}
        </Button>
      )}
    </div>
  );
}
