/* Drawings that the server made, as files. */

import { pictureButtons } from "./downloads.js";

/* The drawing as the text of a file of its own: the page's style sheets do not come with it. */
function svgText(drawing) {
  const copy = drawing.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const originals = drawing.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, at) => {
    const style = getComputedStyle(originals[at]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "font-size", "font-weight", "font-family", "text-anchor", "paint-order"]) {
      element.setAttribute(name, style.getPropertyValue(name));
    }
  });
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(document.documentElement).getPropertyValue("--paper").trim());
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

async function pngOf(drawing) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(drawing))}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * 3;
  canvas.height = picture.height * 3;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

function offerPicture(place) {
  const drawing = document.getElementById(place.dataset.pictureOf);
  place.append(...pictureButtons(drawing.id, drawing.getAttribute("aria-label").split(";")[0], { svg: () => svgText(drawing), png: () => pngOf(drawing) }));
}

/* Put buttons wherever the page has a place for those of a drawing. */
export function offerPictures() {
  for (const place of document.querySelectorAll("[data-picture-of]")) offerPicture(place);
}
