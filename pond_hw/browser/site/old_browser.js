// @ts-check
// Tells visitors whose browser can't run the page. It is written for old browsers, and runs before the page's other scripts.
(function () {
  /** @param {string} id */
  function find(id) {
    return /** @type {HTMLElement} */ (document.getElementById(id));
  }

  /** @param {string} id */
  function explain(id) {
    var words = JSON.parse(find("words").textContent || "");
    var ownWords = words[(navigator.language || "").slice(0, 2)] || words.en;
    document.documentElement.setAttribute("data-unsupported", id);
    find("connection").textContent = ownWords[id];
  }

  var isModern =
    "noModule" in HTMLScriptElement.prototype && window.WebAssembly && window.indexedDB && "ResizeObserver" in window;
  if (location.protocol === "file:") explain("page.own.file");
  else if (!isModern) explain("page.own.old_browser");
  window.addEventListener("error", function () { // a script that the browser can't parse
    if (!document.body.classList.contains("ready")) explain("page.own.old_browser");
  });
})();
