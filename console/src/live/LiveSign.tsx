// In the shell: whether changes appear at once, late or not at all.

import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../app";
import { t, type Key } from "../texts/texts";
import { useLiveState } from "./hooks";
import { signOf, type Sign } from "./sign";

const LOOK_MS = 1_000;
const PROBE_MS = 4_000; // while a call had no answer

export function LiveSign() {
  const sign = useSign();
  const { client } = useApp();
  useEffect(() => {
    if (sign !== "offline") return;
    const timer = setInterval(() => void client.probe(), PROBE_MS);
    return () => clearInterval(timer);
  }, [client, sign]);
  return (
    <span class={sign === "off" ? "unseen" : `live live-${sign}`} role="status">
      {sign !== "off" && t(`live.${sign}` as Key)}
    </span>
  );
}

function useSign(): Sign {
  const { client } = useApp();
  const state = useLiveState();
  const lost = useRef<number | null>(null);
  const visible = useRef(Date.now());
  if (state !== "reconnecting") lost.current = null;
  else lost.current ??= Date.now();
  const look = () =>
    signOf(
      {
        state,
        isOnline: navigator.onLine,
        answeredAt: client.answeredAt,
        unansweredAt: client.unansweredAt,
        connectionLostAt: lost.current,
        visibleSince: document.visibilityState === "visible" ? visible.current : Date.now(),
      },
      Date.now(),
    );
  const [sign, setSign] = useState(look);
  useEffect(() => {
    const update = () => setSign(look());
    const turn = () => {
      visible.current = Date.now();
      update();
    };
    update();
    const timer = setInterval(update, LOOK_MS);
    addEventListener("online", update);
    addEventListener("offline", update);
    document.addEventListener("visibilitychange", turn);
    return () => {
      clearInterval(timer);
      removeEventListener("online", update);
      removeEventListener("offline", update);
      document.removeEventListener("visibilitychange", turn);
    };
  }, [client, state]);
  return sign;
}
