(() => {
  const at = (hash) => document.getElementById(decodeURIComponent(hash.slice(1)));
  const reveal = () => {
    const target = location.hash && at(location.hash);
    if (!target) return;
    for (let node = target; node; node = node.parentElement) {
      if (node.tagName === 'DETAILS') node.open = true;
      node.hidden = false;
    }
    const chapter = target.querySelector(':scope > .chapter');
    if (chapter) chapter.open = true;
    target.scrollIntoView();
  };
  const copy = (text) => {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  };
  const narrow = (form) => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    const isNarrow = words.length > 0 || form.elements.failed?.checked;
    for (const folded of form.parentElement.querySelectorAll('.folded')) folded.open = isNarrow;
    for (const item of document.querySelectorAll(form.dataset.narrows)) {
      const text = (item.id + ' ' + item.textContent).toLowerCase();
      const isPassed = item.matches('.is-pass, .is-inapplicable, .is-not-tested');
      item.hidden = (form.elements.failed?.checked && isPassed) || !words.every((word) => text.includes(word));
      shown += item.hidden ? 0 : 1;
    }
    form.querySelector('output').textContent = shown + ' shown';
  };
  addEventListener('hashchange', reveal);
  document.addEventListener('click', ({ target }) => {
    const mark = target.closest('[data-entry]');
    if (mark) location.hash = mark.dataset.entry;
    const button = target.closest('.copy');
    if (!button) return;
    copy(button.previousElementSibling.textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  for (const form of document.querySelectorAll('.filter')) {
    form.hidden = false;
    form.addEventListener('input', () => narrow(form));
    form.addEventListener('submit', (event) => event.preventDefault());
  }
  for (const pre of document.querySelectorAll('pre:is(.curl, .ticket)')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    pre.after(button);
  }
  reveal();
})();
