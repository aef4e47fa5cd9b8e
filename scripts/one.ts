import { runOnBent } from '/work/wt-rate/scripts/matrix/in-process';
(async () => { const r = await runOnBent([]); console.log(r.durationMs, r.recorder.exchanges.length, r.judgements.filter(j=>j.verdict!=='pass').map(j=>[j.id,j.verdict,j.reason])); process.exit(0)})();
