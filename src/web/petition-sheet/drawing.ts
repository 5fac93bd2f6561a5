import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { unavailable } from '../../platform/problems.ts';
import type { SheetContent } from './sheet-content.ts';

interface Sheet {
  /** Quoted. */
  etag: string;
  pdf: Buffer;
}

/** Sheets by what they show, 10 to 100 KB each. */
const sheets = new LRUCache<string, Promise<Sheet>>({ max: 100 });

/** Sheets are drawn one at a time, each in a thread, to leave CPU time for requests. */
let drawing: Promise<unknown> = Promise.resolve();
let waiting = 0;
/** A sheet takes 0.8 s with the start of its thread, and 2.5 s with many scripts. */
const maxWaiting = 4;
const deadlineMs = 10_000;
/** Less than the deadline of a request: who has to wait longer is told to come back, and finds the sheet drawn. */
const maxWaitMs = 4000;
/** Of JavaScript objects in a thread. */
const maxMegabytes = 256;

/**
 * Returns a sheet as a PDF; the same content is drawn once.
 * @throws {Problem} unavailable if too many other sheets are waiting, or this one takes too long; as `beforeDrawing`
 */
export async function drawnSheet(
  content: SheetContent,
  beforeDrawing: () => Promise<void>,
): Promise<Sheet> {
  const key = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
  const known = sheets.get(key);
  if (known) return inTime(known);
  await beforeDrawing();
  return inTime(sheets.get(key) ?? draw(key, content));
}

/** @throws {Problem} unavailable if the sheet takes longer than a request can wait */
async function inTime(sheet: Promise<Sheet>): Promise<Sheet> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooMany()), maxWaitMs);
  try {
    return await Promise.race([sheet, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const tooMany = () => unavailable('Too many sheets are being drawn. Try again shortly.');

function draw(key: string, content: SheetContent): Promise<Sheet> {
  if (waiting >= maxWaiting) throw tooMany();
  waiting += 1;
  const sheet = drawing
    .then(() => drawInThread(content))
    .then((pdf) => ({ pdf, etag: `"${key.slice(0, 22)}"` }))
    .finally(() => (waiting -= 1));
  sheets.set(key, sheet);
  drawing = sheet.catch(() => sheets.delete(key));
  return sheet;
}

async function drawInThread(content: SheetContent): Promise<Buffer> {
  const thread = new Worker(new URL('sheet-thread.ts', import.meta.url), {
    workerData: content,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const timer = setTimeout(
    () => reject(unavailable('The sheet took too long to draw. Try again later.')),
    deadlineMs,
  );
  thread.once('message', (pdf: Uint8Array) => resolve(Buffer.from(pdf)));
  thread.once('error', reject);
  thread.once('exit', (code) => reject(new Error(`a thread ended without a sheet, code ${code}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
