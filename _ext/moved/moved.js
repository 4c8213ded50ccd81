// Sends a reader whose link names a section that has moved on to the section's new place.
(() => {
  function follow() {
    // Ids on our pages need no decoding, and decoding an invalid fragment would raise an error
    const place = document.getElementById(location.hash.slice(1));
    if (!place?.dataset.moved) return;
    const target = new URL(place.dataset.moved, location.href);
    if (location.search) {
      // A shared link to an explorer holds its state and its id, which it keeps when it moves.
      target.search = location.search;
      target.hash = location.hash;
    }
    location.replace(target.href);
  }
  addEventListener("hashchange", follow);
  follow();
})();
