/** What the output can show: how wide it is, and whether in colours. Decided as Playwright's own reporters decide it. */
import { filled } from '../../report/format';
import { WIDEST } from '../../report/terminal';

/** A narrower terminal breaks lines by itself. */
const NARROWEST = 40;

const IS_NO = /^(?:0|false)$/;
const IS_YES = /^(?:1|true)$/;

/** What a line is about, so that it stands out. */
export type Tone = 'good' | 'bad' | 'open';

const COLOUR: Readonly<Record<Tone, number>> = { bad: 31, good: 32, open: 33 };

/** Returns what a stream can show. @param environment PLAYWRIGHT_FORCE_TTY, FORCE_COLOR, DEBUG_COLORS, NO_COLOR */
export function screenOf(
  { isTTY = false, columns }: { isTTY?: boolean; columns?: number },
  environment: NodeJS.ProcessEnv = process.env,
) {
  const { PLAYWRIGHT_FORCE_TTY: forced = '', FORCE_COLOR = '', DEBUG_COLORS = '', NO_COLOR = '' } = environment;
  const isTerminal = forced === '' ? isTTY : !IS_NO.test(forced);
  const told = Number.parseInt(IS_YES.test(forced) ? '' : forced, 10) || columns;
  const isPlain = NO_COLOR !== '' || [FORCE_COLOR, DEBUG_COLORS].some((value) => IS_NO.test(value));
  const hasColours = !isPlain && (isTerminal || FORCE_COLOR !== '' || DEBUG_COLORS !== '');
  return {
    /** Columns of a line. A file has as many as the widest line. */
    width: isTerminal && told ? Math.min(WIDEST, Math.max(NARROWEST, told)) : WIDEST,
    /** Returns a text with its first line in the colour of a tone. */
    painted: (text: string, tone: Tone | null) =>
      tone !== null && hasColours ? text.replace(/\S.*/, `\u001b[1;${COLOUR[tone]}m$&\u001b[22;39m`) : text,
  };
}

/** Breaks lines at spaces where they are longer than the width, and keeps their indentation. A command stays whole. */
export function folded(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.length <= width || line.includes('curl -')) return line;
      const [lead = ''] = /^(?: {6}\S+ +| *)/.exec(line) ?? [];
      const indent = ' '.repeat(lead.length < width / 2 ? lead.length : 0);
      return filled(line.slice(indent.length).split(' '), width - indent.length, ' ').map(
        (piece, i) => (i === 0 ? line.slice(0, indent.length) : indent) + piece,
      );
    })
    .join('\n');
}
