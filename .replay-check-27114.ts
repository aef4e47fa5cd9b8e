import { readdirSync, readFileSync } from 'node:fs';
import { fromHar } from './src/evidence/har/read';
import { judgementsOf, rules } from './src/judge/rules';
const dir = '/tmp/base/ev', part = process.argv[2] ?? '';
let n = 0, changed = 0; const tally: Record<string, number> = {};
for (const file of readdirSync(dir).filter((f) => f.endsWith('.json') && f.includes(part)).filter((_, i) => part !== '' || process.env.FULL || i % 4 === Math.floor(Date.now() / 1000) % 4)) {
  const was = JSON.parse(readFileSync(`${dir}/${file}`, 'utf8'));
  const { evidence } = fromHar(readFileSync(`${dir}/${file.replace(/json$/, 'har')}`, 'utf8'), file);
  const now = judgementsOf(was.judgements.map((j: any) => j.id), evidence, '2026-01-01'); n += 1;
  const diffs = was.judgements.filter((j: any) => now.get(j.id)?.verdict !== j.verdict);
  if (diffs.length) { changed += 1; for (const d of diffs) { const x = now.get(d.id)!; const k = `${d.id} ${d.verdict}->${x.verdict}`; tally[k] = (tally[k] ?? 0) + 1; console.log(`${file.replace('.json', '')}: ${k}  NOW: ${x.reason}  WAS: ${d.reason}`); } }
}
console.log(tally); console.log(`${n} replayed, ${changed} with another verdict`);
