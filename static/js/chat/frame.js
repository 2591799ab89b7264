/**
 * The frame is as high as what can be seen. A phone's keyboard lies over the page without making it
 * smaller, and the browser then pushes the page up: both are answered here.
 */

const seen = window.visualViewport;

function fit() {
  // Zoomed in with two fingers, one looks at a part of the page: then it is left as it is.
  if (seen.scale > 1.01) return;
  document.documentElement.style.setProperty("--seen", `${seen.height}px`);
  if (scrollY || seen.offsetTop) scrollTo(0, 0);
}

/** Keep the frame as high as what can be seen, from now on. */
export function keepInSight() {
  if (!seen) return;
  seen.addEventListener("resize", fit);
  seen.addEventListener("scroll", fit);
  fit();
}
