/**
 * All that the page does by itself: hides what does not fit the filter, and opens what a link leads to. Without it the
 * page has no filter and is whole.
 */
export const SCRIPT = `
const input = document.querySelector('#filter');
const items = [...document.querySelectorAll('[data-find]')];
const groups = [...document.querySelectorAll('[data-group]')];
const shown = document.querySelector('#shown');
function apply() {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const item of items) {
    const fits = words.every((word) => item.dataset.find.includes(word));
    item.hidden = !fits;
    if (fits) count += 1;
  }
  for (const group of groups) {
    const some = group.querySelector('[data-find]:not([hidden])') !== null;
    group.hidden = words.length > 0 && !some;
    if (group.dataset.group === 'open' && group.matches('details')) group.open = words.length > 0 && some;
  }
  shown.textContent = words.length === 0 ? '' : count + ' of ' + items.length;
}
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  for (let each = target; each !== null; each = each.parentElement) if (each.matches('details')) each.open = true;
  target.scrollIntoView();
}
document.querySelector('.filter').hidden = false;
input.addEventListener('input', apply);
addEventListener('hashchange', reveal);
reveal();
`;
