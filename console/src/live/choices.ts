// How this browser tells a person of new messages. Kept in the browser, as permission is.

import type { Wish } from "./news";

const WISH = "parley:notify";
const SOUND = "parley:sound";

export function wish(): Wish {
  const kept = localStorage.getItem(WISH);
  return kept === "mine" || kept === "all" ? kept : "off";
}

export function hasSound(): boolean {
  return localStorage.getItem(SOUND) !== null;
}

export function keepWish(next: Wish): void {
  localStorage.setItem(WISH, next);
}

export function keepSound(isOn: boolean): void {
  if (isOn) localStorage.setItem(SOUND, "1");
  else localStorage.removeItem(SOUND);
}

// A short tone, without a file. Silent until the person has used the page: browsers ask for that.
export function play(): void {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const volume = context.createGain();
  volume.gain.setValueAtTime(0.08, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.4);
  tone.frequency.value = 880;
  tone.connect(volume).connect(context.destination);
  tone.onended = () => void context.close();
  tone.start();
  tone.stop(context.currentTime + 0.4);
}
