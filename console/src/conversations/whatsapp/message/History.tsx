// What an edited message said before: the original and each edit, oldest first.

import { moment } from "../../../texts/format";
import { t } from "../../../texts/texts";
import type { WhatsappApi } from "../../../api/routes";
import type { Message } from "../conversationData";
import { Media } from "./content/Media";

export function History({ message, versions, onRenew }: { message: Message; versions: WhatsappApi.VersionView[]; onRenew: () => void }) {
  return (
    <details class="history">
      <summary>{t("history.show", { count: versions.length })}</summary>
      <ol>
        {versions.map((version, index) => (
          <li key={index}>
            <p class="quiet">
              {t(index === 0 ? "history.original" : index === versions.length - 1 ? "history.shown" : "history.edit")} ·{" "}
              <time dateTime={version.at}>{moment(version.at)}</time>
            </p>
            {version.media && <Media message={message} media={version.media} onRenew={onRenew} />}
            {(version.text ?? version.caption) && <p class="bubble-text" dir="auto">{version.text ?? version.caption}</p>}
            {version.wholeContent && (
              <a class="link" href={version.wholeContent.link} target="_blank" rel="noreferrer">
                {t("message.whole")}
              </a>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
