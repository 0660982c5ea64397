// In the shell: whether changes appear at once, late or not at all.

import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../app";
import { t, type Key } from "../texts/texts";
import { useLiveState } from "./hooks";
import { signOf, type Sign } from "./sign";

const LOOK_MS = 1_000;

export function LiveSign() {
  const sign = useSign();
  return (
    <span class={sign === "off" ? "unseen" : `live live-${sign}`} role="status">
      {sign !== "off" && t(`live.${sign}` as Key)}
    </span>
  );
}

function useSign(): Sign {
  const { client, live } = useApp();
  const state = useLiveState();
  const lost = useRef<number | null>(null);
  const visible = useRef(Date.now());
  if (state !== "reconnecting") lost.current = null;
  else lost.current ??= Date.now();
  const look = () =>
    signOf(
      {
        state,
        isOnline: navigator.onLine && !live.heartbeat.isLost,
        answeredAt: client.answeredAt,
        connectionLostAt: lost.current,
        lateAt: live.lateAt,
        visibleSince: document.visibilityState === "visible" ? visible.current : Date.now(),
      },
      Date.now(),
    );
  const [sign, setSign] = useState(look);
  useEffect(() => live.heartbeat.run(), [live]);
  useEffect(() => {
    const update = () => setSign(look());
    const turn = () => {
      visible.current = Date.now();
      live.heartbeat.turn();
      update();
    };
    update();
    const timer = setInterval(update, LOOK_MS);
    const stop = live.onChange(update);
    addEventListener("online", update);
    addEventListener("offline", update);
    document.addEventListener("visibilitychange", turn);
    return () => {
      clearInterval(timer);
      stop();
      removeEventListener("online", update);
      removeEventListener("offline", update);
      document.removeEventListener("visibilitychange", turn);
    };
  }, [client, live, state]);
  return sign;
}
