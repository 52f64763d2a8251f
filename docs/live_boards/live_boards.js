// @ts-check
// Puts a button under some pictures of the manual, which replaces the picture by a live board. Only one board is open at a time.
(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  /** @type {Record<string, string>} where the board of a picture begins, by the picture's name; see docs/conf.py */
  const starts = JSON.parse(script.dataset.boards ?? "{}");
  const page = new URL("../browser/board.html", script.src);
  let closeOpenBoard = () => {};

  /**
   * @param {HTMLImageElement} picture
   * @param {string} start
   */
  function makeBoard(picture, start) {
    const board = document.createElement("iframe");
    board.className = "live-board";
    board.title = `Live board: ${picture.alt}`;
    board.src = `${page}#${start}`;
    const resizing = new ResizeObserver(() => {
      board.style.height = `${board.contentDocument?.body.offsetHeight}px`;
    });
    board.addEventListener("load", () => {
      resizing.disconnect();
      if (board.contentDocument) resizing.observe(board.contentDocument.body);
      copyTheme(board);
    });
    return board;
  }

  /**
   * Give a board the theme that was chosen for the manual.
   * @param {HTMLIFrameElement} board
   */
  function copyTheme(board) {
    const root = board.contentDocument?.documentElement;
    if (root) root.dataset.theme = document.body.dataset.theme;
  }

  /**
   * @param {HTMLImageElement} picture
   * @param {string} start
   */
  function addButton(picture, start) {
    const place = /** @type {HTMLElement} */ (picture.closest("p, figure"));
    const button = document.createElement("button");
    button.type = "button";
    button.className = "live-board-button";
    /** @type {HTMLIFrameElement | null} */
    let board = null;

    function close() {
      board?.remove();
      board = null;
      place.hidden = false;
      button.textContent = "Try it here";
    }

    function open() {
      closeOpenBoard();
      closeOpenBoard = close;
      board = makeBoard(picture, start);
      button.before(board);
      place.hidden = true;
      button.textContent = "Show the picture again";
    }

    button.addEventListener("click", () => (board ? close() : open()));
    close();
    place.after(button);
  }

  /** @param {HTMLImageElement} picture */
  function addNote(picture) {
    const note = document.createElement("p");
    note.className = "live-board-note";
    note.textContent = "You can play here when a web server serves the manual: make docs-serve";
    picture.closest("p, figure")?.after(note);
  }

  for (const [name, start] of Object.entries(starts)) {
    const picture = /** @type {HTMLImageElement | null} */ (document.querySelector(`img[src$="/${name}"]`));
    if (picture && location.protocol === "file:") addNote(picture);
    else if (picture) addButton(picture, start);
  }
  new MutationObserver(() => document.querySelectorAll("iframe.live-board").forEach((each) => {
    copyTheme(/** @type {HTMLIFrameElement} */ (each));
  })).observe(document.body, { attributeFilter: ["data-theme"] });
})();
