// The commands in a clone, translated when they start; the package has them built. Another user of this machine could place
// code in a cache, and it would run with the keys: there is none.
process.env.TSX_DISABLE_CACHE = '1';
try {
  require('tsx/cjs');
} catch (error) {
  if (error.code !== 'MODULE_NOT_FOUND') throw error;
  console.error('In a clone, the commands need the development dependencies: npm ci');
  process.exit(2);
}
require('./main.ts');
