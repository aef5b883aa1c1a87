// Runs before the first paint, so that a chosen theme never flashes.
(function () {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch (_) { /* storage may be switched off */ }
})();
