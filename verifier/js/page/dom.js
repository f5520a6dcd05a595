/** Elements from plain values; nothing is ever parsed as markup. */

/**
 * @param {string} tag
 * @param {Record<string, any>} attributes functions listen to the event they are named for; null, undefined and false are left out
 * @param {...(Node | string | number | null)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null).map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

/** A copy of the element in a `<template>` of the page. @param {string} id @returns {any} */
export const copyOf = (id) => /** @type {any} */ (document.getElementById(id)).content.firstElementChild.cloneNode(true);

/** An icon of the page. @param {string} name */
export function icon(name) {
  const made = copyOf("icon");
  made.firstElementChild.setAttribute("href", `#icon-${name}`);
  return made;
}

/** A term and its value. @param {string} term @param {Node | string | number} value @param {string} [kind] class of the value */
export const row = (term, value, kind) =>
  element("div", { class: "row" }, element("dt", {}, term), element("dd", { class: kind }, value));

/** @type {Set<string>} parts that the reader opened, which stay so when they are drawn again */
const opened = new Set();

/**
 * A part that is made when it is first opened.
 * @param {string} id @param {Node[]} summary @param {() => Node[]} content @param {boolean} [open] from the start
 */
export function disclosure(id, summary, content, open = false) {
  const made = element("details", { id }, element("summary", {}, ...summary));
  const fill = () => {
    if (made.childElementCount === 1) made.append(...content());
  };
  made.addEventListener("toggle", () => {
    if (made.hasAttribute("open")) {
      fill();
      opened.add(id);
      opened.delete(`not ${id}`);
    } else {
      opened.delete(id);
      opened.add(`not ${id}`);
    }
  });
  if (opened.has(id) || (open && !opened.has(`not ${id}`))) {
    fill();
    made.setAttribute("open", "");
  }
  return made;
}
