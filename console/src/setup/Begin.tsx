// The page of the one-time link (#/begin/{token}): the first administrator chooses a password. Needs no login.

import { useState } from "preact/hooks";
import { useAction } from "../api/resource";
import { useApp, useSession } from "../app";
import { Help } from "../shell/Help";
import { BEGIN_HELP } from "../shell/documentation";
import { go, placeOf } from "../shell/router";
import { t } from "../texts/texts";
import { Button, ErrorNotice, Field } from "../ui/controls";
import "./setup.css";

const LEAST_PASSWORD = 12;
const FIELDS = ["name", "email", "password"];

export function Begin({ token }: { token: string }) {
  const { client } = useApp();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [company, setCompany] = useState<string | null>(null);
  const make = useAction(async () => {
    const body = { token, name: name.trim(), email: email.trim(), password };
    const { result } = await client.call("POST /operations/administrator", { body });
    setPassword("");
    setCompany(result.company);
  });
  const isUsed = make.error?.code === "link_refused";
  if (company !== null) return <Made company={company} />;
  return (
    <main class="signin">
      <form
        class="signin-card setup-begin"
        aria-labelledby="begin"
        onSubmit={(event) => {
          event.preventDefault();
          void make.run();
        }}
      >
        <h1 id="begin">{t("begin.title")}</h1>
        <p>{t("begin.text")}</p>
        {make.error && <ErrorNotice error={make.error} fields={FIELDS} onRetry={() => void make.run()} />}
        {isUsed && <p>{t("begin.used")}</p>}
        <Field label={t("begin.name")} name="name" error={make.error}>
          <input dir="auto" required maxLength={80} autocomplete="name" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Field label={t("begin.email")} name="email" error={make.error}>
          <input type="email" dir="ltr" required autocomplete="username" value={email} onInput={(event) => setEmail(event.currentTarget.value)} />
        </Field>
        <Field label={t("begin.password")} name="password" error={make.error}>
          <input
            type="password"
            dir="ltr"
            required
            minLength={LEAST_PASSWORD}
            maxLength={256}
            autocomplete="new-password"
            aria-describedby="begin-rule"
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </Field>
        <p id="begin-rule" class="quiet">
          {t("begin.rule")}
        </p>
        <Button type="submit" kind="primary" busy={make.busy}>
          {t("begin.button")}
        </Button>
        <Help to={BEGIN_HELP} />
      </form>
    </main>
  );
}

function Made({ company }: { company: string }) {
  const session = useSession();
  return (
    <main class="signin">
      <div class="signin-card" role="status">
        <h1>{t("begin.made")}</h1>
        <p>{t("begin.made_text", { company })}</p>
        <Button
          kind="primary"
          onClick={() => {
            go(placeOf("operations", "setup")); // where the login returns to
            session.signIn();
          }}
        >
          {t("signin.button")}
        </Button>
        <Help to={BEGIN_HELP} />
      </div>
    </main>
  );
}
