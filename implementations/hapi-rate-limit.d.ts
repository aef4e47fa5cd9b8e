/** The package has no types. */
declare module 'hapi-rate-limit' {
  import type { Plugin } from '@hapi/hapi';

  const plugin: Plugin<object>;
  export default plugin;
}
