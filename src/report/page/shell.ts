/** The frame of every page: what it may load, which is nothing, how it looks and what moves in it. */
import { createHash } from 'node:crypto';
import { Markup, markup } from './markup';
import { SCRIPT } from './script';
import { STYLE } from './style';

const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded from anywhere, and nothing runs or styles but the very texts that stand in the page. */
const POLICY = [
  "default-src 'none'",
  'img-src data:',
  `style-src ${sha256(STYLE)}`,
  `script-src ${sha256(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A page that stands on its own, as HTML. */
export function shell(title: string, body: Markup): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Markup(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${body}
<script>${new Markup(SCRIPT)}</script>
</body>
</html>
`.source;
}
