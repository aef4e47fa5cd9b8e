/**
 * A link to an exchange opens it, and so does its mark in the drawing. A clause that is opened shows its exchanges in
 * place: each stands once in the file, in the evidence, and is copied from there. Without the script all can be read.
 */
export const SCRIPT = `
(() => {
  const at = (hash) => document.getElementById(decodeURIComponent(hash.slice(1)));
  const reveal = () => {
    const target = location.hash && at(location.hash);
    if (!target) return;
    for (let node = target; node; node = node.parentElement) if (node.tagName === 'DETAILS') node.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  document.addEventListener('click', ({ target }) => {
    const mark = target.closest('[data-entry]');
    if (mark) location.hash = mark.dataset.entry;
  });
  document.addEventListener('toggle', ({ target }) => {
    const list = target.open && target.querySelector(':scope > .refs:not(.filled)');
    if (!list) return;
    list.classList.add('filled');
    const links = list.querySelectorAll('a');
    for (const link of links) {
      const copy = at(link.hash).cloneNode(true);
      copy.removeAttribute('id');
      copy.open = links.length < 3;
      link.parentElement.replaceChildren(copy);
    }
  }, true);
  reveal();
})();
`;
