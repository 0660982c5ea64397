import type { WhatsappApi } from "../../../api/routes";
import { named, t, type Key } from "../../../texts/texts";
import { Icon } from "../../../ui/icons";
import type { Message } from "../conversationData";

export function Media({ message, media }: { message: Message; media: WhatsappApi.MediaView }) {
  const name = media.filename ?? named("type", message.type);
  if (media.status !== "STORED" || !media.link) {
    return (
      <p class="file file-missing">
        <Icon name={media.status === "PENDING" ? "clock" : "alert"} />
        <span>{t(`media.${media.status}` as Key)}</span>
      </p>
    );
  }
  const type = media.mimeType ?? "";
  if (type.startsWith("image/") && type !== "image/svg+xml") {
    return (
      <a class={message.type === "sticker" ? "sticker" : "photo"} href={media.link} target="_blank" rel="noreferrer">
        <img src={media.link} alt={t("media.image")} loading="lazy" />
      </a>
    );
  }
  if (type.startsWith("video/")) return <video class="photo" src={media.link} controls preload="metadata" />;
  if (type.startsWith("audio/")) return <audio class="voice" src={media.link} controls preload="none" />;
  return (
    <a class="file" href={media.link} target="_blank" rel="noreferrer" download={name}>
      <Icon name="file" />
      <span>{name}</span>
    </a>
  );
}
