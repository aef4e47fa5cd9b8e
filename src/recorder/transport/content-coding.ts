/** Undoes content codings (RFC 9110 section 8.4), within bounds. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { linesOf } from '../../evidence/http/headers';
import type { Fault, HeaderLines } from '../../evidence/model';

/** Bytes that are recorded of the body of a broken answer. */
const MOST_OF_A_FAULT = 4_096;
/** No server needs more than one, and each takes work. */
const MOST_CODINGS = 3;

const inflateEither: typeof inflateSync = (bytes, options) => {
  try {
    return inflateSync(bytes, options);
  } catch (error) {
    // "deflate" is sent both with and without the zlib wrapper.
    if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR') throw error;
    return inflateRawSync(bytes, options);
  }
};

const DECODERS: ReadonlyMap<string, typeof gunzipSync> = new Map<string, typeof gunzipSync>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateEither],
  ['br', brotliDecompressSync],
]);

/** Returns the content codings of a body, the last one first; `null` if there are too many. */
function codingsOf(headers: HeaderLines): string[] | null {
  const codings = linesOf(headers, 'Content-Encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return codings.length > MOST_CODINGS ? null : codings.reverse();
}

/** Undoes content codings. @param limit bytes of the decoded body */
export function decode(raw: Buffer, headers: HeaderLines, limit: number): { body: Buffer } | { fault: Fault } {
  const faulty = (kind: Fault['kind'], message: string) => ({ fault: { kind, message } });
  const codings = codingsOf(headers);
  if (!codings) return faulty('malformed', `applied more than ${MOST_CODINGS} content codings to one body`);
  let body = raw;
  for (const coding of body.length === 0 ? [] : codings) {
    const decoder = DECODERS.get(coding);
    // The message does not quote the coding, which is the server's text; the headers in the evidence show it.
    if (!decoder) return faulty('malformed', 'used a content coding that was not asked for');
    try {
      body = decoder(body, { maxOutputLength: limit });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_BUFFER_TOO_LARGE')
        return faulty('too-large', `sent a ${coding} body that decodes to more than ${limit} bytes`);
      return code === 'Z_BUF_ERROR' || code === 'ERR_BROTLI_DECODER_ERROR_UNREACHABLE'
        ? faulty('truncated', `sent a ${coding} body that ends too early`)
        : faulty('malformed', `sent a body that is not ${coding}, though it says so`);
    }
  }
  return { body };
}

/** Returns the beginning of the body of a broken answer; nothing of one with content codings, where no secret would be found. */
export function beginningOf(raw: Buffer, headers: HeaderLines): Buffer {
  return codingsOf(headers)?.length === 0 ? raw.subarray(0, MOST_OF_A_FAULT) : Buffer.alloc(0);
}
