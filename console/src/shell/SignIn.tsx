import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useApp, useSession } from "../app";
import { t } from "../texts/texts";
import { Icon } from "../ui/icons";
import { Button } from "../ui/controls";
import { Help } from "./Help";
import { SIGN_IN_HELP } from "./documentation";

export function Mark() {
  return (
    <span class="mark" aria-hidden="true">
      <Icon name="chat" size={20} />
    </span>
  );
}

export function SignIn({ failed }: { failed: boolean }) {
  const { config } = useApp();
  const session = useSession();
  const [isUnconfirmed] = useState(() => session.takeUnconfirmed());
  return (
    <main class="signin">
      <div class="signin-card">
        <Mark />
        <h1>Parley</h1>
        <p>{t("signin.text")}</p>
        {failed && (
          <div class="notice notice-error" role="alert">
            <Icon name="alert" />
            <p>{t("signin.failed")}</p>
          </div>
        )}
        {isUnconfirmed && (
          <div class="notice notice-error" role="alert">
            <Icon name="alert" />
            <p>{t("signin.unconfirmed")}</p>
          </div>
        )}
        {config.login ? (
          <Button kind="primary" onClick={() => session.signIn()}>
            {t("signin.button")}
          </Button>
        ) : (
          <div class="notice" role="status">
            <Icon name="info" />
            <p>{t("signin.missing")}</p>
          </div>
        )}
        {config.stage !== "prod" && <p class="quiet">{t("signin.stage", { stage: config.stage })}</p>}
        <Help to={SIGN_IN_HELP} />
      </div>
    </main>
  );
}

// Shown over the page, which stays as it is: a text that is being written is not lost.
export function SignInAgain() {
  const session = useSession();
  const dialog = useRef<HTMLDivElement>(null);
  // Focus would stay on the page behind it.
  useLayoutEffect(() => dialog.current?.querySelector("button")?.focus(), []);
  return (
    <div class="overlay" ref={dialog} role="alertdialog" aria-modal="true" aria-labelledby="ended">
      <div class="signin-card">
        <Mark />
        <h1 id="ended">{t("ended.title")}</h1>
        <p>{t("ended.text")}</p>
        <Button kind="primary" onClick={() => session.signIn()}>
          {t("signin.button")}
        </Button>
        <Help to={SIGN_IN_HELP} />
      </div>
    </div>
  );
}
