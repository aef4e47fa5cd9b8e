/** XML as strict parsers read it. */
import { SaxesParser } from 'saxes';

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
}

/** All elements of well-formed XML, in order; throws on anything else. */
export function elementsIn(xml: string): Element[] {
  const found: Element[] = [];
  const open: Element[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: '', children: [] };
    found.push(element);
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const parent = open.at(-1);
    if (parent) parent.text += text;
  });
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  return found;
}
