import { runInMemory } from '/work/wt/h3/scripts/matrix/in-process';
import { embeddedAccounts } from '/work/wt/h3/src/reference/embedded-accounts';
const limits = { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: null };
(async () => {
  for (const n of [3, 1]) {
    const accounts = embeddedAccounts().slice(0, n);
    const run = await runInMemory([], { accounts, target: { limits } as never } as never);
    const bad = run.judgements.filter(({ verdict }) => verdict !== 'pass').map(({ id, verdict, reason }) => `${id} ${verdict} ${reason?.slice(0, 80)}`);
    console.log(n, Math.round(run.durationMs), run.recorder.exchanges.length, bad);
  }
})();
