import { runOn } from '../scripts/matrix/in-process';
import { targetOf } from '../src/target/declaration';
import { accounts } from './api';
import { startRedis } from './redis';

async function main() {
  const redis = await startRedis();
  await Promise.all(
    process.argv.slice(2).map(async (name) => {
      const { implementation } = await import(`./limiters/${name}.ts`);
      await Promise.all(
        implementation.variants.map(async (variant: any) => {
          const served = await variant.start(redis?.database());
          const run = await runOn(
            targetOf(
              {
                baseURL: served.baseURL,
                accounts: accounts.map(({ name, apiKey, password, settings }) => ({
                  name,
                  apiKey,
                  hasPassword: password !== null,
                  ...(password === null ? {} : { password }),
                  settings: { ...settings },
                })),
              },
              name,
            ),
          );
          console.log(
            `== ${name} ${variant.as} ${variant.store} ${Math.round(run.durationMs / 1000)} s ${run.recorder.evidence().exchanges.length}`,
          );
          for (const { id, verdict, reason } of run.judgements)
            if (verdict !== 'pass' && !id.startsWith('event.'))
              console.log(`   ${verdict} ${id}: ${reason}`.slice(0, 260));
          await served.close();
        }),
      );
    }),
  );
  await redis?.stop();
}
main().catch((e) => {
  console.error(e);
  process.exit(1);
});
