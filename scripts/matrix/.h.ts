import { crossedJobs } from './jobs';
const a = crossedJobs(0, 1), b = crossedJobs(3000, 1);
console.log(a.length, a.filter((j) => j.name.includes('reset-now')).map((j) => j.name)); console.log(b.length, b.filter((j) => j.name.includes('reset-now')).map((j) => j.name).slice(0,30));
