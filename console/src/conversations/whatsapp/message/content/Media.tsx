// A file of a message. A refresh of the conversation brings new links; the element keeps the one that it began with, so
// that no picture loads again and no voice note stops, until a load fails because the link has expired.

import { useEffect, useRef, useState } from "preact/hooks";
import type { WhatsappApi } from "../../../../api/routes";
import { Dialog } from "../../../../shell/Dialog";
import { named, t, type Key } from "../../../../texts/texts";
import { Button } from "../../../../ui/controls";
import { Icon } from "../../../../ui/icons";
import type { Message } from "../../conversationData";
import { afterFailure, fileOf } from "./file";
import { Words } from "./Words";

const SPEEDS = [1, 1.5, 2];

interface Props {
  message: Message;
  media: WhatsappApi.MediaView;
  onRenew: () => void; // asks for the message with new links
}

export function Media({ message, media, onRenew }: Props) {
  if (media.status !== "STORED" || !media.link) return <Missing status={media.status} />;
  return <Stored key={fileOf(media.link)} message={message} media={media} link={media.link} onRenew={onRenew} />;
}

function Missing({ status }: { status: string }) {
  return (
    <p class="file file-missing">
      <Icon name={status === "PENDING" ? "clock" : "alert"} />
      <span>{t(`media.${status}` as Key)}</span>
    </p>
  );
}

function Stored({ message, media, link, onRenew }: Props & { link: string }) {
  const file = useFile(link, onRenew);
  const [isLarge, setLarge] = useState(false);
  const name = media.filename ?? named("type", message.type);
  const type = media.mimeType ?? "";
  if (file.hasFailed) return <Missing status="UNLOADED" />;
  if (type.startsWith("image/") && type !== "image/svg+xml") {
    return (
      <>
        <button type="button" class={message.type === "sticker" ? "sticker" : "photo"} aria-haspopup="dialog" onClick={() => setLarge(true)}>
          <img src={file.src} alt={t("media.image")} loading="lazy" onError={file.onError} />
        </button>
        {isLarge && (
          <Dialog label={t("media.image")} onClose={() => setLarge(false)}>
            <img class="large" src={file.src} alt={t("media.image")} />
            <a class="link" href={link} target="_blank" rel="noreferrer" download={name}>
              {name}
            </a>
          </Dialog>
        )}
      </>
    );
  }
  if (type.startsWith("video/")) return <video class="photo" src={file.src} controls preload="metadata" onError={file.onError} />;
  if (type.startsWith("audio/")) {
    return (
      <>
        <Voice src={file.src} onError={file.onError} />
        <Words message={message} onRenew={onRenew} />
      </>
    );
  }
  return (
    <a class="file" href={link} target="_blank" rel="noreferrer" download={name}>
      <Icon name="file" />
      <span>{name}</span>
    </a>
  );
}

function Voice({ src, onError }: { src: string; onError: (event: { currentTarget: EventTarget }) => void }) {
  const [speed, setSpeed] = useState(1);
  const element = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    element.current!.defaultPlaybackRate = element.current!.playbackRate = speed;
  }, [speed, src]);
  return (
    <span class="voice">
      <audio ref={element} src={src} controls preload="none" onError={onError} />
      <Button kind="quiet" label={t("media.speed", { speed })} onClick={() => setSpeed(SPEEDS[SPEEDS.indexOf(speed) + 1] ?? 1)}>
        {speed}×
      </Button>
    </span>
  );
}

function useFile(link: string, onRenew: () => void) {
  const [src, setSrc] = useState(link);
  const [hasFailed, setFailed] = useState(false);
  const hasAsked = useRef(false);
  const interrupted = useRef<HTMLMediaElement | null>(null); // playing, when its link had expired
  useEffect(() => {
    if (hasAsked.current && link !== src) setSrc(link);
  }, [link]);
  useEffect(() => {
    const element = interrupted.current;
    interrupted.current = null;
    element?.play().catch(() => undefined); // the browser may want a click
  }, [src]);
  const onError = ({ currentTarget }: { currentTarget: EventTarget }) => {
    const step = afterFailure(src, link, hasAsked.current);
    if (step === "give_up") return setFailed(true);
    if (currentTarget instanceof HTMLMediaElement && !currentTarget.paused) interrupted.current = currentTarget;
    hasAsked.current = true;
    if (step === "use_newer") setSrc(link);
    else onRenew();
  };
  return { src, hasFailed, onError };
}
