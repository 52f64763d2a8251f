// @ts-check

/** Elements that are inert while a dialog is open. */
function background() {
  return Array.from(document.querySelectorAll("header, main, footer"));
}

const FOCUSABLE = "button, select, input, a[href], [tabindex='0']";

/** Modal dialog. It keeps the focus; Escape and a press outside close it. */
export class Dialog {
  /**
   * @param {HTMLElement} cover cover with the dialog as its first child
   * @param {() => void} [dismiss] called by Escape and by a press outside, instead of closing the dialog
   */
  constructor(cover, dismiss = () => this.close()) {
    this.cover = cover;
    this.sheet = /** @type {HTMLElement} */ (cover.firstElementChild);
    /** @type {Element | null} */
    this.opener = null;
    cover.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        dismiss();
      } else if (event.key === "Tab") this.keepFocusInside(event);
    });
    cover.addEventListener("click", (event) => {
      if (event.target === cover) dismiss();
    });
    for (const button of Array.from(cover.querySelectorAll(".close"))) button.addEventListener("click", dismiss);
  }

  get isOpen() {
    return !this.cover.hidden;
  }

  open() {
    if (this.isOpen) return;
    this.opener = document.activeElement;
    this.cover.hidden = false;
    background().forEach((each) => each.setAttribute("inert", ""));
    document.documentElement.classList.add("covered");
    this.sheet.focus();
  }

  close() {
    if (!this.isOpen) return;
    this.cover.hidden = true;
    if (!document.querySelector(".cover:not([hidden])")) {
      background().forEach((each) => each.removeAttribute("inert"));
      document.documentElement.classList.remove("covered");
    }
    if (this.opener instanceof HTMLElement || this.opener instanceof SVGElement) this.opener.focus();
  }

  /**
   * Keep the focus inside.
   * @param {KeyboardEvent} event
   */
  keepFocusInside(event) {
    const all = /** @type {HTMLElement[]} */ (Array.from(this.sheet.querySelectorAll(FOCUSABLE)));
    const focusable = all.filter((each) => each.getClientRects().length > 0);
    const first = focusable[0];
    const last = focusable[focusable.length - 1];
    const { activeElement } = document;
    if (event.shiftKey && (activeElement === first || activeElement === this.sheet)) {
      event.preventDefault();
      last?.focus();
    } else if (!event.shiftKey && activeElement === last) {
      event.preventDefault();
      first?.focus();
    }
  }
}
