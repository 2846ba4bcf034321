/** Makes an element. Texts become text, whatever they hold. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  fields: { readonly class?: string; readonly text?: string; readonly title?: string } = {},
  ...children: readonly Node[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (fields.class !== undefined) element.className = fields.class;
  if (fields.title !== undefined) element.title = fields.title;
  if (fields.text !== undefined) element.textContent = fields.text;
  element.append(...children);
  return element;
}

/** @throws Error the page has no such element: it is not the page that this script was made for. */
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`no element #${id}`);
  // The page is ours: the caller knows what it is.
  return element as T;
}

export function button(text: string, onClick: () => void, title?: string): HTMLButtonElement {
  const element = el('button', { text, ...(title === undefined ? {} : { title }) });
  element.type = 'button';
  element.addEventListener('click', onClick);
  return element;
}
