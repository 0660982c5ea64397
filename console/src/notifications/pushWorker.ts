// The service worker of this browser: shows that something waits, and opens the console. A push has no content; the text
// and the icon are in the address of this file.

interface WaitedFor extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface Page {
  readonly visibilityState: string;
  focus(): Promise<unknown>;
}

interface Worker {
  readonly location: Location;
  readonly registration: { showNotification(title: string, options: object): Promise<void> };
  readonly clients: {
    matchAll(options: object): Promise<readonly Page[]>;
    openWindow(address: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: string, listener: (event: WaitedFor) => void): void;
}

// The types of the page and of workers exclude each other.
const worker = self as unknown as Worker;
const given = new URL(worker.location.href).searchParams;
const pages = () => worker.clients.matchAll({ type: "window", includeUncontrolled: true });

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener("push", (event) => {
  const show = async () => {
    // Browsers ask for a notification for each push, unless the page is seen.
    if ((await pages()).some((page) => page.visibilityState === "visible")) return;
    await worker.registration.showNotification("Parley", { body: given.get("text") ?? "", icon: given.get("icon") ?? "", tag: "parley" });
  };
  event.waitUntil(show());
});

worker.addEventListener("notificationclick", (event) => {
  const open = async () => {
    (event as unknown as { notification: { close(): void } }).notification.close();
    const [page] = await pages();
    await (page ? page.focus() : worker.clients.openWindow(new URL("../../console", worker.location.href).href));
  };
  event.waitUntil(open());
});
