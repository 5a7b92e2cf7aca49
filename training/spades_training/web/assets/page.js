// Keys and focus. Everything else is done by the server.
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, [role=combobox]")) return;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
  if (step) {
    const all = [...document.querySelectorAll("[data-keys] [data-do]")];
    const at = all.indexOf(document.activeElement);
    if (!all.length) return;
    all[at < 0 ? 0 : (at + step + all.length) % all.length].focus();
    e.preventDefault();
  } else if (e.key.length === 1 && e.key !== " ") {
    document.querySelector("[data-typed] input, input[data-typed]")?.focus();
  }
});
// The server replaces the cards as a whole: the focus goes to the button that now stands in the old one's place.
let place = -1;
document.addEventListener("focusin", (e) => {
  const all = [...document.querySelectorAll("[data-keys] [data-do]")];
  place = all.indexOf(e.target);
});
new MutationObserver(() => {
  if (place < 0 || document.activeElement !== document.body) return;
  const all = [...document.querySelectorAll("[data-keys] [data-do]")];
  if (all.length) all[Math.min(place, all.length - 1)].focus();
}).observe(document, { childList: true, subtree: true });
