/** Content codings undone (RFC 9110 section 8.4), within bounds. */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Fault, HeaderLines } from '../../evidence/exchange';
import { linesOf } from '../../evidence/headers';

/** Kept of the body of an answer that broke. */
const KEPT_OF_A_FAULT = 4_096;
/** More than deflate makes of so much. */
const MOST_DECODED_OF_A_FAULT = 8 * 1024 * 1024;
/** Nobody needs two; each takes work. */
const MOST_CODINGS = 3;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The content codings to undo (RFC 9110 section 8.4), the last one first. */
function codingsOf(headers: HeaderLines): string[] {
  return linesOf(headers, 'Content-Encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
}

/** Undoes the content codings of a body within the size allowed. */
export function decode(raw: Buffer, headers: HeaderLines, limit: number): { body: Buffer } | { fault: Fault } {
  let body = raw;
  const codings = codingsOf(headers);
  if (codings.length > MOST_CODINGS)
    return { fault: { kind: 'malformed', message: `applied more than ${MOST_CODINGS} content codings to one body` } };
  for (const coding of codings) {
    if (body.length === 0) break;
    const decoder = decoders.get(coding);
    // The coding is a stranger's text: the headers in the evidence hold it.
    if (!decoder) return { fault: { kind: 'malformed', message: 'used a content coding that was not asked for' } };
    try {
      body = decoder(body, { maxOutputLength: limit });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ERR_BUFFER_TOO_LARGE') {
        return {
          fault: { kind: 'too-large', message: `sent a ${coding} body that decodes to more than ${limit} bytes` },
        };
      }
      const cut = code === 'Z_BUF_ERROR' || code === 'ERR_BROTLI_DECODER_ERROR_UNREACHABLE';
      return cut
        ? { fault: { kind: 'truncated', message: `sent a ${coding} body that ends too early` } }
        : { fault: { kind: 'malformed', message: `sent a body that is not ${coding}, though it says so` } };
    }
  }
  return { body };
}

/**
 * What is kept of a body that did not arrive whole. A coded one is decoded as far as it came: in what stays coded
 * no secret would be found, and whoever decodes it would find it.
 */
export function beginningOf(raw: Buffer, headers: HeaderLines): Buffer {
  const part = raw.subarray(0, KEPT_OF_A_FAULT);
  let body = part;
  const codings = codingsOf(headers);
  if (codings.length > MOST_CODINGS) return Buffer.alloc(0);
  for (const coding of codings) {
    const isPlain = body === part && coding.endsWith('gzip') && !part.subarray(0, 2).equals(GZIP_MAGIC);
    if (isPlain) return part;
    const decoder = decoders.get(coding);
    try {
      const finishFlush = coding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
      body = decoder?.(body, { finishFlush, maxOutputLength: MOST_DECODED_OF_A_FAULT }) ?? Buffer.alloc(0);
    } catch {
      // It cannot be read, so nothing of it is kept.
      return Buffer.alloc(0);
    }
  }
  return body.subarray(0, KEPT_OF_A_FAULT);
}

const inflateEither: typeof inflateSync = (bytes, options) => {
  try {
    return inflateSync(bytes, options);
  } catch (error) {
    // "deflate" is sent both with and without the zlib wrapper.
    if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR') throw error;
    return inflateRawSync(bytes, options);
  }
};

const decoders: ReadonlyMap<string, typeof gunzipSync> = new Map<string, typeof gunzipSync>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateEither],
  ['br', brotliDecompressSync],
]);
