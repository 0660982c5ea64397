// Keeps the focus in the page. When the focused control is removed, disabled or hidden, the browser gives the focus to the
// body, and the next key starts at the top; here the nearest control that is left gets it.

const CONTROLS = "a[href], button:not(:disabled), textarea:not(:disabled), input:not(:disabled, [type=file]), select:not(:disabled), [tabindex='0']";

const FORMS = "form, footer, .facts-part"; // whose field is the place to go on

let focused: HTMLElement | null = null;
let around: HTMLElement[] = []; // its ancestors, nearest first

export function keepFocus(root: HTMLElement): void {
  root.addEventListener("focusin", ({ target }) => {
    focused = target as HTMLElement;
    around = [];
    for (let one = focused.parentElement; one && one !== root; one = one.parentElement) around.push(one);
  });
  root.addEventListener("focusout", () => setTimeout(check));
  new MutationObserver(() => setTimeout(check)).observe(root, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["disabled", "hidden", "class"],
  });
}

export function focusMain(): void {
  const main = document.querySelector<HTMLElement>("main");
  if (!main) return;
  main.tabIndex = -1;
  main.focus();
}

// So that single keys act again. What was typed stays.
export function leaveField(): void {
  const row = document.querySelector<HTMLElement>(".list .row[aria-current]");
  if (row?.checkVisibility()) row.focus();
  else focusMain();
}

function check(): void {
  if (!focused || document.activeElement !== document.body) return;
  // A click beside all controls.
  if (focused.isConnected && focused.checkVisibility() && !focused.matches(":disabled")) {
    focused = null;
    return;
  }
  const isPaneLeft = [focused, ...around].some((one) => one.matches("main, aside") && !one.isConnected);
  const left = around.filter((one) => one.isConnected && !one.matches(".shell"));
  focused = null;
  if (isPaneLeft) return focusMain();
  const field = left.find((one) => one.matches(FORMS))?.querySelectorAll<HTMLElement>("textarea, input:not([type=file])");
  const controls = left.flatMap((one) => [...one.querySelectorAll<HTMLElement>(CONTROLS)]);
  const next = [...(field ?? []), ...controls].find((one) => one.checkVisibility() && !one.matches(":disabled"));
  if (next) next.focus({ preventScroll: true });
  else focusMain();
}
