import { startHostile, framed } from '/work/wt/redaction/tests/self/support/hostile-server';
import { brotliCompressSync } from 'node:zlib';
const accounts = [1, 2].map((i) => ({ name: `a${i}`, apiKey: `heavyKeySekret${i}AbCdEfGh`, password: `heavyPasswordSekret${i}` }));
let n = 0;
const deep = (text: string): string => { for (let i = 0; i < 12; i += 1) text = Buffer.from(text).toString('base64'); return text; };
startHostile(accounts, {
  brotli: (asked, socket) => { n += 1; const broken = brotliCompressSync(Buffer.alloc(4_300_000, `${n}`)).subarray(0, -1).toString('base64'); socket.write(framed(200, asked.settings({ values: Array.from({ length: 400 }, (_, i) => `${broken}${i}`) }))); },
  deep: (asked, socket) => { n += 1; socket.write(framed(200, asked.settings({ deep: deep(`${n}`.repeat(3000)) }))); },
  escapes: (asked, socket) => { n += 1; socket.write(framed(200, asked.settings({ debug: '@' }).replace('@', () => `%25${n}\\u0025\\x25&amp;#37;`.repeat(35_000)))); },
}).then((s) => console.log(s.baseURL));
