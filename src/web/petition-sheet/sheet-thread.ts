import { parentPort, workerData } from 'node:worker_threads';
import type { SheetContent } from './sheet-content.ts';
import { sheetPdf } from './sheet-pdf.ts';

/** Draws one sheet in a thread of its own, which can be ended. */
const pdf = Uint8Array.from(await sheetPdf(workerData as SheetContent));
parentPort!.postMessage(pdf, [pdf.buffer]);
