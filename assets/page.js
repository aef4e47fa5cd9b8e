(() => {
  const at = (hash) => document.getElementById(decodeURIComponent(hash.slice(1)));
  const reveal = () => {
    const target = location.hash && at(location.hash);
    if (!target) return;
    for (let node = target; node; node = node.parentElement) if (node.tagName === 'DETAILS') node.open = true;
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
  addEventListener('hashchange', reveal);
  document.addEventListener('click', ({ target }) => {
    const button = target.closest('.copy');
    if (!button) return;
    copy(button.previousElementSibling.textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  for (const pre of document.querySelectorAll('pre.curl')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    pre.after(button);
  }
  reveal();
})();
