// What takes some seconds to compute comes later; the rest of the page does not wait for it.
(() => {
  "use strict";
  for (const place of document.querySelectorAll("[data-source]")) {
    fetch(place.dataset.source, { headers: { Accept: "text/html" } })
      .then((reply) => (reply.ok ? reply.text() : Promise.reject(new Error(String(reply.status)))))
      .then((text) => {
        const parsed = new DOMParser().parseFromString(text, "text/html");
        place.replaceChildren(...parsed.body.childNodes);
      })
      .catch(() => {
        place.querySelector("p").textContent = place.dataset.failed;
      })
      .finally(() => place.setAttribute("aria-busy", "false"));
  }
})();
