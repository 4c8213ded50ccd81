// Sends a reader whose link names a section that has moved on to the section's new place.
(() => {
  function follow() {
    // Ids on our pages need no decoding, and decoding an invalid fragment would raise an error
    const place = document.getElementById(location.hash.slice(1));
    if (place?.dataset.moved) location.replace(place.dataset.moved);
  }
  addEventListener("hashchange", follow);
  follow();
})();
