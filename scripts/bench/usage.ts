/** What a process and its children take of the machine. Reads `/proc`, so it needs Linux. */
import { readdirSync, readFileSync } from 'node:fs';

const SAMPLE_MS = 200;
/** What a process had at most is kept for as long as it lives. */
const RARE_SAMPLE_MS = 500;

/** The most memory that was seen, in bytes. */
export interface Peak {
  /** Of all processes together; what they share counts once. */
  all: number;
  /** Of the largest process. */
  largest: number;
}

/** Watches the memory of a process and of all below it, until `stop` is called. */
export function watchMemory(root: number): { stop: () => Peak } {
  const peak: Peak = { all: 0, largest: 0 };
  const sample = () => {
    const sizes = treeBelow(root).map(sizeOf);
    peak.all = Math.max(peak.all, sum(sizes.map(({ share }) => share)));
    peak.largest = Math.max(peak.largest, ...sizes.map(({ highest }) => highest));
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

/** Watches the most memory that one of these processes had, in bytes. To read what they share would take its own time. */
export function watchLargest(root: number): { stop: () => number } {
  let largest = 0;
  const sample = () => {
    largest = Math.max(largest, ...treeBelow(root).map(highestOf));
  };
  const timer = setInterval(sample, RARE_SAMPLE_MS);
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

/** `share`: with a part of what it shares with others. `highest`: the most it ever had, what it shares included. */
function sizeOf(pid: number): { share: number; highest: number } {
  const share = /^Pss:\s+(\d+)/m.exec(text(`/proc/${pid}/smaps_rollup`))?.[1];
  return { share: Number(share ?? 0) * 1024, highest: highestOf(pid) };
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
