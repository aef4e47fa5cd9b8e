/** What a process and its children take of the machine. Reads `/proc`, so it needs Linux. */
import { readdirSync, readFileSync } from 'node:fs';

/** What a process had at most is known for as long as it lives. */
const SAMPLE_MS = 500;

/** Watches the most memory that a process, or one of those below it, had, in bytes, until `stop` is called. */
export function watchLargest(root: number): { stop: () => number } {
  let largest = 0;
  const timer = setInterval(() => {
    largest = Math.max(largest, ...treeBelow(root).map(highestOf));
  }, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return largest;
    },
  };
}

function treeBelow(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => ({ pid: Number(pid), parent: parentOf(Number(pid)) }));
  const tree = [root];
  for (const process of tree) for (const { pid, parent } of parents) if (parent === process) tree.push(pid);
  return tree;
}

function parentOf(pid: number): number {
  // The name of a process may hold spaces and parentheses.
  const fields = text(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fields[1]);
}

function highestOf(pid: number): number {
  const highest = /^VmHWM:\s+(\d+)/m.exec(text(`/proc/${pid}/status`))?.[1];
  return Number(highest ?? 0) * 1024;
}

/** Empty where the process has ended. */
function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
