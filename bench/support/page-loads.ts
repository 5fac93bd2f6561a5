import type { Browser, CDPSession } from 'playwright-core';
import { openChromium } from '../../test/browser/chromium.ts';
import { median } from './report.ts';

/** A phone of 360 pixels on a slow mobile network, as Lighthouse emulates it: 1.6 Mbit/s, 150 ms, a fourth of the CPU. */
const phone = { viewport: { width: 360, height: 800 }, deviceScaleFactor: 2, isMobile: true };
const network = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const cpuSlowdown = 4;
const rounds = 5;
/** Layout shifts and larger elements may follow the load event. */
const settleMs = 500;

export interface PageLoad {
  /** Bytes that all answers took, headers included. */
  wireBytes: number;
  requests: number;
  /** Cumulative Layout Shift. */
  cls: number;
  /** Largest Contentful Paint. */
  lcpMs: number;
}

/** Loads each page several times on a phone with an empty cache. Returns the medians. */
export async function measurePageLoads(origin: string, paths: string[]): Promise<PageLoad[]> {
  const browser = await openChromium();
  try {
    const loads: PageLoad[] = [];
    for (const path of paths) {
      const measured: PageLoad[] = [];
      for (let n = 0; n < rounds; n += 1) measured.push(await loadOnce(browser, origin + path));
      const medianOf = (name: keyof PageLoad) => median(measured.map((one) => one[name]));
      loads.push({
        wireBytes: medianOf('wireBytes'),
        requests: medianOf('requests'),
        cls: medianOf('cls'),
        lcpMs: medianOf('lcpMs'),
      });
    }
    return loads;
  } finally {
    await browser.close();
  }
}

async function loadOnce(browser: Browser, url: string): Promise<PageLoad> {
  const context = await browser.newContext(phone);
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const transfer = await watchTransfer(session);
    await page.addInitScript(observePaints);
    await page.goto(url, { waitUntil: 'load' });
    await page.waitForTimeout(settleMs);
    const { cls, lcpMs } = await page.evaluate<Pick<PageLoad, 'cls' | 'lcpMs'>>('paints');
    return { ...transfer, cls, lcpMs };
  } finally {
    await context.close();
  }
}

/** Slows the page down, and counts its bytes and requests from now on. */
async function watchTransfer(session: CDPSession) {
  const transfer = { wireBytes: 0, requests: 0 };
  session.on('Network.requestWillBeSent', () => (transfer.requests += 1));
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    transfer.wireBytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  return transfer;
}

/** Runs in the page. */
const observePaints = `
  globalThis.paints = { cls: 0, lcpMs: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) paints.lcpMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) paints.cls += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;
