// Sends the mails of an issue again of which nothing is known.

import { useState } from "preact/hooks";
import { useApp } from "../../app";
import { Confirm } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Button } from "../../ui/controls";
import { useChange } from "../changes";
import type { Issue } from "../source";

export function ResendUnknown({ issue, onChange }: { issue: Issue; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [isAsked, setAsked] = useState(false);
  const resend = useChange(async () => client.call("POST /newsletters/issues/{issue_id}/resend-unknown", { path: { issue_id: issue.issue_id }, body: { version: issue.version } }));
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t("newsletter.issue.resend")}</Button>
      {isAsked && (
        <Confirm
          title={t("newsletter.issue.resend")}
          action={resend}
          button={t("newsletter.issue.resend")}
          onClose={() => setAsked(false)}
          onDone={() => {
            setAsked(false);
            void onChange();
          }}
        >
          <p>{t("newsletter.issue.resend.about")}</p>
        </Confirm>
      )}
    </>
  );
}
