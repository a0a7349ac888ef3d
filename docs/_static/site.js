/* What scrolls sideways can be reached and scrolled by keyboard. */
function reachScrollingBoxes() {
  for (const box of document.querySelectorAll("div.math, pre, .table-wrapper, .output")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

window.addEventListener("DOMContentLoaded", () => {
  // docutils marks the bibliography as a list but not its entries as items
  for (const list of document.querySelectorAll(".citation-list")) list.removeAttribute("role");
});
window.addEventListener("load", () => {
  const ready = window.MathJax ? window.MathJax.startup.promise : Promise.resolve();
  ready.then(reachScrollingBoxes);
});
window.addEventListener("resize", reachScrollingBoxes);
