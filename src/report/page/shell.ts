/** The frame of every page: its policy, its style and its script. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../common/suite';
import { Markup, markup } from '../markup';

const asset = (name: string) => `\n${readFileSync(join(root, 'assets', name), 'utf8')}`;
/** Colour is never the only sign of a verdict or an outcome: each has a sign and a word as well. */
const STYLE = asset('page.css');
/**
 * What the page can do where scripts run. Without scripts, all of it can still be read.
 *
 * - A link to something folded opens it.
 * - Commands have a button that copies them.
 */
const SCRIPT = asset('page.js');

const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, and only the style and the script of the page itself apply. */
const POLICY = [
  "default-src 'none'",
  'img-src data:',
  `style-src ${sha256(STYLE)}`,
  `script-src ${sha256(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Returns a page that needs nothing else, as HTML. */
export function shell(title: string, body: Markup): string {
  return markup`
    <!doctype html>\n
    <html lang="en">\n
      <head>\n
        <meta charset="utf-8">\n
        <meta http-equiv="Content-Security-Policy" content="${POLICY}">\n
        <meta name="viewport" content="width=device-width, initial-scale=1">\n
        <meta name="color-scheme" content="light dark">\n
        <title>${title}</title>\n
        <link rel="icon" href="data:,">\n
        <style>${new Markup(STYLE)}</style>\n
      </head>\n
      <body>\n
        <a class="skip" href="#content">Skip to the content</a>\n
        ${body}\n
        <script>${new Markup(SCRIPT)}</script>\n
      </body>\n
    </html>\n`.source;
}
