/**
 * Everything the page shows is made here or by `textContent`, so no text can become markup.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {{ className?: string, text?: string }} [what]
 * @param {...Node} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, { className = '', text = '' } = {}, ...children) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  if (text !== '') made.textContent = text;
  made.append(...children);
  return made;
}

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The page has no ${type.name} with the id ${id}.`);
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @returns {Record<string, unknown>} */
export const recordOf = (value) => (isRecord(value) ? value : {});

/** @param {unknown} value @returns {string} */
export const textOf = (value) => (typeof value === 'string' ? value : '');

/** @param {unknown} value @returns {Record<string, unknown>[]} */
export const recordsOf = (value) => (Array.isArray(value) ? value.filter(isRecord) : []);
