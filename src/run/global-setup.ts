/** Before any test: loads the configuration and starts the recorder's service. */
import { setCurrentRun } from './current';
import { prepareRun } from './run';
import { SERVICE_VARIABLE, startService } from './service';

export default async function globalSetup(): Promise<() => Promise<void>> {
  const run = await prepareRun();
  const service = await startService(() => run.data());
  process.env[SERVICE_VARIABLE] = service.address;
  setCurrentRun(run);
  return async () => {
    await service.close();
    await run.close();
  };
}
